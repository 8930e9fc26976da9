#pragma once

#include <type_traits>

#include "kernels/cpu/loops.h"

namespace dyad::kernels {

/// Of a table of loops that is compiled once for each instruction set, the one for this machine.
template <class Table>
const Table& best_table(const Table& baseline, const Table& avx2, const Table& avx512) {
  const int best = best_instruction_set();
  return best == 2 ? avx512 : best == 1 ? avx2 : baseline;
}

/// Of a table with loops in float32 and float64, those in T.
template <class T, class Table>
const auto& loops_in(const Table& table) {
  if constexpr (std::is_same_v<T, float>) {
    return table.float32;
  } else {
    return table.float64;
  }
}

}  // namespace dyad::kernels
