#pragma once

#include <type_traits>

#include "kernels/cpu/best_table.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/softmax_table.h"

namespace dyad::kernels {

/// The loops for the best instruction set of this machine.
template <class T>
const SoftmaxLoops<T>& softmax_loops() {
  static const SoftmaxTable& best =
      best_table(baseline::softmax_table, avx2::softmax_table, avx512::softmax_table);
  return loops_in<T>(best);
}

}  // namespace dyad::kernels
