#pragma once

// Turns the scalar definitions that are included after this file into kernels, two for each dtype: `each_…`
// takes several neighbouring elements at a time, which all operands hold side by side or once; `strided_…`
// takes any strides. float16 and bfloat16 are computed as float. A kernel for a dtype that a definition does
// not hold for is empty, and left out by the build.

#define DYAD_ISA cuda

#include "kernels/cuda/device/math.h"

#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/device/strided.h"
#include "kernels/cuda/params/elementwise.h"
#include "kernels/scalar/kind.h"
#include "types/half.h"

namespace dyad::scalar {
template <class... Ts>
struct Types;
}

namespace dyad::kernels::cuda {

using dyad::cuda::ElementwiseParams;
using dyad::cuda::device::Pack;

template <class T>
inline constexpr bool is_narrow_storage = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
/// What elements stored as S are computed in.
template <class S>
using ComputedIn = std::conditional_t<is_narrow_storage<S>, float, S>;

template <class T, class List>
inline constexpr bool holds_for = false;
template <class T, class... Ts>
inline constexpr bool holds_for<T, scalar::Types<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// The dtype of the parts of a complex number; others stay as they are.
template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};

/// What a definition of this kind gives for elements computed in T and stored as S.
template <LoopKind kind, class T, class S>
struct Stored {
  using type = S;
};
template <class T, class S>
struct Stored<LoopKind::kComparison, T, S> {
  using type = bool;
};
template <class T, class S>
struct Stored<LoopKind::kRealPart, T, S> {
  using type = typename RealPart<S>::type;
};
template <class T, class S>
struct Stored<LoopKind::kComplex, T, S> {
  using type = std::complex<T>;
};

template <class T, class S>
DYAD_DEVICE_INLINE T from_storage(S x) {
  return static_cast<T>(x);
}
template <class S, class T>
DYAD_DEVICE_INLINE S to_storage(T x) {
  return S(x);
}

/// The definition at one element; where it has a fast form for all but a few numbers, that one.
template <class F, class A, class... Rest>
DYAD_DEVICE_INLINE auto apply(A a, Rest... rest) {
  if constexpr (std::is_same_v<A, float> && requires { F::rare(a, rest...); }) {
    return F::rare(a, rest...) ? F::apply(a, rest...) : F::fast(a, rest...);
  } else {
    return F::apply(a, rest...);
  }
}

/// Operand `i`, stored as S and computed in T.
template <class T, class S>
struct Operand {
  const S* data;
  T number;  ///< where there is no data

  DYAD_DEVICE_INLINE Operand(const ElementwiseParams& p, int i) : data(static_cast<const S*>(p.in[i])) {
    __builtin_memcpy(&number, p.number[i], sizeof(T));
  }
  DYAD_DEVICE_INLINE T at(int64_t place) const { return data ? from_storage<T>(data[place]) : number; }

  template <int count>
  DYAD_DEVICE_INLINE void load(int64_t place, bool side_by_side, uint32_t valid, T (&to)[count]) const {
    if (!data) {
#pragma unroll
      for (int k = 0; k < count; ++k) to[k] = number;
    } else if (side_by_side && valid == count) {
      const auto pack = *reinterpret_cast<const Pack<S, count>*>(data + place);
#pragma unroll
      for (int k = 0; k < count; ++k) to[k] = from_storage<T>(pack.at[k]);
    } else {
#pragma unroll
      for (int k = 0; k < count; ++k) {
        to[k] = from_storage<T>(data[place + (side_by_side && static_cast<uint32_t>(k) < valid ? k : 0)]);
      }
    }
  }
};

/// The kernels of a definition whose elements are stored as S.
template <class F, int operands, LoopKind kind, int cost, class S>
struct Elementwise {
  using T = ComputedIn<S>;
  using First = std::conditional_t<kind == LoopKind::kSelect, bool, T>;
  using FirstStored = std::conditional_t<kind == LoopKind::kSelect, bool, S>;
  using Out = typename Stored<kind, T, S>::type;
  static constexpr int kCount = dyad::cuda::elements_at_once(cost, sizeof(S));

  /// Packs that a thread reads before it computes, so that many reads are under way.
  static constexpr int kPacks = cost > 20 ? 1 : cost > 4 ? 2 : 4;

