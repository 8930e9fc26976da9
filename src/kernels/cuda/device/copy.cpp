// Copies between strided places: of elements by their size, and with a change of dtype.

#include "kernels/cuda/params/copy.h"
#include "kernels/cuda/device/dtypes.h"
#include "kernels/cuda/device/strided.h"

namespace dyad::cuda::device {

template <class From, class To>
DYAD_DEVICE_INLINE void copy_strided(const CopyParams& p) {
  const auto step = static_cast<uint32_t>(global_threads());
  for (auto i = static_cast<uint32_t>(global_thread()); i < p.count; i += step) {
    int64_t at[2];
    find_element(p.index, i, at);
    const From element = static_cast<const From*>(p.in)[at[1]];
    static_cast<To*>(p.out)[at[0]] = ::dyad::kernels::DYAD_ISA::convert_one<From, To>(element);
  }
}

/// Four elements at a time of arrays without gaps.
template <class From, class To>
DYAD_DEVICE_INLINE void convert_all(const CopyParams& p) {
  const uint32_t packs = p.count / 4;
  const auto step = static_cast<uint32_t>(global_threads());
  const auto first = static_cast<uint32_t>(global_thread());
  for (uint32_t i = first; i < packs; i += step) {
    const auto from = static_cast<const Pack<From, 4>*>(p.in)[i];
    Pack<To, 4> to;
#pragma unroll
    for (int k = 0; k < 4; ++k) to.at[k] = ::dyad::kernels::DYAD_ISA::convert_one<From, To>(from.at[k]);
    static_cast<Pack<To, 4>*>(p.out)[i] = to;
  }
  for (uint32_t i = packs * 4 + first; i < p.count; i += step) {
    static_cast<To*>(p.out)[i] =
        ::dyad::kernels::DYAD_ISA::convert_one<From, To>(static_cast<const From*>(p.in)[i]);
  }
}

/// Through shared memory, so that both sides are read and written in order.
template <class T>
DYAD_DEVICE_INLINE void transpose(const TransposeParams& p) {
  DYAD_SHARED(T, tile, kTransposeTile * (kTransposeTile + 1));
  const T* in = static_cast<const T*>(p.in) + block_z() * p.in_plane;
  T* out = static_cast<T*>(p.out) + block_z() * p.out_plane;
  const int64_t x = thread_x() % kTransposeTile;
  const int64_t y = thread_x() / kTransposeTile;
  const int64_t row0 = static_cast<int64_t>(block_y()) * kTransposeTile;
  const int64_t column0 = static_cast<int64_t>(block_x()) * kTransposeTile;
  for (int64_t c = y; c < kTransposeTile; c += kTransposeRows) {
    if (row0 + x < p.rows && column0 + c < p.columns)
      tile[c * (kTransposeTile + 1) + x] = in[row0 + x + (column0 + c) * p.in_column];
  }
  sync_threads();
  for (int64_t r = y; r < kTransposeTile; r += kTransposeRows) {
    if (row0 + r < p.rows && column0 + x < p.columns)
      out[(row0 + r) * p.out_row + column0 + x] = tile[x * (kTransposeTile + 1) + r];
  }
}

#define DYAD_COPY(bytes, T)                                                       \
  DYAD_DEVICE_KERNEL(copy_strided_##bytes, CopyParams) { copy_strided<T, T>(p); } \
  DYAD_DEVICE_KERNEL(transpose_##bytes, TransposeParams) { transpose<T>(p); }

DYAD_COPY(1, uint8_t)
DYAD_COPY(2, uint16_t)
DYAD_COPY(4, uint32_t)
DYAD_COPY(8, uint64_t)
using Wide = Pack<uint64_t, 2>;
DYAD_COPY(16, Wide)

/// From one dtype to any, wherever the elements lie.
template <class From>
DYAD_DEVICE_INLINE void cast_strided(const CastParams& p) {
  const auto step = static_cast<uint32_t>(global_threads());
  for (auto i = static_cast<uint32_t>(global_thread()); i < p.count; i += step) {
    int64_t at[2];
    find_element(p.index, i, at);
    store_as(p.dtype, p.out, at[0], static_cast<const From*>(p.in)[at[1]]);
  }
}

#define DYAD_CAST(From, from, To, to) \
  DYAD_DEVICE_KERNEL(cast_##from##_##to, CopyParams) { convert_all<From, To>(p); }
#define DYAD_CASTS_FROM(From, from)                       \
  DYAD_CAST(From, from, bool, bool)                       \
  DYAD_CAST(From, from, int8_t, int8)                     \
  DYAD_CAST(From, from, int16_t, int16)                   \
  DYAD_CAST(From, from, int32_t, int32)                   \
  DYAD_CAST(From, from, int64_t, int64)                   \
  DYAD_CAST(From, from, uint8_t, uint8)                   \
  DYAD_CAST(From, from, uint16_t, uint16)                 \
  DYAD_CAST(From, from, uint32_t, uint32)                 \
  DYAD_CAST(From, from, uint64_t, uint64)                 \
  DYAD_CAST(From, from, Half, float16)                    \
  DYAD_CAST(From, from, BFloat16, bfloat16)               \
  DYAD_CAST(From, from, float, float32)                   \
  DYAD_CAST(From, from, double, float64)                  \
  DYAD_CAST(From, from, std::complex<float>, complex64)   \
  DYAD_CAST(From, from, std::complex<double>, complex128) \
  DYAD_DEVICE_KERNEL(cast_strided_##from, CastParams) { cast_strided<From>(p); }

DYAD_FOR_DTYPES(DYAD_CASTS_FROM)

}  // namespace dyad::cuda::device
