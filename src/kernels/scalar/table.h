#pragma once

#include <string_view>

#include "kernels/scalar/kind.h"
#include "types/arg.h"
#include "types/dtype.h"

namespace dyad::kernels {

/// What there is to know of a scalar definition besides its arithmetic.
struct Definition {
  std::string_view name;
  uint8_t operands;
  LoopKind kind;
  uint8_t cost;     ///< relative to an addition
  uint16_t dtypes;  ///< a bit for each dtype that it computes in
  bool guarded;     ///< has a fast form for float32 that holds for all but a few numbers

  bool computes_in(DType dtype) const { return (dtypes >> static_cast<int>(dtype)) & 1; }
};

/// The definition of that name; null if there is none.
const Definition* find_definition(std::string_view name);

/// The dtype in which a definition computes on these operands when the result has dtype `result`.
DType computing_dtype(LoopKind kind, size_t operands, const Arguments& args, DType result);
/// The dtype of what it gives when it computes in `computing`.
DType computed_dtype(LoopKind kind, DType computing);

}  // namespace dyad::kernels
