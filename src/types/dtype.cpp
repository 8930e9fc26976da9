#include "types/dtype.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace dyad {

namespace {

struct Facts {
  std::string_view name;
  std::string_view title;
  int64_t bytes;
};

constexpr std::array<Facts, kDTypeCount> kFacts{{
    {"bool_", "Bool", 1},
    {"int8", "Int8", 1},
    {"int16", "Int16", 2},
    {"int32", "Int32", 4},
    {"int64", "Int64", 8},
    {"uint8", "UInt8", 1},
    {"uint16", "UInt16", 2},
    {"uint32", "UInt32", 4},
    {"uint64", "UInt64", 8},
    {"float16", "Float16", 2},
    {"bfloat16", "BFloat16", 2},
    {"float32", "Float32", 4},
    {"float64", "Float64", 8},
    {"complex64", "Complex64", 8},
    {"complex128", "Complex128", 16},
}};

// Wide unsigned integers have no common type with the signed ones, so they mix with nothing but bool.
bool is_wide_unsigned(DType d) { return is_unsigned_int(d) && d != DType::kUInt8; }

DType promote_floats(DType a, DType b) {
  const bool both_narrow = is_narrow_float(a) && is_narrow_float(b);
  return both_narrow ? DType::kFloat32 : std::max(a, b);
}

DType promote_to_complex(DType a, DType b) {
  const bool wide =
      a == DType::kComplex128 || b == DType::kComplex128 || a == DType::kFloat64 || b == DType::kFloat64;
  return wide ? DType::kComplex128 : DType::kComplex64;
}

DType promote_ints(DType a, DType b) {
  if (is_signed_int(a) && is_signed_int(b)) return std::max(a, b);
  const DType other = is_signed_int(a) ? a : b;
  return other == DType::kInt8 ? DType::kInt16 : other;
}

}  // namespace

int64_t itemsize(DType dtype) { return kFacts[static_cast<size_t>(dtype)].bytes; }
std::string_view dtype_name(DType dtype) { return kFacts[static_cast<size_t>(dtype)].name; }
std::string_view dtype_title(DType dtype) { return kFacts[static_cast<size_t>(dtype)].title; }
std::string with_article(DType dtype) { return cat(is_signed_int(dtype) ? "an " : "a ", dtype_title(dtype)); }
std::string to_text(DType dtype) { return std::string(dtype_title(dtype)); }

DType real_dtype(DType d) {
  if (d == DType::kComplex64) return DType::kFloat32;
  if (d == DType::kComplex128) return DType::kFloat64;
  return d;
}

DType promote(std::string_view op, DType a, DType b) {
  if (a == b) return a;
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    type_error(op, ": no common type of ", a, " and ", b,
               "; cast one of them, UInt16, UInt32 and UInt64 mix only with ", "themselves and Bool");
  }
  if (is_complex(a) || is_complex(b)) return promote_to_complex(a, b);
  if (is_float(a) && is_float(b)) return promote_floats(a, b);
  if (is_float(a)) return a;
  if (is_float(b)) return b;
  return promote_ints(a, b);
}

}  // namespace dyad
