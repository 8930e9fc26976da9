// What solvers and factorisations need before and behind the library.

#define DYAD_ISA cuda

#include "kernels/cuda/params/matrices.h"

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/cuda/device/math.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE void symmetrize(const SymmetrizeParams& p) {
  const T* from = static_cast<const T*>(p.from);
  T* to = static_cast<T*>(p.to);
  const int64_t size = p.rows * p.rows;
  DYAD_FOR_EACH(i, p.count * size) {
    const int64_t place = i % size;
    const int64_t mirrored = i - place + place % p.rows * p.rows + place / p.rows;
    to[i] = (from[i] + from[mirrored]) / T(2);
  }
}
DYAD_DEVICE_KERNEL(symmetrize_float, SymmetrizeParams) { symmetrize<float>(p); }
DYAD_DEVICE_KERNEL(symmetrize_double, SymmetrizeParams) { symmetrize<double>(p); }

/// A number of 4, 8 or 16 bytes, all of which are zero for zero.
template <int words>
struct Number {
  uint32_t words_[words];
};
template <int words>
DYAD_DEVICE_INLINE void clear_triangle(const ClearTriangleParams& p) {
  using T = Number<words>;
  T* matrices = static_cast<T*>(p.matrices);
  DYAD_FOR_EACH(i, p.count * p.rows * p.columns) {
    const int64_t column = i % p.columns;
    const int64_t row = i / p.columns % p.rows;
    if (p.below ? row > column : row < column) matrices[i] = T{};
  }
}
DYAD_DEVICE_KERNEL(clear_triangle_4, ClearTriangleParams) { clear_triangle<1>(p); }
DYAD_DEVICE_KERNEL(clear_triangle_8, ClearTriangleParams) { clear_triangle<2>(p); }
DYAD_DEVICE_KERNEL(clear_triangle_16, ClearTriangleParams) { clear_triangle<4>(p); }

