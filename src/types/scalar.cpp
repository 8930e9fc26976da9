#include "types/scalar.h"

#include "base/error.h"
#include "types/visit.h"

namespace dyad {

namespace {
float widen(Half value) { return static_cast<float>(value); }
float widen(BFloat16 value) { return static_cast<float>(value); }
float widen(float value) { return value; }
double widen(double value) { return value; }
}  // namespace

std::string to_text(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return scalar.to_bool() ? "True" : "False";
    case Scalar::Kind::kInt:
      return cat(scalar.to_int());
    case Scalar::Kind::kFloat:
      return cat(scalar.to_double());
    case Scalar::Kind::kComplex:
      return cat("(", scalar.to_complex().real(), scalar.to_complex().imag() < 0 ? "" : "+",
                 scalar.to_complex().imag(), "j)");
  }
  return "?";
}

DType default_dtype(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return DType::kBool;
    case Scalar::Kind::kInt:
      return DType::kInt64;
    case Scalar::Kind::kFloat:
      return DType::kFloat32;
    case Scalar::Kind::kComplex:
      return DType::kComplex128;
  }
  return DType::kFloat32;
}

DType promote(std::string_view op, DType dtype, const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return dtype;
    case Scalar::Kind::kInt:
      if (is_bool(dtype)) return DType::kInt64;
      if (dtype >= DType::kUInt16 && dtype <= DType::kUInt64) {
        type_error(op, ": ", with_article(dtype), " tensor does not mix with the number ", scalar,
                   "; cast the tensor first");
      }
      return dtype;
    case Scalar::Kind::kFloat:
      return is_float(dtype) || is_complex(dtype) ? dtype : DType::kFloat32;
    case Scalar::Kind::kComplex:
      if (is_complex(dtype)) return dtype;
      return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
  }
  return dtype;
}

void store(const Scalar& scalar, DType dtype, void* element) {
  visit_dtype(dtype, [&]<class T>(Typed<T>) {
    T& out = *static_cast<T*>(element);
    if constexpr (is_complex_type<T>) {
      out = T(scalar.to_complex());
    } else if constexpr (std::is_same_v<T, bool>) {
      out = scalar.to_bool();
    } else if constexpr (std::is_integral_v<T>) {
      out = static_cast<T>(scalar.to_int());
    } else if constexpr (std::is_floating_point_v<T>) {
      out = static_cast<T>(scalar.to_double());
    } else {
      out = T(static_cast<float>(scalar.to_double()));
    }
  });
}

Scalar load(DType dtype, const void* element) {
  return visit_dtype(dtype, [&]<class T>(Typed<T>) -> Scalar {
    const T& in = *static_cast<const T*>(element);
    if constexpr (is_complex_type<T>) {
      return std::complex<double>(in);
    } else if constexpr (std::is_same_v<T, bool>) {
      return in;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(in);
    } else {
      return static_cast<double>(widen(in));
    }
  });
}

}  // namespace dyad
