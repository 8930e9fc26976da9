// Sequences of numbers, ones along a diagonal, and places in a triangle.

#include "kernels/cuda/params/create.h"
#include "kernels/cuda/device/dtypes.h"

namespace dyad::cuda::device {

DYAD_DEVICE_KERNEL(sequence_integer, SequenceParams) {
  DYAD_FOR_EACH(i, p.count) {
    const uint64_t number = static_cast<uint64_t>(p.first_integer) +
                            static_cast<uint64_t>(i) * static_cast<uint64_t>(p.step_integer);
    store_as(p.dtype, p.out, i, static_cast<int64_t>(number));
  }
}

DYAD_DEVICE_KERNEL(sequence_real, SequenceParams) {
  DYAD_FOR_EACH(i, p.count) {
    const double number = p.first + static_cast<double>(i) * p.step;
    store_as(p.dtype, p.out, i, p.ends && i == p.count - 1 ? p.end : number);
  }
}

template <class T>
DYAD_DEVICE_INLINE void eye(const EyeParams& p) {
  T one;
  __builtin_memcpy(&one, p.one, sizeof(T));
  DYAD_FOR_EACH(i, p.count) static_cast<T*>(p.out)[i] = i / p.columns == i % p.columns ? one : T{};
}

DYAD_DEVICE_KERNEL(eye_1, EyeParams) { eye<uint8_t>(p); }
DYAD_DEVICE_KERNEL(eye_2, EyeParams) { eye<uint16_t>(p); }
DYAD_DEVICE_KERNEL(eye_4, EyeParams) { eye<uint32_t>(p); }
DYAD_DEVICE_KERNEL(eye_8, EyeParams) { eye<uint64_t>(p); }
DYAD_DEVICE_KERNEL(eye_16, EyeParams) { eye<Pack<uint64_t, 2>>(p); }

DYAD_DEVICE_INLINE int64_t within(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/// How many places of the triangle lie in rows before `r`: rows gain (or lose) a place each, up to whole
/// ones.
DYAD_DEVICE_INLINE int64_t places_before(const TriangleParams& p, int64_t r) {
  const int64_t rows = r - p.first;
  if (p.upper) {
    const int64_t whole = within(-p.offset, 0, rows);
    const int64_t others = rows - whole;
    const int64_t longest = p.columns - (p.offset > 0 ? p.offset : 0);
    return whole * p.columns + others * longest - others * (others - 1) / 2;
  }
  const int64_t shortest = p.first + p.offset + 1;
  const int64_t growing = within(p.columns - shortest, 0, rows);
  return growing * shortest + growing * (growing - 1) / 2 + (rows - growing) * p.columns;
}

DYAD_DEVICE_KERNEL(triangle_indices, TriangleParams) {
  DYAD_FOR_EACH(i, p.count) {
    int64_t low = p.first;
    int64_t high = p.last;  // the row is in [low, high)
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (places_before(p, middle) <= i ? low : high) = middle;
    }
    const int64_t before = p.upper ? within(low + p.offset, 0, p.columns) : 0;
    store_as(p.dtype, p.out, i, low);
    store_as(p.dtype, p.out, p.count + i, before + i - places_before(p, low));
  }
}

}  // namespace dyad::cuda::device
