// Matrix products of any strides, tile by tile in shared memory: of integers and bools, which the libraries
// do not multiply, and of all other numbers where there is no library.

#include "kernels/cuda/params/tiled_product.h"
#include "kernels/cuda/device/intrinsics.h"
#include "types/half.h"

namespace dyad::cuda::device {

template <class T>
struct ComplexValue {
  T real;
  T imaginary;
};

/// How a product of numbers stored as `T` is added up: in `Sum`.
template <class T>
struct Arithmetic {
  using Sum = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;  // integers wrap alike, signed or not
  DYAD_DEVICE_INLINE static Sum zero() { return Sum(0); }
  DYAD_DEVICE_INLINE static Sum load(T value) { return static_cast<Sum>(value); }
  DYAD_DEVICE_INLINE static T store(Sum value) { return static_cast<T>(value); }
  DYAD_DEVICE_INLINE static Sum add(Sum a, Sum b) { return a + b; }
  DYAD_DEVICE_INLINE static Sum multiply(Sum a, Sum b) { return a * b; }
};
template <>
struct Arithmetic<bool> {
  using Sum = uint32_t;
  DYAD_DEVICE_INLINE static Sum zero() { return 0; }
  DYAD_DEVICE_INLINE static Sum load(bool value) { return value; }
  DYAD_DEVICE_INLINE static bool store(Sum value) { return value != 0; }
  DYAD_DEVICE_INLINE static Sum add(Sum a, Sum b) { return a | b; }
  DYAD_DEVICE_INLINE static Sum multiply(Sum a, Sum b) { return a & b; }
};
template <class T>
struct NarrowArithmetic {
  using Sum = float;
  DYAD_DEVICE_INLINE static Sum zero() { return 0; }
  DYAD_DEVICE_INLINE static Sum load(T value) { return static_cast<float>(value); }
  DYAD_DEVICE_INLINE static T store(Sum value) { return T(value); }
  DYAD_DEVICE_INLINE static Sum add(Sum a, Sum b) { return a + b; }
  DYAD_DEVICE_INLINE static Sum multiply(Sum a, Sum b) { return a * b; }
};
template <>
struct Arithmetic<Half> : NarrowArithmetic<Half> {};
template <>
struct Arithmetic<BFloat16> : NarrowArithmetic<BFloat16> {};
template <class T>
struct Arithmetic<ComplexValue<T>> {
  using Sum = ComplexValue<T>;
  DYAD_DEVICE_INLINE static Sum zero() { return {T(0), T(0)}; }
  DYAD_DEVICE_INLINE static Sum load(Sum value) { return value; }
  DYAD_DEVICE_INLINE static Sum store(Sum value) { return value; }
  DYAD_DEVICE_INLINE static Sum add(Sum a, Sum b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
  DYAD_DEVICE_INLINE static Sum multiply(Sum a, Sum b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};

/// Where the matrices of one product begin.
template <class T>
struct Matrices {
  const T* a;
  const T* b;
  T* c;
};

template <class T>
DYAD_DEVICE_INLINE Matrices<T> matrices_at(const TiledProductParams& p, int64_t index) {
  Matrices<T> found{static_cast<const T*>(p.a), static_cast<const T*>(p.b), static_cast<T*>(p.c)};
  for (int d = p.rank - 1; d >= 0; --d) {
    const int64_t place = index % p.sizes[d];
    index /= p.sizes[d];
    found.a += place * p.a_batch[d];
    found.b += place * p.b_batch[d];
    found.c += place * p.c_batch[d];
  }
  return found;
}

template <class T, class Sum>
DYAD_DEVICE_INLINE void multiply_tile(const TiledProductParams& p, const Matrices<T>& at, int64_t first_row,
                                      int64_t first_column, Sum* left, Sum* right) {
  using Math = Arithmetic<T>;
  constexpr int kTile = kProductTile;
  const int x = static_cast<int>(thread_x()) % kTile;
  const int y = static_cast<int>(thread_x()) / kTile;
  const int64_t row = first_row + y;
  const int64_t column = first_column + x;
  Sum sum = Math::zero();
  for (int64_t depth = 0; depth < p.k; depth += kTile) {
    const bool in_a = row < p.m && depth + x < p.k;
    const bool in_b = depth + y < p.k && column < p.n;
    left[y * kTile + x] = in_a ? Math::load(at.a[row * p.a_row + (depth + x) * p.a_column]) : Math::zero();
    right[y * kTile + x] =
        in_b ? Math::load(at.b[(depth + y) * p.b_row + column * p.b_column]) : Math::zero();
    sync_threads();
    for (int i = 0; i < kTile; ++i) {
      sum = Math::add(sum, Math::multiply(left[y * kTile + i], right[i * kTile + x]));
    }
    sync_threads();
  }
  if (row >= p.m || column >= p.n) return;
  if constexpr (std::is_floating_point_v<Sum>) sum *= static_cast<Sum>(p.factor);
  if (p.bias) sum = Math::add(sum, Math::load(static_cast<const T*>(p.bias)[column]));
  T& target = at.c[row * p.c_row + column];
  if (p.accumulate) sum = Math::add(sum, Math::load(target));
  target = Math::store(sum);
}

template <class T, class Sum>
DYAD_DEVICE_INLINE void multiply_tiles(const TiledProductParams& p, Sum* left, Sum* right) {
  const int64_t down = (p.m + kProductTile - 1) / kProductTile;
  const int64_t across = (p.n + kProductTile - 1) / kProductTile;
  for (int64_t tile = block_x(); tile < down * across * p.count; tile += blocks_x()) {
    const Matrices<T> at = matrices_at<T>(p, tile / (down * across));
    const int64_t place = tile % (down * across);
    multiply_tile<T>(p, at, place / across * kProductTile, place % across * kProductTile, left, right);
  }
}

#define DYAD_TILED_PRODUCT(name, T)                                      \
  DYAD_DEVICE_KERNEL(name, TiledProductParams) {                         \
    DYAD_SHARED(Arithmetic<T>::Sum, left, kProductTile * kProductTile);  \
    DYAD_SHARED(Arithmetic<T>::Sum, right, kProductTile * kProductTile); \
    multiply_tiles<T>(p, left, right);                                   \
  }

DYAD_TILED_PRODUCT(tiled_product_bool, bool)
DYAD_TILED_PRODUCT(tiled_product_1, uint8_t)
DYAD_TILED_PRODUCT(tiled_product_2, uint16_t)
DYAD_TILED_PRODUCT(tiled_product_4, uint32_t)
DYAD_TILED_PRODUCT(tiled_product_8, uint64_t)
DYAD_TILED_PRODUCT(tiled_product_float16, Half)
DYAD_TILED_PRODUCT(tiled_product_bfloat16, BFloat16)
DYAD_TILED_PRODUCT(tiled_product_float32, float)
DYAD_TILED_PRODUCT(tiled_product_float64, double)
DYAD_TILED_PRODUCT(tiled_product_complex64, ComplexValue<float>)
DYAD_TILED_PRODUCT(tiled_product_complex128, ComplexValue<double>)

}  // namespace dyad::cuda::device
