// Draws from the counter-based stream: element i depends on the stream and i alone, as on the CPU.

#include "kernels/cuda/device/storage.h"

#include <cmath>

#include "kernels/cuda/params/random.h"
#include "runtime/philox.h"

namespace dyad::cuda::device {

DYAD_DEVICE_INLINE float unit_float(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
DYAD_DEVICE_INLINE double unit_double(uint32_t high, uint32_t low) {
  return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

/// Elements from each position of the stream.
template <class T>
inline constexpr int kPerPosition = sizeof(T) == 8 ? 2 : 4;

/// Calls `draw(words, elements)` for each position and stores what it gives.
template <class S, class Draw>
DYAD_DEVICE_INLINE void fill(const RandomParams& p, Draw draw) {
  using T = Computed<S>;
  constexpr int per = kPerPosition<T>;
  DYAD_FOR_EACH(position, (p.count + per - 1) / per) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    T elements[per];
    draw(random.words, elements);
    for (int k = 0; k < per; ++k) {
      if (position * per + k < p.count) static_cast<S*>(p.out)[position * per + k] = S(elements[k]);
    }
  }
}

template <class S>
DYAD_DEVICE_INLINE void uniform(const RandomParams& p) {
  using T = Computed<S>;
  const T low = static_cast<T>(p.low);
  const T span = static_cast<T>(p.span);
  fill<S>(p, [&](const uint32_t* w, T* e) {
    if constexpr (std::is_same_v<T, double>) {
      e[0] = low + span * unit_double(w[0], w[1]);
      e[1] = low + span * unit_double(w[2], w[3]);
    } else {
      for (int k = 0; k < 4; ++k) e[k] = low + span * unit_float(w[k]);
    }
  });
}

template <class T>
DYAD_DEVICE_INLINE void normal_pair(T u1, T u2, T* e) {
  const T radius = __builtin_sqrt(T(-2) * math::log(T(1) - u1));
  const T angle = T(2) * static_cast<T>(3.14159265358979323846) * u2;
  e[0] = radius * std::cos(angle);
  e[1] = radius * std::sin(angle);
}

template <class S>
DYAD_DEVICE_INLINE void normal(const RandomParams& p) {
  using T = Computed<S>;
  fill<S>(p, [](const uint32_t* w, T* e) {
    if constexpr (std::is_same_v<T, double>) {
      normal_pair(unit_double(w[0], w[1]), unit_double(w[2], w[3]), e);
    } else {
      normal_pair(unit_float(w[0]), unit_float(w[1]), e);
      normal_pair(unit_float(w[2]), unit_float(w[3]), e + 2);
    }
  });
}

template <class S>
DYAD_DEVICE_INLINE void dropout(const DropoutParams& p) {
  using T = Computed<S>;
  const T scale = static_cast<T>(p.scale);
  DYAD_FOR_EACH(position, (p.count + 3) / 4) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    for (int k = 0; k < 4; ++k) {
      const int64_t i = position * 4 + k;
      if (i >= p.count) break;
      const bool keep = (random.words[k] >> 1) >= p.limit;
      p.kept[i] = keep;
      static_cast<S*>(p.out)[i] = keep ? S(static_cast<T>(static_cast<const S*>(p.in)[i]) * scale) : S(T(0));
    }
  }
}

/// The upper half of a 128-bit product scales a 64-bit number to the range.
DYAD_DEVICE_KERNEL(random_integers, RandomIntegerParams) {
  DYAD_FOR_EACH(position, (p.count + 1) / 2) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    for (int k = 0; k < 2; ++k) {
      const int64_t i = position * 2 + k;
      if (i >= p.count) break;
      const uint64_t bits = uint64_t{random.words[2 * k]} << 32 | random.words[2 * k + 1];
      const auto scaled = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * p.span) >> 64);
      static_cast<int64_t*>(p.out)[i] = static_cast<int64_t>(static_cast<uint64_t>(p.low) + scaled);
    }
  }
}

DYAD_FLOAT_KERNELS(random_uniform, RandomParams, uniform)
DYAD_FLOAT_KERNELS(random_normal, RandomParams, normal)
DYAD_FLOAT_KERNELS(dropout, DropoutParams, dropout)

}  // namespace dyad::cuda::device
