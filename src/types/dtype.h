#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyad {

/// Element types. The order within a group is from narrow to wide; promotion relies on it.
enum class DType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};
inline constexpr int kDTypeCount = 15;

/// Bytes of one element.
int64_t itemsize(DType dtype);
/// Name as the Python constant has it: "float32", "bool_".
std::string_view dtype_name(DType dtype);
/// Name as printed: "Float32", "Bool".
std::string_view dtype_title(DType dtype);
std::string to_text(DType dtype);
/// "a Float32", "an Int64".
std::string with_article(DType dtype);

inline bool is_bool(DType d) { return d == DType::kBool; }
inline bool is_signed_int(DType d) { return d >= DType::kInt8 && d <= DType::kInt64; }
inline bool is_unsigned_int(DType d) { return d >= DType::kUInt8 && d <= DType::kUInt64; }
inline bool is_int(DType d) { return d >= DType::kInt8 && d <= DType::kUInt64; }
inline bool is_float(DType d) { return d >= DType::kFloat16 && d <= DType::kFloat64; }
inline bool is_complex(DType d) { return d >= DType::kComplex64; }
/// float16 and bfloat16: stored narrow, computed in float32.
inline bool is_narrow_float(DType d) { return d == DType::kFloat16 || d == DType::kBFloat16; }
/// The type in which arithmetic on `d` is carried out.
inline DType compute_dtype(DType d) { return is_narrow_float(d) ? DType::kFloat32 : d; }
/// The real type of a complex one; itself otherwise.
DType real_dtype(DType d);

/// Result of mixing two tensors' dtypes (spec: graph-syntax §3). `op` opens the error of a forbidden mixture.
DType promote(std::string_view op, DType a, DType b);

}  // namespace dyad
