#pragma once

#include <type_traits>

#include "kernels/cpu/best_table.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/norm_table.h"

namespace dyad::kernels {

/// The loops for the best instruction set of this machine.
template <class T>
const NormLoops<T>& norm_loops() {
  static const NormTable& best = best_table(baseline::norm_table, avx2::norm_table, avx512::norm_table);
  return loops_in<T>(best);
}

}  // namespace dyad::kernels
