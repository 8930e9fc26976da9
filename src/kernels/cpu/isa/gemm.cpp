// Matrix products of every dtype. Floats go by blocks (isa_gemm.h), or by dot products where there are few
// rows.

#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/gemm_task.h"
#include "kernels/cpu/isa_gemm.h"
#include "types/half.h"

namespace dyad::kernels::DYAD_ISA {

/// `rows` x `columns` dot products along k, where both operands have it contiguous.
template <class T, int rows, int columns>
static void run_dots(const GemmTask& task, int64_t row, int64_t column) {
  using V = Vector<T>;
  const T* a = static_cast<const T*>(task.a.data) + row * task.a.row_stride;
  const T* b = static_cast<const T*>(task.b.data) + column * task.b.column_stride;
  const auto* bias = static_cast<const T*>(task.bias);
  typename V::Register sum[rows][columns];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) sum[i][j] = V::zero();
  }
  int64_t p = 0;
  for (; p + V::kWidth <= task.k; p += V::kWidth) {
    typename V::Register right[columns];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) right[j] = V::load(b + j * task.b.column_stride + p);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const auto left = V::load(a + i * task.a.row_stride + p);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) sum[i][j] = V::multiply_add(left, right[j], sum[i][j]);
    }
  }
  T* c = static_cast<T*>(task.c) + row * task.c_stride + column;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      T total = V::sum(sum[i][j]);
      for (int64_t q = p; q < task.k; ++q) {
        total += a[i * task.a.row_stride + q] * b[j * task.b.column_stride + q];
      }
      c[i * task.c_stride + j] = bias ? total + bias[column + j] : total;
    }
  }
}

template <class T, int columns>
static void run_dot_rows(const GemmTask& task, int64_t column) {
  int64_t i = 0;
  for (; i + 4 <= task.m; i += 4) run_dots<T, 4, columns>(task, i, column);
  for (; i + 2 <= task.m; i += 2) run_dots<T, 2, columns>(task, i, column);
  if (i < task.m) run_dots<T, 1, columns>(task, i, column);
}

template <class T>
static void run_all_dots(const GemmTask& task) {
  int64_t j = 0;
  for (; j + 4 <= task.n; j += 4) run_dot_rows<T, 4>(task, j);
  for (; j < task.n; ++j) run_dot_rows<T, 1>(task, j);
}

template <class From, class T>
static void run_floating(const GemmTask& task) {
  if constexpr (std::is_same_v<From, T>) {
    if (task.by_dots) {
      run_all_dots<T>(task);
      if (task.finish) finish_block(task, 0, task.m, 0, task.n, sizeof(T));
      return;
    }
    if (b_lies_well<From, T>(task)) return run_in_place<T>(task);
  }
  run_packed<From, T>(task, [&](int64_t depth, int64_t count, int64_t column, int64_t columns, T* out) {
    const From* b =
        static_cast<const From*>(task.b.data) + depth * task.b.row_stride + column * task.b.column_stride;
    pack_b_panel<From, T>(b, task.b.row_stride, task.b.column_stride, count, columns, kTileColumns<T>, out);
  });
}

template <class T>
static inline void multiply_into(T& sum, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    sum = sum || (a && b);
  } else if constexpr (std::is_integral_v<T>) {
    // Unsigned arithmetic wraps where signed overflow would be undefined.
    using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    sum = static_cast<T>(static_cast<Wide>(sum) + static_cast<Wide>(a) * static_cast<Wide>(b));
  } else {
    using R = typename T::value_type;
    const R real = a.real() * b.real() - a.imag() * b.imag();
    const R imag = a.real() * b.imag() + a.imag() * b.real();
    sum = T(sum.real() + real, sum.imag() + imag);
  }
}

/// Integers, bools and complex numbers: one row of b at a time is added to a row of c.
template <class T>
static void run_plain(const GemmTask& task) {
  const auto* bias = static_cast<const T*>(task.bias);
  for (int64_t i = 0; i < task.m; ++i) {
    T* c = static_cast<T*>(task.c) + i * task.c_stride;
    for (int64_t j = 0; j < task.n; ++j) c[j] = bias ? bias[j] : T(0);
  }
  for (int64_t depth = 0; depth < task.k; depth += kDepth) {
    const int64_t end = smaller(task.k, depth + kDepth);
    for (int64_t i = 0; i < task.m; ++i) {
      const T* a = static_cast<const T*>(task.a.data) + i * task.a.row_stride;
      T* c = static_cast<T*>(task.c) + i * task.c_stride;
      for (int64_t p = depth; p < end; ++p) {
        const T x = a[p * task.a.column_stride];
        const T* b = static_cast<const T*>(task.b.data) + p * task.b.row_stride;
        if (task.b.column_stride == 1) {
#pragma GCC ivdep
          for (int64_t j = 0; j < task.n; ++j) multiply_into(c[j], x, b[j]);
        } else {
          for (int64_t j = 0; j < task.n; ++j) multiply_into(c[j], x, b[j * task.b.column_stride]);
        }
      }
    }
  }
}

template <class T>
static void pack_panel(const MatrixView& matrix, int64_t rows, int64_t columns, void* out) {
  pack_b_panel<T, T>(static_cast<const T*>(matrix.data), matrix.row_stride, matrix.column_stride, rows,
                     columns, kPanelColumns, static_cast<T*>(out));
}

extern constinit const GemmTable gemm_table = {
    {run_plain<bool>, run_plain<int8_t>, run_plain<int16_t>, run_plain<int32_t>, run_plain<int64_t>,
     run_plain<uint8_t>, run_plain<uint16_t>, run_plain<uint32_t>, run_plain<uint64_t>,
     run_floating<Half, float>, run_floating<BFloat16, float>, run_floating<float, float>,
     run_floating<double, double>, run_plain<std::complex<float>>, run_plain<std::complex<double>>},
    workspace_bytes,
    pack_panel<float>,
    pack_panel<double>};

}  // namespace dyad::kernels::DYAD_ISA
