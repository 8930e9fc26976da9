#pragma once

// Sums of a line in as many lanes for every instruction set, so that results do not depend on the machine.
// Included by files that are compiled once per instruction set.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dyad::kernels::DYAD_ISA {

static constexpr int64_t kLanes = 64;

/// `count` elements that the compiler keeps in registers.
template <class T, int64_t count>
struct Pack {
  typedef T type __attribute__((vector_size(static_cast<std::size_t>(count) * sizeof(T))));
};

/// The elements of a pack joined as a tree: the upper half meets the lower until one is left.
template <class T, int64_t count, class Join, int... i>
static inline T join_pack(const typename Pack<T, count>::type& pack, const Join& join,
                          std::integer_sequence<int, i...>) {
  if constexpr (count == 2) {
    T first = pack[0];
    join(first, pack[1]);
    return first;
  } else {
    typename Pack<T, count / 2>::type lower = __builtin_shufflevector(pack, pack, i...);
    join(lower, __builtin_shufflevector(pack, pack, (i + count / 2)...));
    return join_pack<T, count / 2>(lower, join, std::make_integer_sequence<int, count / 4>());
  }
}

/// Joins kLanes partial results as a tree; `join(a, b)` lets b meet a, both elements or packs of them.
template <class T, class Join>
static inline T join_lanes(const T* lane, const Join& join) {
  constexpr int64_t kWide = 64 / sizeof(T);
  constexpr int64_t kPacks = kLanes / kWide;
  typename Pack<T, kWide>::type pack[kPacks];
  __builtin_memcpy(pack, lane, sizeof(pack));
  for (int64_t width = kPacks / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width; ++i) join(pack[i], pack[i + width]);
  }
  return join_pack<T, kWide>(pack[0], join, std::make_integer_sequence<int, kWide / 2>());
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
  return join_lanes(lane, [](auto& a, const auto& b) { a += b; });
}

}  // namespace dyad::kernels::DYAD_ISA
