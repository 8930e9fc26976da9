#include "kernels/cpu/convert.h"
#include "kernels/cpu/best_table.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert_table.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/strided.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

const ConvertTable& table() {
  static const ConvertTable& best =
      best_table(baseline::convert_table, avx2::convert_table, avx512::convert_table);
  return best;
}

template <class Body>
void with_width(int64_t bytes, Body body) {
  switch (bytes) {
    case 1:
      return body(Typed<uint8_t>{});
    case 2:
      return body(Typed<uint16_t>{});
    case 4:
      return body(Typed<uint32_t>{});
    case 8:
      return body(Typed<uint64_t>{});
    default:
      return body(Typed<Pair64>{});
  }
}

constexpr int64_t kCopyGrain = 1 << 16;

// A transposition of two dimensions moves square tiles, so that both sides touch whole cache lines.
constexpr int64_t kTile = 16;

template <class T>
void copy_tiled(const StridedLoop& loop, const T* from, T* to, int64_t begin, int64_t end) {
  // dimensions: … , rows, columns; the source is contiguous along rows
  const size_t rank = loop.shape.size();
  const int64_t rows = loop.shape[rank - 2];
  const int64_t columns = loop.shape[rank - 1];
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  for (int64_t index = begin; index < end; ++index) {
    const int64_t plane = index / row_tiles;
    const int64_t row0 = index % row_tiles * kTile;
    const int64_t row1 = std::min(rows, row0 + kTile);
    int64_t from_at = 0;
    int64_t to_at = 0;
    int64_t rest = plane;
    for (size_t d = rank - 2; d-- > 0;) {
      from_at += rest % loop.shape[d] * loop.strides[1][d];
      to_at += rest % loop.shape[d] * loop.strides[0][d];
      rest /= loop.shape[d];
    }
    for (int64_t column0 = 0; column0 < columns; column0 += kTile) {
      const int64_t column1 = std::min(columns, column0 + kTile);
      for (int64_t r = row0; r < row1; ++r) {
        const T* source = from + from_at + r * loop.strides[1][rank - 2];
        T* target = to + to_at + r * loop.strides[0][rank - 2];
        for (int64_t c = column0; c < column1; ++c) target[c] = source[c * loop.strides[1][rank - 1]];
      }
    }
  }
}

void copy_same_dtype(const StridedLoop& loop, const ValueImpl& from, ValueImpl& to) {
  const int64_t bytes = itemsize(to.dtype);
  const size_t rank = loop.shape.size();
  const bool transposes = rank >= 2 && loop.strides[0][rank - 1] == 1 && loop.strides[1][rank - 1] != 1 &&
                          loop.strides[1][rank - 2] == 1 && loop.shape[rank - 1] >= kTile / 2;
  if (transposes) {
    const int64_t tiles = (loop.shape[rank - 2] + kTile - 1) / kTile;
    const int64_t planes = loop.total / (loop.shape[rank - 2] * loop.shape[rank - 1]);
    const int64_t per_tile = kTile * loop.shape[rank - 1];
    with_width(bytes, [&]<class T>(Typed<T>) {
      parallel_for(
          planes * tiles, std::max<int64_t>(1, kCopyGrain / per_tile),
          [&](int64_t begin, int64_t end) { copy_tiled<T>(loop, from.as<T>(), to.as<T>(), begin, end); });
    });
    return;
  }
  parallel_for(loop.total, kCopyGrain, [&](int64_t begin, int64_t end) {
    for_each_run(loop, begin, end, [&](int64_t count, const int64_t* at) {
      const char* source = from.as<char>() + at[1] * bytes;
      char* target = to.as<char>() + at[0] * bytes;
      const int64_t in_step = loop.inner_stride(1);
      const int64_t out_step = loop.inner_stride(0);
      if (in_step == 1 && out_step == 1) {
        std::memcpy(target, source, static_cast<size_t>(count * bytes));
      } else if (out_step == 1) {
        gather(bytes, count, source, in_step, target);
      } else {
        with_width(bytes, [&]<class T>(Typed<T>) {
          auto* in = reinterpret_cast<const T*>(source);
          auto* out = reinterpret_cast<T*>(target);
          for (int64_t i = 0; i < count; ++i) out[i * out_step] = in[i * in_step];
        });
      }
    });
  });
}

void copy_converting(const StridedLoop& loop, const ValueImpl& from, ValueImpl& to) {
  const Convert convert = converter(from.dtype, to.dtype);
  const int64_t from_bytes = itemsize(from.dtype);
  const int64_t to_bytes = itemsize(to.dtype);
  parallel_for(loop.total, kCopyGrain, [&](int64_t begin, int64_t end) {
    alignas(64) char gathered[kBlock * 16];
    alignas(64) char converted[kBlock * 16];
    for_each_run(loop, begin, end, [&](int64_t run, const int64_t* at) {
      const char* source = from.as<char>() + at[1] * from_bytes;
      char* target = to.as<char>() + at[0] * to_bytes;
      const int64_t in_step = loop.inner_stride(1);
      const int64_t out_step = loop.inner_stride(0);
      for (int64_t done = 0; done < run; done += kBlock) {
        const int64_t count = std::min(kBlock, run - done);
        const char* block = source + done * in_step * from_bytes;
        if (in_step != 1) {
          gather(from_bytes, count, block, in_step, gathered);
          block = gathered;
        }
        char* place = target + done * out_step * to_bytes;
        if (out_step == 1) {
          convert(count, block, place);
        } else {
          convert(count, block, converted);
          scatter(to_bytes, count, converted, place, out_step);
        }
      }
    });
  });
}

}  // namespace

Convert converter(DType from, DType to) {
  return table().from[static_cast<size_t>(from)].to[static_cast<size_t>(to)];
}

void gather(int64_t bytes, int64_t count, const void* from, int64_t stride, void* to) {
  with_width(bytes, [&]<class T>(Typed<T>) {
    auto* in = static_cast<const T*>(from);
    auto* out = static_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) out[i] = in[i * stride];
  });
}

void scatter(int64_t bytes, int64_t count, const void* from, void* to, int64_t stride) {
  with_width(bytes, [&]<class T>(Typed<T>) {
    auto* in = static_cast<const T*>(from);
    auto* out = static_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) out[i * stride] = in[i];
  });
}

void copy(const ValueImpl& from, ValueImpl& to) {
  if (to.size() == 0) return;
  StridedLoop loop(to.shape, {to.strides, broadcast_strides(from.shape, from.strides, to.shape)});
  if (from.dtype == to.dtype) {
    copy_same_dtype(loop, from, to);
  } else {
    copy_converting(loop, from, to);
  }
}

}  // namespace dyad::kernels
