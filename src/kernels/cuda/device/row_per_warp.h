#pragma once

#include "kernels/cuda/device/block_reduce.h"
#include "kernels/cuda/device/storage.h"

namespace dyad::cuda::device {

/// A warp that works on a line.
struct WarpTeam {
  static constexpr bool kOneWarp = true;
  DYAD_DEVICE_INLINE static uint32_t member() { return lane(); }
  DYAD_DEVICE_INLINE static uint32_t members() { return kWarpSize; }
  DYAD_DEVICE_INLINE static int64_t first_line() { return global_thread() / kWarpSize; }
  DYAD_DEVICE_INLINE static int64_t line_step() { return global_threads() / kWarpSize; }
  template <class T, class Combine>
  DYAD_DEVICE_INLINE static T reduce(T value, Combine combine, T*) {
    return reduce_warp(value, combine);
  }
};
/// A block that works on a line.
struct BlockTeam {
  static constexpr bool kOneWarp = false;
  DYAD_DEVICE_INLINE static uint32_t member() { return thread_x(); }
  DYAD_DEVICE_INLINE static uint32_t members() { return threads_x(); }
  DYAD_DEVICE_INLINE static int64_t first_line() { return block_x(); }
  DYAD_DEVICE_INLINE static int64_t line_step() { return blocks_x(); }
  template <class T, class Combine>
  DYAD_DEVICE_INLINE static T reduce(T value, Combine combine, T* places) {
    return reduce_block(value, combine, places);
  }
};

/// A line in one piece, read by a team: 16 bytes at a time where it lies so, and once, into registers, where
/// it has no more than `kept` elements for each member. Many are kept only of lines that lie in packs, with
/// one question for a pack: one for each element takes so many registers that few warps fit.
template <class S, class Team, int kept>
class TeamLine {
 public:
  using T = Computed<S>;
  static constexpr int kPack = 16 / sizeof(S) < kept ? 16 / sizeof(S) : kept;
  static constexpr bool kFew = kept <= 8;

  DYAD_DEVICE_INLINE TeamLine(const S* line, int64_t count)
      : line_(line),
        count_(count),
        packed_(lies_in_packs(line, count)),
        kept_((kFew || packed_) && count <= static_cast<int64_t>(Team::members()) * kept) {
    if (!kept_) return;
    if (packed_) {
#pragma unroll
      for (int k = 0; k < kept; k += kPack) {
        Pack<S, kPack> read{};
        if (in_line(k)) read = *reinterpret_cast<const Pack<S, kPack>*>(line + place(k));
#pragma unroll
        for (int j = 0; j < kPack; ++j) values_[k + j] = static_cast<T>(read.at[j]);
      }
    } else if constexpr (kFew) {
#pragma unroll
      for (int k = 0; k < kept; ++k) values_[k] = in_line(k) ? static_cast<T>(line[place(k)]) : T(0);
    }
  }

  DYAD_DEVICE_INLINE bool kept_in_registers() const { return kept_; }

  /// Calls `visit(i, x)` for the elements of this member; what it makes of `x` stays only where the line is
  /// kept.
  template <class Visit>
  DYAD_DEVICE_INLINE void each(Visit visit) {
    if (kept_) return for_each_kept([&](int k) { visit(place(k), values_[k]); });
    for_each_long([&](int64_t i, T x) { visit(i, x); });
  }

  /// As `each`, with the elements of a second line of the same length.
  template <class Visit>
  DYAD_DEVICE_INLINE void each_with(const TeamLine& other, Visit visit) const {
    if (kept_ && packed_ == other.packed_) {
      return for_each_kept([&](int k) { visit(place(k), values_[k], other.values_[k]); });
    }
    for_each_long([&](int64_t i, T x) { visit(i, x, static_cast<T>(other.line_[i])); });
  }
  /// As `store`, with the elements of a second line of the same length.
  template <class Make>
  DYAD_DEVICE_INLINE void store_with(const TeamLine& other, S* out, Make make) {
    if (!kept_ || packed_ != other.packed_) {
      return for_each_long([&](int64_t i, T x) { out[i] = S(make(i, x, static_cast<T>(other.line_[i]))); });
    }
    for_each_kept([&](int k) { values_[k] = make(place(k), values_[k], other.values_[k]); });
    store(out, [](int64_t, T x) { return x; });
  }

