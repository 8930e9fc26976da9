#include "data/arrays/fill.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/arrays/cast.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

Item filled(const Item& item, const Filling& filling) {
  filling.require_kind_of(item, "Fill");
  if (item.is_texts()) {
    Texts texts = item.texts("Fill");
    std::fill(texts.values.begin(), texts.values.end(), filling.of_texts());
    return texts;
  }
  const Tensor& source = item.tensor("Fill");
  Tensor result = empty(source->dtype, source->shape);
  fill_with(filling.of_dtype(source->dtype, "Fill"), result->as<char>(), result->size());
  return result;
}

TransformRef make_fill(const Attributes& attributes) {
  return of_one("Fill", [filling = Filling::from(attributes)](const Item& item, Random&) {
    return filled(item, filling);
  });
}

DYAD_TRANSFORM(fill, make_fill);

}  // namespace

Filling Filling::from(const Attributes& attributes) {
  Filling filling;
  if (attributes.has("number")) filling.number = attributes.tensor("number");
  if (attributes.has("text")) filling.text = attributes.text("text");
  return filling;
}

void Filling::require_kind_of(const Item& item, std::string_view owner) const {
  if (item.is_texts() && number)
    runtime_error(owner, ": the value is a number and the column is ", item, "; need a str");
  if (!item.is_texts() && text)
    runtime_error(owner, ": the value is a text and the column is ", item, "; need a number");
}

const std::string& Filling::of_texts() const {
  static const std::string kNothing;
  return text ? *text : kNothing;
}

Tensor Filling::of_dtype(DType dtype, std::string_view owner) const {
  const Tensor given = number ? *number : one_number(DType::kInt64, int64_t{0});
  Tensor made = cast_to(given, dtype);
  const Tensor back = cast_to(made, given->dtype);
  const auto bytes = static_cast<size_t>(itemsize(given->dtype));
  if (is_int(dtype) && std::memcmp(back->data, given->data, bytes) != 0)
    runtime_error(owner, ": the value is ", dyad::item(*given), " and the column is of ", dtype_name(dtype),
                  "; need a number that it can hold");
  return made;
}

void fill_with(const Tensor& value, char* to, int64_t count) {
  visit_width(value->dtype, [&](auto typed) {
    using Word = typename decltype(typed)::type;
    std::fill_n(reinterpret_cast<Word*>(to), count, *value->as<const Word>());
  });
}

}  // namespace dyad::data
