#include "data/image/resize_taps.h"

#include <smmintrin.h>

#include <algorithm>
#include <cstring>

namespace dyad::data {

namespace {

/// Numbers between the two passes have this many bits after the point: what overshoots still fits in 16 bits.
constexpr int kMiddleBits = 6;
constexpr int kDownShift = kWeightBits - kMiddleBits;
constexpr int kAcrossShift = kWeightBits + kMiddleBits;
/// Elements after a row of the middle that may be read, with weight zero.
constexpr int64_t kSpare = 16;

int64_t even(int64_t count) { return (count + 1) / 2 * 2; }

/// Two weights side by side, in each lane.
__m128i weight_pair(const int16_t* weights) {
  int32_t pair = 0;
  std::memcpy(&pair, weights, sizeof pair);
  return _mm_set1_epi32(pair);
}

__m128i load_bytes(const uint8_t* from) {
  return _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

/// Eight columns: the weighted sum of `given` rows that lie `stride` apart. `kCount` is their number where it
/// is known while compiling, 0 otherwise.
template <int kCount>
void down_eight(const uint8_t* from, int64_t stride, const int16_t* weights, int64_t given, int16_t* to) {
  const int64_t count = kCount ? kCount : given;
  const __m128i half = _mm_set1_epi32(1 << (kDownShift - 1));
  __m128i low = half;
  __m128i high = half;
  for (int64_t k = 0; k < count; k += 2) {
    const __m128i a = load_bytes(from + k * stride);
    const __m128i b = k + 1 < count ? load_bytes(from + (k + 1) * stride) : _mm_setzero_si128();
    const __m128i pair = weight_pair(weights + k);
    low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), pair));
    high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), pair));
  }
  const __m128i sum = _mm_packs_epi32(_mm_srai_epi32(low, kDownShift), _mm_srai_epi32(high, kDownShift));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), sum);
}

/// All of a row that eight columns at a time cover; gives how far that is.
template <int kCount>
int64_t down_vectors(const uint8_t* from, int64_t stride, const int16_t* weights, int64_t count,
                     int16_t* to) {
  int64_t x = 0;
  for (; x + 8 <= stride; x += 8) down_eight<kCount>(from + x, stride, weights, count, to + x);
  return x;
}

void down_row(const uint8_t* from, int64_t stride, const int16_t* weights, int64_t count, int16_t* to) {
  const auto down = count == 2 ? down_vectors<2> : down_vectors<0>;
  for (int64_t x = down(from, stride, weights, count, to); x < stride; ++x) {
    int sum = 1 << (kDownShift - 1);
    for (int64_t k = 0; k < count; ++k) sum += from[k * stride + x] * weights[k];
    to[x] = static_cast<int16_t>(sum >> kDownShift);
  }
}

uint8_t byte_of(int sum) {
  return static_cast<uint8_t>(std::clamp((sum + (1 << (kAcrossShift - 1))) >> kAcrossShift, 0, 255));
}

/// Three or four channels: one pixel in the four lanes. `kCount` as above.
template <int kChannels, int kCount>
void across_pixels(const int16_t* from, const Taps& taps, const int16_t* weights, int64_t given,
                   uint8_t* to) {
  const int64_t count = kCount ? kCount : given;
  const __m128i half = _mm_set1_epi32(1 << (kAcrossShift - 1));
  for (int64_t x = 0; x < taps.size(); ++x, weights += count, to += kChannels) {
    const int16_t* window = from + taps.first[static_cast<size_t>(x)] * kChannels;
    __m128i sum = half;
    for (int64_t k = 0; k < count; k += 2) {
      const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(window + k * kChannels));
      const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(window + (k + 1) * kChannels));
      sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), weight_pair(weights + k)));
    }
    const __m128i words = _mm_packs_epi32(_mm_srai_epi32(sum, kAcrossShift), sum);
    const int32_t pixel = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    std::memcpy(to, &pixel, kChannels);
  }
}

void across_elements(const int16_t* from, const Taps& taps, const int16_t* weights, int64_t count,
                     int64_t channels, uint8_t* to) {
  for (int64_t x = 0; x < taps.size(); ++x, weights += count, to += channels) {
    const int16_t* window = from + taps.first[static_cast<size_t>(x)] * channels;
    for (int64_t c = 0; c < channels; ++c) {
      int sum = 0;
      for (int64_t k = 0; k < taps.count; ++k) sum += window[k * channels + c] * weights[k];
      to[c] = byte_of(sum);
    }
  }
}

void across_row(const int16_t* from, const Taps& taps, const int16_t* weights, int64_t count,
                int64_t channels, uint8_t* to) {
  if (channels == 3 && count == 2) return across_pixels<3, 2>(from, taps, weights, count, to);
  if (channels == 3) return across_pixels<3, 0>(from, taps, weights, count, to);
  if (channels == 4) return across_pixels<4, 0>(from, taps, weights, count, to);
  across_elements(from, taps, weights, count, channels, to);
}

}  // namespace

void resize_bytes(const Image& from, const Image& to, const Taps& down, const Taps& across) {
  const int64_t down_count = even(down.count);
  const int64_t across_count = even(across.count);
  const std::vector<int16_t> down_weights = fixed_weights(down, down_count);
  const std::vector<int16_t> across_weights = fixed_weights(across, across_count);
  std::vector<int16_t> middle(static_cast<size_t>(from.row_size() + kSpare));
  for (int64_t y = 0; y < to.height; ++y) {
    down_row(from.row<const uint8_t>(down.first[static_cast<size_t>(y)]), from.row_size(),
             down_weights.data() + y * down_count, down.count, middle.data());
    across_row(middle.data(), across, across_weights.data(), across_count, to.channels, to.row<uint8_t>(y));
  }
}

}  // namespace dyad::data
