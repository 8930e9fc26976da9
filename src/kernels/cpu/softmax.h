#pragma once

#include <type_traits>

#include "kernels/cpu/loops.h"
#include "kernels/cpu/softmax_table.h"

namespace dyad::kernels {

/// The loops for the best instruction set of this machine.
template <class T>
const SoftmaxLoops<T>& softmax_loops() {
  static const SoftmaxTable& best = best_instruction_set() == 2   ? avx512::softmax_table
                                    : best_instruction_set() == 1 ? avx2::softmax_table
                                                                  : baseline::softmax_table;
  if constexpr (std::is_same_v<T, float>) {
    return best.float32;
  } else {
    return best.float64;
  }
}

}  // namespace dyad::kernels
