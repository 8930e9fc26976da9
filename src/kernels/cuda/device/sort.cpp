// Bitonic sorting of lines. Elements become unsigned keys of the same order; of equal ones the first place
// comes first, so that the order does not depend on the steps.

#include "kernels/cuda/params/sort.h"
#include "kernels/cuda/device/dtypes.h"

namespace dyad::cuda::device {

/// An unsigned number that orders as `x` does; NaN comes after every number.
template <class T>
DYAD_DEVICE_INLINE uint64_t key_of(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return key_of(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    if (x != x) return ~uint64_t{0};
    const auto bits = std::bit_cast<Bits>(x == T(0) ? T(0) : x);
    constexpr Bits kSign = Bits(1) << (sizeof(T) * 8 - 1);
    return bits & kSign ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(x)) ^ (uint64_t{1} << 63);
  } else {
    return static_cast<uint64_t>(x);
  }
}

template <class T>
DYAD_DEVICE_INLINE void make_keys(const SortKeysParams& p) {
  DYAD_FOR_EACH(at, p.lines * p.padded) {
    const int64_t line = at / p.padded;
    const int64_t i = at % p.padded;
    if (i < p.count) {
      const int64_t start = line / p.inner * p.count * p.inner + line % p.inner;
      const uint64_t key = key_of(static_cast<const T*>(p.in)[start + i * p.inner]);
      p.keys[at] = p.descending ? ~key : key;
      p.places[at] = static_cast<uint32_t>(i);
    } else {
      p.keys[at] = ~uint64_t{0};
      p.places[at] = ~uint32_t{0};
    }
  }
}

/// Exchanges two elements that are not in the order that the stage wants.
DYAD_DEVICE_INLINE void order_pair(uint64_t* keys, uint32_t* places, int64_t a, int64_t b, bool ascending) {
  const uint64_t key_a = keys[a];
  const uint64_t key_b = keys[b];
  const uint32_t place_a = places[a];
  const uint32_t place_b = places[b];
  const bool behind = key_a > key_b || (key_a == key_b && place_a > place_b);
  if (behind != ascending) return;
  keys[a] = key_b;
  keys[b] = key_a;
  places[a] = place_b;
  places[b] = place_a;
}

/// All steps that stay within a tile, of the stages from `first` to `last`.
DYAD_DEVICE_KERNEL(sort_tiles, SortParams) {
  DYAD_SHARED(uint64_t, keys, kSortTile);
  DYAD_SHARED(uint32_t, places, kSortTile);
  const int64_t tile = p.padded < kSortTile ? p.padded : kSortTile;
  for (int64_t base = block_x() * tile; base < p.elements; base += blocks_x() * tile) {
    for (int64_t i = thread_x(); i < tile; i += threads_x()) {
      keys[i] = p.keys[base + i];
      places[i] = p.places[base + i];
    }
    sync_threads();
    for (int64_t stage = p.first; stage <= p.last; stage *= 2) {
      for (int64_t apart = stage / 2 < tile / 2 ? stage / 2 : tile / 2; apart > 0; apart /= 2) {
        for (int64_t t = thread_x(); t < tile / 2; t += threads_x()) {
          const int64_t i = 2 * t - (t & (apart - 1));
          order_pair(keys, places, i, i + apart, ((base + i) % p.padded & stage) == 0);
        }
        sync_threads();
      }
    }
    for (int64_t i = thread_x(); i < tile; i += threads_x()) {
      p.keys[base + i] = keys[i];
      p.places[base + i] = places[i];
    }
    sync_threads();
  }
}

/// One step between elements that lie further apart.
DYAD_DEVICE_KERNEL(sort_step, SortParams) {
  DYAD_FOR_EACH(t, p.elements / 2) {
    const int64_t i = 2 * t - (t & (p.distance - 1));
    order_pair(p.keys, p.places, i, i + p.distance, (i % p.padded & p.first) == 0);
  }
}

template <class T>
DYAD_DEVICE_INLINE void store_sorted(const SortedParams& p) {
  DYAD_FOR_EACH(at, p.lines * p.take) {
    const int64_t line = at / p.take;
    const int64_t i = at % p.take;
    const int64_t place = p.places[line * p.padded + i];
    const int64_t outer = line / p.inner;
    const int64_t inside = line % p.inner;
    const int64_t to = (outer * p.take + i) * p.inner + inside;
    static_cast<T*>(p.values)[to] = static_cast<const T*>(p.in)[(outer * p.count + place) * p.inner + inside];
    store_as(p.index_dtype, p.index, to, place);
  }
}

/// NaN comes after every number.
DYAD_DEVICE_INLINE bool precedes(double a, double b) { return a == a && (b != b || a < b); }

DYAD_DEVICE_KERNEL(search_sorted, SearchParams) {
  DYAD_FOR_EACH(i, p.count) {
    const double* row = p.sorted + (p.per_row ? i / p.per_row * p.length : 0);
    const double x = p.wanted[i];
    int64_t low = 0;
    int64_t high = p.length;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const bool ahead = p.right ? !precedes(x, row[middle]) : precedes(row[middle], x);
      low = ahead ? middle + 1 : low;
      high = ahead ? high : middle;
    }
    store_as(p.dtype, p.out, i, low);
  }
}

#define DYAD_SORT_KEYS(T, dtype) \
  DYAD_DEVICE_KERNEL(sort_keys_##dtype, SortKeysParams) { make_keys<T>(p); }
DYAD_SORT_KEYS(bool, bool)
DYAD_SORT_KEYS(int8_t, int8)
DYAD_SORT_KEYS(int16_t, int16)
DYAD_SORT_KEYS(int32_t, int32)
DYAD_SORT_KEYS(int64_t, int64)
DYAD_SORT_KEYS(uint8_t, uint8)
DYAD_SORT_KEYS(uint16_t, uint16)
DYAD_SORT_KEYS(uint32_t, uint32)
DYAD_SORT_KEYS(uint64_t, uint64)
DYAD_SORT_KEYS(Half, float16)
DYAD_SORT_KEYS(BFloat16, bfloat16)
DYAD_SORT_KEYS(float, float32)
DYAD_SORT_KEYS(double, float64)

DYAD_DEVICE_KERNEL(store_sorted_1, SortedParams) { store_sorted<uint8_t>(p); }
DYAD_DEVICE_KERNEL(store_sorted_2, SortedParams) { store_sorted<uint16_t>(p); }
DYAD_DEVICE_KERNEL(store_sorted_4, SortedParams) { store_sorted<uint32_t>(p); }
DYAD_DEVICE_KERNEL(store_sorted_8, SortedParams) { store_sorted<uint64_t>(p); }

}  // namespace dyad::cuda::device
