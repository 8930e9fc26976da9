#pragma once

#include <cstdint>

namespace dyad::kernels {

/// In which dtype a definition computes.
enum class LoopKind : uint8_t {
  kArithmetic,  ///< operands and result in the result's dtype
  kComparison,  ///< operands in their common dtype, the result is bool
  kLogical,     ///< operands taken as bool, the result is bool
  kSelect,      ///< operand 0 is bool, the others and the result have the result's dtype
  kRealPart,    ///< a complex operand gives a result of its real dtype: abs, angle; otherwise as kArithmetic
  kComplex,     ///< operands of the real dtype of a complex result
};

}  // namespace dyad::kernels
