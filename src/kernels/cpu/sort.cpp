// Sorting along one axis. Elements are turned into unsigned keys of the same order, joined with their
// positions, so that one comparison of integers decides, equal elements keep their order, and NaN comes after
// every number.

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 12;

template <class T>
using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// An unsigned number that orders as `x` does.
template <class T>
Key<T> key_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return ~Key<T>(0);
    const auto bits = std::bit_cast<Key<T>>(x == T(0) ? T(0) : x);
    constexpr Key<T> sign = Key<T>(1) << (sizeof(T) * 8 - 1);
    return bits & sign ? static_cast<Key<T>>(~bits) : bits | sign;
  } else if constexpr (std::is_signed_v<T>) {
    using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    constexpr Key<T> sign = Key<T>(1) << (sizeof(Key<T>) * 8 - 1);
    return static_cast<Key<T>>(static_cast<Wide>(x)) ^ sign;
  } else {
    return static_cast<Key<T>>(x);
  }
}

/// A key with the position it came from; ordered by both.
struct Place32 {
  uint64_t packed;
  Place32() = default;
  Place32(uint32_t key, int64_t position) : packed(uint64_t{key} << 32 | static_cast<uint32_t>(position)) {}
  int64_t position() const { return static_cast<int64_t>(packed & 0xffffffffu); }
  bool operator<(const Place32& other) const { return packed < other.packed; }
};
struct Place64 {
  uint64_t key;
  int64_t at;
  Place64() = default;
  Place64(uint64_t key_, int64_t position) : key(key_), at(position) {}
  int64_t position() const { return at; }
  bool operator<(const Place64& other) const { return key != other.key ? key < other.key : at < other.at; }
};
template <class T>
using Place = std::conditional_t<sizeof(T) == 8, Place64, Place32>;

struct Selection {
  int64_t axis;
  int64_t take;  ///< how many elements of a line are wanted
  bool descending;
  bool in_order;
};

DType ordering_dtype(DType dtype) { return dtype == DType::kBool ? DType::kUInt8 : compute_dtype(dtype); }

/// The first `take` places of the sorted line; sorted themselves if wanted.
template <class P>
void select(std::vector<P>& places, const Selection& wanted) {
  const auto middle = places.begin() + wanted.take;
  if (wanted.take < static_cast<int64_t>(places.size())) {
    if (wanted.take > 0) std::nth_element(places.begin(), middle - 1, places.end());
  }
  if (wanted.in_order) std::sort(places.begin(), middle);
}

void sort_lines(const KernelCall& call, const Selection& wanted) {
  const ValueImpl& input = call.in(0);
  ValueImpl& values = call.out(0);
  ValueImpl& index = call.out(1);
  if (values.size() == 0) return;
  const AxisView from(input.shape, wanted.axis);
  const AxisView to(values.shape, wanted.axis);
  if (from.count >= int64_t{1} << 32)
    value_error(call.op(), ": a line of ", from.count,
                " elements is too long; accepted are fewer than 2**32");
  const Contiguous keys(input, ordering_dtype(input.dtype));
  const Contiguous stored(input);
  const Convert store_index = converter(DType::kInt64, index.dtype);
  const int64_t grain = std::max<int64_t>(kGrain / from.count, 1);
  visit_dtype(ordering_dtype(input.dtype), [&]<class T>(Typed<T>) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      visit_width(values.dtype, [&]<class U>(Typed<U>) {
        parallel_for(from.outer * from.inner, grain, [&](int64_t begin, int64_t end) {
          std::vector<Place<T>> places(static_cast<size_t>(from.count));
          for (int64_t line = begin; line < end; ++line) {
            const T* key = keys.as<T>() + from.start(line);
            const U* value = stored.as<U>() + from.start(line);
            for (int64_t i = 0; i < from.count; ++i) {
              const Key<T> up = key_of(key[i * from.inner]);
              places[static_cast<size_t>(i)] = Place<T>(wanted.descending ? static_cast<Key<T>>(~up) : up, i);
            }
            select(places, wanted);
            for (int64_t i = 0; i < wanted.take; ++i) {
              const int64_t position = places[static_cast<size_t>(i)].position();
              const int64_t at = to.start(line) + i * to.inner;
              values.as<U>()[at] = value[position * from.inner];
              store_index(1, &position, index.as<char>() + at * itemsize(index.dtype));
            }
          }
        });
      });
    }
  });
}

/// (input, axis, descending, index_dtype) -> (values, indices)
void run_sort(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const int64_t axis = normalize_axis(call.op(), call.integer(1), std::max<int64_t>(input.rank(), 1));
  sort_lines(call, {axis, AxisView(input.shape, axis).count, call.flag(2), true});
}

/// (input, k, axis, largest, sorted, index_dtype) -> (values, indices)
void run_topk(const KernelCall& call) {
  const int64_t axis = normalize_axis(call.op(), call.integer(2), std::max<int64_t>(call.in(0).rank(), 1));
  sort_lines(call, {axis, call.integer(1), call.flag(3), call.flag(4)});
}

}  // namespace

DYAD_CPU_KERNEL(sort, run_sort);
DYAD_CPU_KERNEL(select_extremes, run_topk);

}  // namespace dyad::kernels
