// Sequences of numbers, and ones along a diagonal.

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

}  // namespace dyad::cuda::device
