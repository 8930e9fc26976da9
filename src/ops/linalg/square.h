#pragma once

#include "base/error.h"
#include "ops/infer.h"

namespace dyad {

/// The dtype of a decomposition of the matrices at `at`: their own if it is a float or complex one, otherwise an error.
inline DType require_matrices(const Arguments& args, size_t at, std::string_view what = "input") {
  const ValueImpl& x = args.in(at);
  if (x.rank() < 2) {
    value_error(args.op(), ": ", what, " has shape ", x.shape, "; it must be a matrix or a stack of matrices");
  }
  infer::require_dtype(args, at, is_float(x.dtype) || is_complex(x.dtype), "float and complex dtypes");
  return x.dtype;
}

/// The same for matrices that must have as many rows as columns.
inline DType require_square(const Arguments& args, size_t at) {
  const std::string_view what = args.op() == "solve" ? "A" : "input";
  const DType dtype = require_matrices(args, at, what);
  const Shape& shape = args.in(at).shape;
  const Dim rows = shape[shape.size() - 2];
  if (rows.known() && shape.back().known() && !(rows == shape.back())) {
    value_error(args.op(), ": ", what, " has shape ", shape, "; the last two sizes must be equal");
  }
  return dtype;
}

}  // namespace dyad
