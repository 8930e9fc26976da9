#include "data/image/normalize_kernels.h"

#include <smmintrin.h>

#include <array>
#include <cstring>

#include "data/image/image.h"

namespace dyad::data {

namespace {

constexpr int64_t kLanes = 4;
using Floats = float __attribute__((vector_size(16)));

Floats load(const float* from) {
  Floats lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// The first four bytes.
Floats floats_of(__m128i bytes) { return _mm_cvtepi32_ps(_mm_cvtepu8_epi32(bytes)); }

Floats load(const uint8_t* from) {
  int32_t four = 0;
  std::memcpy(&four, from, sizeof four);
  return floats_of(_mm_cvtsi32_si128(four));
}

void store(float* to, Floats lanes) { std::memcpy(to, &lanes, sizeof lanes); }

/// The constants of consecutive elements, for as many as it takes until they repeat at the start of a vector.
template <int kVectors>
struct Pattern {
  std::array<Floats, kVectors> shift;
  std::array<Floats, kVectors> factor;

  Pattern(const Affine& affine, int64_t channels) {
    for (int64_t i = 0; i < kVectors * kLanes; ++i) {
      shift[static_cast<size_t>(i / kLanes)][i % kLanes] = affine.shift_of(i % channels);
      factor[static_cast<size_t>(i / kLanes)][i % kLanes] = affine.factor_of(i % channels);
    }
  }
};

template <class T>
void affine_elements(const T* from, float* to, int64_t first, int64_t count, int64_t channels,
                     const Affine& affine) {
  for (int64_t i = first; i < count; ++i) {
    const int64_t c = i % channels;
    to[i] = (static_cast<float>(from[i]) * affine.scale + affine.shift_of(c)) * affine.factor_of(c);
  }
}

template <int kVectors, class T>
void affine_vectors(const T* from, float* to, int64_t count, int64_t channels, const Affine& affine) {
  const Pattern<kVectors> pattern(affine, channels);
  const int64_t step = kVectors * kLanes;
  int64_t i = 0;
  for (; i + step <= count; i += step)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      store(to + i + v * kLanes,
            (load(from + i + v * kLanes) * affine.scale + pattern.shift[v]) * pattern.factor[v]);
  affine_elements(from, to, i, count, channels, affine);
}

template <class T>
void affine_interleaved(const T* from, float* to, int64_t count, int64_t channels, const Affine& affine) {
  if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, float>) {
    if (channels == 3) return affine_vectors<3>(from, to, count, channels, affine);
    if (channels == 1 || channels == 2 || channels == 4)
      return affine_vectors<1>(from, to, count, channels, affine);
  }
  affine_elements(from, to, 0, count, channels, affine);
}

/// The constants of one channel alone.
Affine of_channel(const Affine& affine, int64_t c) {
  return {affine.scale, {affine.shift_of(c)}, {affine.factor_of(c)}};
}

template <class T>
void affine_strided(const T* from, float* to, int64_t first, int64_t pixels, int64_t channels,
                    const Affine& affine) {
  for (int64_t c = 0; c < channels; ++c) {
    const float shift = affine.shift_of(c);
    const float factor = affine.factor_of(c);
    for (int64_t i = first; i < pixels; ++i)
      to[c * pixels + i] = (static_cast<float>(from[i * channels + c]) * affine.scale + shift) * factor;
  }
}

/// Four pixels of three bytes at a time; gives how many pixels are done.
int64_t affine_rgb_to_planes(const uint8_t* from, float* to, int64_t pixels, const Affine& affine) {
  const __m128i order = _mm_setr_epi8(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 12, 13, 14, 15);
  const auto change = [scale = affine.scale](__m128i bytes, float shift, float factor) {
    return (floats_of(bytes) * scale + shift) * factor;
  };
  const std::array<float, 3> shift{affine.shift_of(0), affine.shift_of(1), affine.shift_of(2)};
  const std::array<float, 3> factor{affine.factor_of(0), affine.factor_of(1), affine.factor_of(2)};
  int64_t i = 0;
  for (; i * 3 + 16 <= pixels * 3; i += kLanes) {
    const __m128i given = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * 3));
    const __m128i planes = _mm_shuffle_epi8(given, order);
    store(to + i, change(planes, shift[0], factor[0]));
    store(to + pixels + i, change(_mm_srli_si128(planes, 4), shift[1], factor[1]));
    store(to + 2 * pixels + i, change(_mm_srli_si128(planes, 8), shift[2], factor[2]));
  }
  return i;
}

}  // namespace

void affine_pixels(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                   const Affine& affine) {
  visit_real("image", dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    affine_interleaved(static_cast<const T*>(from), to, pixels * channels, channels, affine);
  });
}

void affine_planes(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                   const Affine& affine) {
  visit_real("image", dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    for (int64_t c = 0; c < channels; ++c)
      affine_interleaved(static_cast<const T*>(from) + c * pixels, to + c * pixels, pixels, 1,
                         of_channel(affine, c));
  });
}

void affine_to_planes(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                      const Affine& affine) {
  if (channels == 1) return affine_pixels(dtype, from, to, pixels, channels, affine);
  visit_real("image", dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    const T* elements = static_cast<const T*>(from);
    int64_t done = 0;
    if constexpr (std::is_same_v<T, uint8_t>)
      if (channels == 3) done = affine_rgb_to_planes(elements, to, pixels, affine);
    affine_strided(elements, to, done, pixels, channels, affine);
  });
}

}  // namespace dyad::data
