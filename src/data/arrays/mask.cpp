#include <functional>

#include "base/error.h"
#include "data/arrays/cast.h"
#include "data/arrays/fill.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

/// Calls `body` with the comparison that the front numbers so.
template <class Body>
void visit_relation(int64_t relation, const Body& body) {
  switch (relation) {
    case 0:
      return body(std::equal_to<>{});
    case 1:
      return body(std::not_equal_to<>{});
    case 2:
      return body(std::greater<>{});
    case 3:
      return body(std::greater_equal<>{});
    case 4:
      return body(std::less<>{});
    default:
      return body(std::less_equal<>{});
  }
}

/// Compares elements as what arithmetic on them is carried out in.
template <class T>
auto comparable(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

void mask_numbers(const Tensor& given, const Filling& constant, int64_t relation, bool* out) {
  const Tensor source = contiguous(given);
  const Tensor value = constant.of_dtype(source->dtype, "Mask");
  visit_dtype(source->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    if constexpr (is_complex_type<T>) {
      runtime_error("Mask: the column is ", dtype_name(source->dtype), "; need numbers that have an order");
    } else {
      const auto bound = comparable(*value->as<const T>());
      visit_relation(relation, [&](auto compare) {
        for (int64_t i = 0; i < source->size(); ++i)
          out[i] = compare(comparable(source->as<const T>()[i]), bound);
      });
    }
  });
}

void mask_texts(const Texts& texts, const std::string& constant, int64_t relation, bool* out) {
  visit_relation(relation, [&](auto compare) {
    for (size_t i = 0; i < texts.values.size(); ++i) out[i] = compare(texts.values[i], constant);
  });
}

TransformRef make_mask(const Attributes& attributes) {
  return of_one("Mask",
                [relation = attributes.integer("relation"), constant = Filling::from(attributes),
                 dtype = attributes.dtype("dtype")](const Item& item, Random&) -> Item {
                  constant.require_kind_of(item, "Mask");
                  Tensor result = empty(DType::kBool, item.shape("Mask"));
                  if (item.is_texts()) {
                    mask_texts(item.texts("Mask"), constant.of_texts(), relation, result->as<bool>());
                  } else {
                    mask_numbers(item.tensor("Mask"), constant, relation, result->as<bool>());
                  }
                  return cast_to(result, dtype);
                });
}

DYAD_TRANSFORM(mask, make_mask);

}  // namespace

}  // namespace dyad::data
