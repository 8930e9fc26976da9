// One number for every element, by the size of the element.

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/cuda/params/create.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE void fill(const FillParams& p) {
  T number;
  __builtin_memcpy(&number, p.number, sizeof(T));
  T* out = static_cast<T*>(p.out);
  DYAD_FOR_EACH(i, p.count) out[i] = number;
}

DYAD_DEVICE_KERNEL(fill_1, FillParams) { fill<uint8_t>(p); }
DYAD_DEVICE_KERNEL(fill_2, FillParams) { fill<uint16_t>(p); }
DYAD_DEVICE_KERNEL(fill_4, FillParams) { fill<uint32_t>(p); }
DYAD_DEVICE_KERNEL(fill_8, FillParams) { fill<uint64_t>(p); }
DYAD_DEVICE_KERNEL(fill_16, FillParams) { fill<Pack<uint64_t, 2>>(p); }

}  // namespace dyad::cuda::device
