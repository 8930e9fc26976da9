#pragma once

#include "types/dtype.h"

// In which dtypes the elements of a reduction meet: what eager kernels and generated code agree on.

namespace dyad::kernels {

/// The dtype in which elements of `in` are brought together when the result has dtype `out`. Integers that
/// become a float meet in float64, where none of them is rounded.
inline DType compute_dtype_of(bool logical, DType in, DType out) {
  if (logical) return DType::kBool;
  if (is_float(out) && (is_int(in) || is_bool(in))) return DType::kFloat64;
  if (is_float(out) || is_complex(out)) return compute_dtype(out);
  return out == DType::kUInt64 ? DType::kUInt64 : DType::kInt64;
}

/// The dtype that holds what has been brought together so far; sums and products of floats need digits to
/// spare.
inline DType accumulator_dtype(bool adds, DType compute_dtype) {
  if (adds && compute_dtype == DType::kFloat32) return DType::kFloat64;
  return adds && compute_dtype == DType::kComplex64 ? DType::kComplex128 : compute_dtype;
}

}  // namespace dyad::kernels
