#pragma once

// Sums of a line in as many lanes for every instruction set, so that results do not depend on the machine.
// Included by files that are compiled once per instruction set.

#include <cstdint>

namespace dyad::kernels::DYAD_ISA {

static constexpr int64_t kLanes = 64;

/// Joins kLanes partial results as a tree.
template <class T, class Join>
static inline T join_lanes(T* lane, Join join) {
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width; ++i) lane[i] = join(lane[i], lane[i + width]);
  }
  return lane[0];
}

/// Σ term(i) for i < count; term may have side effects on element i alone.
template <class T, class Term>
static inline T sum_lanes(int64_t count, Term term) {
  T lane[kLanes] = {};
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
#pragma GCC ivdep
    for (int64_t k = 0; k < kLanes; ++k) lane[k] += term(i + k);
  }
#pragma GCC ivdep
  for (int64_t k = 0; k < count - whole; ++k) lane[k] += term(whole + k);
  return join_lanes(lane, [](T a, T b) { return a + b; });
}

}  // namespace dyad::kernels::DYAD_ISA