  static DYAD_DEVICE_INLINE void store_pack(Out* out, const First* a, const T* b, const T* c) {
    Pack<Out, kCount> results;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      if constexpr (operands == 1) results.at[k] = to_storage<Out>(apply<F>(a[k]));
      if constexpr (operands == 2) results.at[k] = to_storage<Out>(apply<F>(a[k], b[k]));
      if constexpr (operands == 3) results.at[k] = to_storage<Out>(apply<F>(a[k], b[k], c[k]));
    }
    *reinterpret_cast<Pack<Out, kCount>*>(out) = results;
  }

  /// Whole packs of elements that all lie in one row; gives how many elements were done.
  static DYAD_DEVICE_INLINE uint32_t flat(const ElementwiseParams& p) {
    const Operand<First, FirstStored> a(p, 0);
    const Operand<T, S> b(p, operands > 1 ? 1 : 0);
    const Operand<T, S> c(p, operands > 2 ? 2 : 0);
    const bool steps_a = p.index.stride[1][0] != 0;
    const bool steps_b = p.index.stride[2][0] != 0;
    const bool steps_c = p.index.stride[3][0] != 0;
    const uint32_t packs = p.count / kCount;
    const uint32_t threads = dyad::cuda::device::threads_x();
    const uint32_t each_block = threads * kPacks;
    for (uint32_t base = dyad::cuda::device::block_x() * each_block; base < packs;
         base += dyad::cuda::device::blocks_x() * each_block) {
      First in_a[kPacks][kCount];
      T in_b[kPacks][kCount];
      T in_c[kPacks][kCount];
#pragma unroll
      for (int u = 0; u < kPacks; ++u) {
        const uint32_t pack = base + u * threads + dyad::cuda::device::thread_x();
        const int64_t at = int64_t{pack < packs ? pack : packs - 1} * kCount;
        a.load(steps_a ? at : 0, steps_a, kCount, in_a[u]);
        if constexpr (operands > 1) b.load(steps_b ? at : 0, steps_b, kCount, in_b[u]);
        if constexpr (operands > 2) c.load(steps_c ? at : 0, steps_c, kCount, in_c[u]);
      }
#pragma unroll
      for (int u = 0; u < kPacks; ++u) {
        const uint32_t pack = base + u * threads + dyad::cuda::device::thread_x();
        if (pack < packs)
          store_pack(static_cast<Out*>(p.out) + int64_t{pack} * kCount, in_a[u], in_b[u], in_c[u]);
      }
    }
    return packs * kCount;
  }

  static DYAD_DEVICE_INLINE void each(const ElementwiseParams& p) {
    if (p.index.rank == 1) {
      const uint32_t done = flat(p);
      const auto thread = static_cast<uint32_t>(dyad::cuda::device::global_thread());
      if (done + thread < p.count) one(p, done + thread);
      return;
    }
    const Operand<First, FirstStored> a(p, 0);
    const Operand<T, S> b(p, operands > 1 ? 1 : 0);
    const Operand<T, S> c(p, operands > 2 ? 2 : 0);
    const uint32_t last = p.index.rank - 1;
    const uint32_t packs = (p.count + kCount - 1) / kCount;
    const auto step = static_cast<uint32_t>(dyad::cuda::device::global_threads());
    for (auto pack = static_cast<uint32_t>(dyad::cuda::device::global_thread()); pack < packs; pack += step) {
      const uint32_t first = pack * kCount;
      const uint32_t valid = p.count - first < kCount ? p.count - first : kCount;
      int64_t at[operands + 1];
      dyad::cuda::device::find_element(p.index, first, at);
      First in_a[kCount];
      T in_b[kCount];
      T in_c[kCount];
      a.load(at[1], p.index.stride[1][last] != 0, valid, in_a);
      if constexpr (operands > 1) b.load(at[2], p.index.stride[2][last] != 0, valid, in_b);
      if constexpr (operands > 2) c.load(at[3], p.index.stride[3][last] != 0, valid, in_c);
      Pack<Out, kCount> results;
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        if constexpr (operands == 1) results.at[k] = to_storage<Out>(apply<F>(in_a[k]));
        if constexpr (operands == 2) results.at[k] = to_storage<Out>(apply<F>(in_a[k], in_b[k]));
        if constexpr (operands == 3) results.at[k] = to_storage<Out>(apply<F>(in_a[k], in_b[k], in_c[k]));
      }
      Out* out = static_cast<Out*>(p.out) + at[0];
      if (valid == kCount) {
        *reinterpret_cast<Pack<Out, kCount>*>(out) = results;
      } else {
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
          if (static_cast<uint32_t>(k) < valid) out[k] = results.at[k];
        }
      }
    }
  }

  static DYAD_DEVICE_INLINE void one(const ElementwiseParams& p, uint32_t i) {
    const Operand<First, FirstStored> a(p, 0);
    const Operand<T, S> b(p, operands > 1 ? 1 : 0);
    const Operand<T, S> c(p, operands > 2 ? 2 : 0);
    int64_t at[operands + 1];
    dyad::cuda::device::find_element(p.index, i, at);
    Out* out = static_cast<Out*>(p.out) + at[0];
    if constexpr (operands == 1) *out = to_storage<Out>(apply<F>(a.at(at[1])));
    if constexpr (operands == 2) *out = to_storage<Out>(apply<F>(a.at(at[1]), b.at(at[2])));
    if constexpr (operands == 3) *out = to_storage<Out>(apply<F>(a.at(at[1]), b.at(at[2]), c.at(at[3])));
  }

  static DYAD_DEVICE_INLINE void strided(const ElementwiseParams& p) {
    const auto step = static_cast<uint32_t>(dyad::cuda::device::global_threads());
    for (auto i = static_cast<uint32_t>(dyad::cuda::device::global_thread()); i < p.count; i += step)
      one(p, i);
  }
};

}  // namespace dyad::kernels::cuda

#define DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, S, dtype)     \
  DYAD_DEVICE_KERNEL(each_##name##_##dtype, ElementwiseParams) {                 \
    if constexpr (holds_for<ComputedIn<S>, types>)                               \
      Elementwise<name##_scalar, operands, LoopKind::kind, cost, S>::each(p);    \
  }                                                                              \
  DYAD_DEVICE_KERNEL(strided_##name##_##dtype, ElementwiseParams) {              \
    if constexpr (holds_for<ComputedIn<S>, types>)                               \
      Elementwise<name##_scalar, operands, LoopKind::kind, cost, S>::strided(p); \
  }

#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost)                                   \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, bool, bool)                     \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, int8_t, int8)                   \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, int16_t, int16)                 \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, int32_t, int32)                 \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, int64_t, int64)                 \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, uint8_t, uint8)                 \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, uint16_t, uint16)               \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, uint32_t, uint32)               \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, uint64_t, uint64)               \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, Half, float16)                  \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, BFloat16, bfloat16)             \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, float, float32)                 \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, double, float64)                \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, std::complex<float>, complex64) \
  DYAD_ELEMENTWISE_KERNEL(name, operands, kind, types, cost, std::complex<double>, complex128)
