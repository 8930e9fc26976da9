#include "data/arrays/cast.h"

#include <limits>

#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

template <class T>
inline constexpr bool is_narrow_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// The integer type that a float goes through on its way to `To`, so that what does not fit wraps.
template <class To>
using Through =
    std::conditional_t<std::is_same_v<To, uint64_t>, uint64_t,
                       std::conditional_t<(sizeof(To) < 4) || std::is_same_v<To, int32_t>, int32_t, int64_t>>;

template <class From, class To>
To truncated(From x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    if (x < From(0)) return static_cast<To>(truncated<From, int64_t>(x));
    return x < From(0x1p64) ? static_cast<To>(x) : To(0);
  } else {
    using Wide = Through<To>;
    constexpr From kLow = static_cast<From>(std::numeric_limits<Wide>::min());
    const bool fits = x >= kLow && x < -kLow;  // NaN does not
    return static_cast<To>(fits ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min());
  }
}

template <class From, class To>
To convert_one(From x) {
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (is_narrow_type<From>) {
    return convert_one<float, To>(static_cast<float>(x));
  } else if constexpr (is_narrow_type<To>) {
    return To(convert_one<From, float>(x));
  } else if constexpr (is_complex_type<From> && is_complex_type<To>) {
    using Real = typename To::value_type;
    return To(static_cast<Real>(x.real()), static_cast<Real>(x.imag()));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (is_complex_type<From>) {
    return convert_one<typename From::value_type, To>(x.real());
  } else if constexpr (is_complex_type<To>) {
    return To(static_cast<typename To::value_type>(x), 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncated<From, To>(x);
  } else {
    return static_cast<To>(x);
  }
}

constexpr int64_t kBlock = 32;  ///< a known count of turns, which the compiler makes vector code of

template <class From, class To>
void convert_all(const From* __restrict from, To* __restrict to, int64_t count) {
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock)
    for (int64_t k = 0; k < kBlock; ++k) to[i + k] = convert_one<From, To>(from[i + k]);
  for (; i < count; ++i) to[i] = convert_one<From, To>(from[i]);
}

TransformRef make_type_cast(const Attributes& attributes) {
  const DType dtype = attributes.dtype("dtype");
  return of_one("TypeCast", [dtype](const Item& item, Random&) -> Item {
    return cast_to(item.tensor("TypeCast"), dtype);
  });
}

DYAD_TRANSFORM(type_cast, make_type_cast);

}  // namespace

Tensor cast_to(const Tensor& tensor, DType dtype) {
  if (tensor->dtype == dtype) return tensor;
  const Tensor source = contiguous(tensor);
  Tensor result = empty(dtype, source->shape);
  visit_dtype(source->dtype, [&](auto from) {
    visit_dtype(dtype, [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      convert_all(source->as<const From>(), result->as<To>(), source->size());
    });
  });
  return result;
}

}  // namespace dyad::data