  /// Writes `make(i, x)` of every element.
  template <class Make>
  DYAD_DEVICE_INLINE void store(S* out, Make make) {
    if (!kept_) return for_each_long([&](int64_t i, T x) { out[i] = S(make(i, x)); });
    if (!packed_ || !lies_in_packs(out, count_)) {
      return for_each_kept([&](int k) { out[place(k)] = S(make(place(k), values_[k])); });
    }
#pragma unroll
    for (int k = 0; k < kept; k += kPack) {
      if (!in_line(k)) continue;
      Pack<S, kPack> made;
#pragma unroll
      for (int j = 0; j < kPack; ++j) made.at[j] = S(make(place(k) + j, values_[k + j]));
      *reinterpret_cast<Pack<S, kPack>*>(out + place(k)) = made;
    }
  }

 private:
  DYAD_DEVICE_INLINE static bool lies_in_packs(const S* line, int64_t count) {
    return count % kPack == 0 && reinterpret_cast<uint64_t>(line) % sizeof(Pack<S, kPack>) == 0;
  }
  /// The place in the line of the member's element `k`; lines that are kept have few elements.
  DYAD_DEVICE_INLINE uint32_t place(int k) const {
    const uint32_t at = static_cast<uint32_t>(k);
    const uint32_t step = Team::members();
    return packed_ ? (at / kPack * step + Team::member()) * kPack + at % kPack : at * step + Team::member();
  }
  DYAD_DEVICE_INLINE bool in_line(int k) const { return place(k) < static_cast<uint32_t>(count_); }
  /// Calls `visit(k)` for the member's elements of a line that is kept.
  template <class Visit>
  DYAD_DEVICE_INLINE void for_each_kept(Visit visit) const {
    if (packed_) {
#pragma unroll
      for (int k = 0; k < kept; k += kPack) {
        if (!in_line(k)) continue;
#pragma unroll
        for (int j = 0; j < kPack; ++j) visit(k + j);
      }
    } else if constexpr (kFew) {
#pragma unroll
      for (int k = 0; k < kept; ++k) {
        if (in_line(k)) visit(k);
      }
    }
  }
  template <class Visit>
  DYAD_DEVICE_INLINE void for_each_long(Visit visit) const {
    if (!packed_) {
      for (int64_t i = Team::member(); i < count_; i += Team::members()) visit(i, static_cast<T>(line_[i]));
      return;
    }
    const auto step = static_cast<int64_t>(Team::members()) * kPack;
    for (int64_t i = static_cast<int64_t>(Team::member()) * kPack; i < count_; i += step) {
      const auto read = *reinterpret_cast<const Pack<S, kPack>*>(line_ + i);
#pragma unroll
      for (int j = 0; j < kPack; ++j) visit(i + j, static_cast<T>(read.at[j]));
    }
  }

  const S* line_;
  int64_t count_;
  bool packed_;
  bool kept_;
  T values_[kept];
};

}  // namespace dyad::cuda::device

/// Kernels of a function `body<S, Team, kept>(p)` for each floating-point dtype: for lines up to 256 elements
/// (`NAME_short…`) and up to 1024 (`NAME_warp…`) with a warp for each, and for any with a block
/// (`NAME_line…`).
#define DYAD_TEAM_KERNEL_(name, Params, body, S, dtype)          \
  DYAD_DEVICE_KERNEL(name##_short_##dtype, Params) {             \
    body<S, ::dyad::cuda::device::WarpTeam, kShortLine / 32>(p); \
  }                                                              \
  DYAD_DEVICE_KERNEL(name##_warp_##dtype, Params) {              \
    body<S, ::dyad::cuda::device::WarpTeam, kWarpLine / 32>(p);  \
  }                                                              \
  DYAD_DEVICE_KERNEL(name##_line_##dtype, Params) {              \
    body<S, ::dyad::cuda::device::BlockTeam, kKeptByThread>(p);  \
  }
#define DYAD_TEAM_KERNELS(name, Params, body)            \
  DYAD_TEAM_KERNEL_(name, Params, body, float, float32)  \
  DYAD_TEAM_KERNEL_(name, Params, body, double, float64) \
  DYAD_TEAM_KERNEL_(name, Params, body, Half, float16)   \
  DYAD_TEAM_KERNEL_(name, Params, body, BFloat16, bfloat16)
