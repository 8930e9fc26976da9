#pragma once

#include "kernels/cuda/device/storage.h"

namespace dyad::cuda::device {

/// Elements of a line that a thread keeps.
inline constexpr int kKept = 8;

/// The line of a block, read once into registers where it is short enough.
template <class S>
class BlockLine {
 public:
  using T = Computed<S>;
  DYAD_DEVICE_INLINE BlockLine(const S* line, int64_t count)
      : line_(line), count_(count), kept_(count <= static_cast<int64_t>(threads_x()) * kKept) {
    if (!kept_) return;
#pragma unroll
    for (int k = 0; k < kKept; ++k) {
      const int64_t i = thread_x() + static_cast<int64_t>(k) * threads_x();
      values_[k] = i < count ? static_cast<T>(line[i]) : T(0);
    }
  }
  /// Puts `change(x)` in the place of each element; of lines that are too long to be kept nothing is changed.
  template <class Change>
  DYAD_DEVICE_INLINE void change(Change change) {
    if (!kept_) return;
#pragma unroll
    for (T& value : values_) value = change(value);
  }
  DYAD_DEVICE_INLINE bool kept() const { return kept_; }
  /// Calls `visit(i, x)` for the elements of this thread.
  template <class Visit>
  DYAD_DEVICE_INLINE void each(Visit visit) const {
    if (kept_) {
#pragma unroll
      for (int k = 0; k < kKept; ++k) {
        const int64_t i = thread_x() + static_cast<int64_t>(k) * threads_x();
        if (i < count_) visit(i, values_[k]);
      }
    } else {
      for (int64_t i = thread_x(); i < count_; i += threads_x()) visit(i, static_cast<T>(line_[i]));
    }
  }

 private:
  const S* line_;
  int64_t count_;
  bool kept_;
  T values_[kKept];
};

}  // namespace dyad::cuda::device