template <class T>
struct Turned {
  T real;
  T imaginary;
};
template <class T>
DYAD_DEVICE_INLINE T square_of(T x) {
  return x * x;
}
template <class T>
DYAD_DEVICE_INLINE T square_of(Turned<T> x) {
  return x.real * x.real + x.imaginary * x.imaginary;
}
/// The number of size 1 that turns x to the positive real axis.
template <class T>
DYAD_DEVICE_INLINE T turn_of(T x) {
  return x < T(0) ? T(-1) : T(1);
}
template <class T>
DYAD_DEVICE_INLINE Turned<T> turn_of(Turned<T> x) {
  const T size = static_cast<T>(sizeof(T) == 4 ? __builtin_sqrtf(static_cast<float>(square_of(x)))
                                               : __builtin_sqrt(static_cast<double>(square_of(x))));
  if (size == T(0)) return {T(1), T(0)};
  return {x.real / size, -x.imaginary / size};
}
template <class T>
DYAD_DEVICE_INLINE T times(T a, T b) {
  return a * b;
}
template <class T>
DYAD_DEVICE_INLINE Turned<T> times(Turned<T> a, Turned<T> b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

/// One block for each pair of columns: the largest component of the first becomes positive, and the other is
/// turned along.
template <class T>
DYAD_DEVICE_INLINE void choose_phase(const ChoosePhaseParams& p, double* sizes, int64_t* rows) {
  const uint32_t own = thread_x();
  for (int64_t index = block_x(); index < p.count * p.pairs; index += blocks_x()) {
    const int64_t matrix = index / p.pairs;
    const int64_t column = index % p.pairs;
    T* first = static_cast<T*>(p.first) + matrix * p.first_rows * p.first_columns + column;
    sizes[own] = -1;
    rows[own] = 0;
    for (int64_t r = own; r < p.first_rows; r += threads_x()) {
      const double size = square_of(first[r * p.first_columns]);
      if (size > sizes[own]) {
        sizes[own] = size;
        rows[own] = r;
      }
    }
    sync_threads();
    for (uint32_t apart = kPhaseThreads / 2; apart > 0; apart /= 2) {
      if (own < apart) {
        const bool larger = sizes[own + apart] > sizes[own] ||
                            (sizes[own + apart] == sizes[own] && rows[own + apart] < rows[own]);
        if (larger) {
          sizes[own] = sizes[own + apart];
          rows[own] = rows[own + apart];
        }
      }
      sync_threads();
    }
    const T turn = turn_of(first[rows[0] * p.first_columns]);
    sync_threads();
    for (int64_t r = own; r < p.first_rows; r += threads_x()) {
      first[r * p.first_columns] = times(first[r * p.first_columns], turn);
    }
    if (p.second) {
      T* second = static_cast<T*>(p.second) + matrix * p.second_rows * p.second_columns + column;
      for (int64_t r = own; r < p.second_rows; r += threads_x()) {
        second[r * p.second_columns] = times(second[r * p.second_columns], turn);
      }
    }
    sync_threads();
  }
}

#define DYAD_CHOOSE_PHASE(name, T)              \
  DYAD_DEVICE_KERNEL(name, ChoosePhaseParams) { \
    DYAD_SHARED(double, sizes, kPhaseThreads);  \
    DYAD_SHARED(int64_t, rows, kPhaseThreads);  \
    choose_phase<T>(p, sizes, rows);            \
  }
DYAD_CHOOSE_PHASE(choose_phase_float32, float)
DYAD_CHOOSE_PHASE(choose_phase_float64, double)
DYAD_CHOOSE_PHASE(choose_phase_complex64, Turned<float>)
DYAD_CHOOSE_PHASE(choose_phase_complex128, Turned<double>)

template <class T>
DYAD_DEVICE_INLINE void log_determinant(const LogDeterminantParams& p) {
  DYAD_FOR_EACH(i, p.count) {
    const T* factors = static_cast<const T*>(p.factors) + i * p.rows * p.rows;
    double sign = 1;
    double logarithm = 0;
    for (int64_t r = 0; r < p.rows; ++r) {
      const double x = factors[r * (p.rows + 1)];
      if (p.exchanges[i * p.rows + r] != r + 1) sign = -sign;
      if (x < 0) sign = -sign;
      const double size = x < 0 ? -x : x;
      logarithm += libm::log(size);
    }
    const bool singular = p.failures[i] > 0;
    static_cast<T*>(p.sign)[i] = static_cast<T>(singular ? 0 : sign);
    static_cast<T*>(p.logarithm)[i] = static_cast<T>(singular ? -__builtin_huge_val() : logarithm);
  }
}
DYAD_DEVICE_KERNEL(log_determinant_float32, LogDeterminantParams) { log_determinant<float>(p); }
DYAD_DEVICE_KERNEL(log_determinant_float64, LogDeterminantParams) { log_determinant<double>(p); }

/// The same of complex factors: the sign is the product of their directions, with absolute value 1.
template <class T>
DYAD_DEVICE_INLINE void log_complex_determinant(const LogDeterminantParams& p) {
  DYAD_FOR_EACH(i, p.count) {
    const Turned<T>* factors = static_cast<const Turned<T>*>(p.factors) + i * p.rows * p.rows;
    Turned<double> sign{1, 0};
    double logarithm = 0;
    for (int64_t r = 0; r < p.rows; ++r) {
      const Turned<T> x = factors[r * (p.rows + 1)];
      const double size = libm::hypot(static_cast<double>(x.real), static_cast<double>(x.imaginary));
      const double turn = p.exchanges[i * p.rows + r] != r + 1 ? -1 : 1;
      sign = times(sign, Turned<double>{turn * x.real / size, turn * x.imaginary / size});
      logarithm += libm::log(size);
    }
    const bool singular = p.failures[i] > 0;
    static_cast<Turned<T>*>(p.sign)[i] = {static_cast<T>(singular ? 0 : sign.real),
                                          static_cast<T>(singular ? 0 : sign.imaginary)};
    static_cast<Turned<T>*>(p.logarithm)[i] = {static_cast<T>(singular ? -__builtin_huge_val() : logarithm),
                                               T(0)};
  }
}
DYAD_DEVICE_KERNEL(log_determinant_complex64, LogDeterminantParams) { log_complex_determinant<float>(p); }
DYAD_DEVICE_KERNEL(log_determinant_complex128, LogDeterminantParams) { log_complex_determinant<double>(p); }

}  // namespace dyad::cuda::device
