// Elements read and written where index tensors say.

#include "kernels/cuda/params/index.h"
#include "kernels/cuda/device/dtypes.h"
#include "kernels/cuda/device/faults.h"
#include "kernels/cuda/device/strided.h"

namespace dyad::cuda::device {

/// Where the chosen element `number` lies: among the chosen, and in the tensor.
struct Chosen {
  int64_t place;
  int64_t element;
};
template <int indices>
DYAD_DEVICE_INLINE Chosen find_chosen(const IndexParams<indices>& p, uint32_t number) {
  int64_t at[indices + 2];
  find_element(p.walk, number, at);
  int64_t element = at[1];
#pragma unroll
  for (int k = 0; k < indices; ++k) {
    if (static_cast<uint32_t>(k) < p.indices_used)
      element += checked_index(p.index[k][at[k + 2]], p.size[k], p.fault, p.ticket) * p.step[k];
  }
  return {at[0], element};
}

template <class T, int indices>
DYAD_DEVICE_INLINE void gather(const IndexParams<indices>& p) {
  const auto step = static_cast<uint32_t>(global_threads());
  for (auto i = static_cast<uint32_t>(global_thread()); i < p.count; i += step) {
    const Chosen chosen = find_chosen(p, i);
    static_cast<T*>(p.chosen)[chosen.place] = static_cast<const T*>(p.indexed)[chosen.element];
  }
}

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
DYAD_DEVICE_INLINE T meet(Meeting meeting, T a, T b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(meet<float>(meeting, static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::is_same_v<T, bool>) {
    switch (meeting) {
      case Meeting::kAdd:
      case Meeting::kMax:
        return a || b;
      case Meeting::kMul:
      case Meeting::kMin:
        return a && b;
      case Meeting::kSub:
        return a != b;
      default:
        return b;
    }
  } else {
    switch (meeting) {
      case Meeting::kAdd:
        return static_cast<T>(a + b);
      case Meeting::kSub:
        return static_cast<T>(a - b);
      case Meeting::kMul:
        return static_cast<T>(a * b);
      case Meeting::kDiv:
        if constexpr (!std::is_integral_v<T>) return a / b;
        return a;  // the host does it, which can refuse zeros
      case Meeting::kMax:
        if constexpr (!is_complex_number<T>) return (a != a) | (a > b) ? a : b;
        return b;
      case Meeting::kMin:
        if constexpr (!is_complex_number<T>) return (a != a) | (a < b) ? a : b;
        return b;
      default:
        return b;
    }
  }
}

/// Replaces an element by what it becomes when `value` meets it, whoever else does so at the same time.
template <class T>
DYAD_DEVICE_INLINE void meet_at(Meeting meeting, T* at, T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
                std::is_same_v<T, uint32_t> || std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
    if (meeting == Meeting::kAdd) {
      atomic_add(at, value);
      return;
    }
  }
  if constexpr (sizeof(T) == 16) {  // sums alone: their parts do not depend on each other
    auto* parts = reinterpret_cast<double*>(at);
    atomic_add(parts, value.real());
    atomic_add(parts + 1, value.imag());
  } else {
    using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const auto address = reinterpret_cast<uintptr_t>(at);
    auto* word = reinterpret_cast<Word*>(address & ~static_cast<uintptr_t>(sizeof(Word) - 1));
    const auto shift = static_cast<uint32_t>(address % sizeof(Word)) * 8;
    Word seen = *const_cast<volatile Word*>(word);
    while (true) {
      T there;
      const Word moved = seen >> shift;
      __builtin_memcpy(&there, &moved, sizeof(T));
      const T wanted = meet<T>(meeting, there, value);
      Word bits = 0;
      __builtin_memcpy(&bits, &wanted, sizeof(T));
      constexpr Word kOnes =
          sizeof(T) == sizeof(Word) ? ~Word(0) : (Word(1) << (sizeof(T) % sizeof(Word) * 8)) - 1;
      const Word next = (seen & ~(kOnes << shift)) | (bits << shift);
      const Word found = atomic_cas(word, seen, next);
      if (found == seen) return;
      seen = found;
    }
  }
}

template <class T, int indices>
DYAD_DEVICE_INLINE void write(const IndexParams<indices>& p) {
  T number;
  __builtin_memcpy(&number, p.number, sizeof(T));
  const auto step = static_cast<uint32_t>(global_threads());
  for (auto i = static_cast<uint32_t>(global_thread()); i < p.count; i += step) {
    const Chosen chosen = find_chosen(p, i);
    const T value = p.is_number ? number : static_cast<const T*>(p.chosen)[chosen.place];
    T* at = static_cast<T*>(p.indexed) + chosen.element;
    if (p.meeting == Meeting::kNone) {
      *at = value;
    } else {
      meet_at(p.meeting, at, value);
    }
  }
}

using Wide = Pack<uint64_t, 2>;

#define DYAD_INDEX_GATHER(bytes, T)                                              \
  DYAD_DEVICE_KERNEL(index_gather_one_##bytes, OneIndexParams) { gather<T>(p); } \
  DYAD_DEVICE_KERNEL(index_gather_many_##bytes, ManyIndexParams) { gather<T>(p); }
DYAD_INDEX_GATHER(1, uint8_t)
DYAD_INDEX_GATHER(2, uint16_t)
DYAD_INDEX_GATHER(4, uint32_t)
DYAD_INDEX_GATHER(8, uint64_t)
DYAD_INDEX_GATHER(16, Wide)

#define DYAD_INDEX_WRITE(T, dtype)                                             \
  DYAD_DEVICE_KERNEL(index_write_one_##dtype, OneIndexParams) { write<T>(p); } \
  DYAD_DEVICE_KERNEL(index_write_many_##dtype, ManyIndexParams) { write<T>(p); }
DYAD_FOR_DTYPES(DYAD_INDEX_WRITE)

}  // namespace dyad::cuda::device
