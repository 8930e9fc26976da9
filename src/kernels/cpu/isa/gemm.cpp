// Matrix products by blocks: panels of b are packed so that the innermost loop reads memory in order, panels of a so
// that it broadcasts one column after the other, and a tile of c stays in registers.

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cpu/gemm_task.h"
#include "kernels/cpu/isa_vector.h"
#include "types/half.h"

namespace dyad::kernels::DYAD_ISA {

#if defined(__AVX512F__)
static constexpr int64_t kTileRows = 14;  // 28 accumulators of the 32 registers
#elif defined(__AVX2__)
static constexpr int64_t kTileRows = 6;   // 12 of 16
#else
static constexpr int64_t kTileRows = 4;
#endif
template <class T>
static constexpr int64_t kTileColumns = 2 * Vector<T>::kWidth;

static constexpr int64_t kDepth = 384;                    // rows of a packed panel of b: a panel stays in L1
static constexpr int64_t kBlockRows = 10 * kTileRows;     // a packed block of a stays in L2
static constexpr int64_t kBlockColumns = 1024;            // a packed block of b stays in L2 or L3
static constexpr int64_t kFewRows = 12;                   // up to here packing b costs more than it brings

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Elements of the packed block of a, rounded up so that the block of b behind it is aligned.
static int64_t packed_a_size(int64_t m, int64_t k) { return (smaller(m, kBlockRows) * smaller(k, kDepth) + 15) / 16 * 16; }

static size_t workspace_bytes(int64_t m, int64_t n, int64_t k) {
  const int64_t columns = (smaller(n, kBlockColumns) + 31) / 32 * 32;
  return static_cast<size_t>(packed_a_size(m, k) + columns * smaller(k, kDepth)) * sizeof(double);
}

template <class T>
using TileFunction = void (*)(int64_t k, const T* a, const T* b, int64_t b_step, T* c, int64_t c_stride, const T* bias,
                              bool accumulate);

/// `rows` x kTileColumns of c. `a` holds `rows` elements per step, `b` has its rows `b_step` apart.
template <class T, int rows>
static void run_tile(int64_t k, const T* a, const T* b, int64_t b_step, T* c, int64_t c_stride, const T* bias,
                     bool accumulate) {
  using V = Vector<T>;
  typename V::Register sum[rows][2];
  if (accumulate) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      sum[i][0] = V::load(c + i * c_stride);
      sum[i][1] = V::load(c + i * c_stride + V::kWidth);
    }
  } else {
    const auto first = bias ? V::load(bias) : V::zero();
    const auto second = bias ? V::load(bias + V::kWidth) : V::zero();
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      sum[i][0] = first;
      sum[i][1] = second;
    }
  }
  for (int64_t p = 0; p < k; ++p) {
    const auto b0 = V::load(b);
    const auto b1 = V::load(b + V::kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const auto x = V::spread(a[i]);
      sum[i][0] = V::multiply_add(x, b0, sum[i][0]);
      sum[i][1] = V::multiply_add(x, b1, sum[i][1]);
    }
    a += rows;
    b += b_step;
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    V::store(c + i * c_stride, sum[i][0]);
    V::store(c + i * c_stride + V::kWidth, sum[i][1]);
  }
}

template <class T, int... rows>
static constexpr TileFunction<T> pick_tile(int64_t count, std::integer_sequence<int, rows...>) {
  constexpr TileFunction<T> tiles[] = {run_tile<T, rows + 1>...};
  return tiles[count - 1];
}

template <class From, class T>
static void pack_a(const MatrixView& view, int64_t row, int64_t rows, int64_t depth, int64_t count, T* out) {
  const From* from = static_cast<const From*>(view.data) + row * view.row_stride + depth * view.column_stride;
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int64_t panel = smaller(kTileRows, rows - i);
    const From* at = from + i * view.row_stride;
    for (int64_t p = 0; p < count; ++p, at += view.column_stride, out += panel) {
      if (panel == kTileRows) {
#pragma GCC unroll 16
        for (int64_t r = 0; r < kTileRows; ++r) out[r] = static_cast<T>(at[r * view.row_stride]);
      } else {
        for (int64_t r = 0; r < panel; ++r) out[r] = static_cast<T>(at[r * view.row_stride]);
      }
    }
  }
}

/// One panel of kTileColumns columns, filled up with zeros.
template <class From, class T>
static void pack_b_panel(const From* from, int64_t row_stride, int64_t column_stride, int64_t count, int64_t columns,
                         T* out) {
  constexpr int64_t width = kTileColumns<T>;
  if (columns == width && column_stride == 1) {
    for (int64_t p = 0; p < count; ++p, from += row_stride, out += width) {
      for (int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(from[j]);
    }
    return;
  }
  if (columns < width) {
    for (int64_t i = 0; i < count * width; ++i) out[i] = T(0);
  }
  if (row_stride == 1) {
    // Columns lie in order: go along them in short pieces, so that the lines written stay in the first cache.
    constexpr int64_t piece = 16;
    for (int64_t p = 0; p < count; p += piece) {
      const int64_t steps = smaller(piece, count - p);
      for (int64_t j = 0; j < columns; ++j) {
        const From* x = from + j * column_stride + p;
        T* y = out + p * width + j;
        for (int64_t s = 0; s < steps; ++s) y[s * width] = static_cast<T>(x[s]);
      }
    }
    return;
  }
  for (int64_t p = 0; p < count; ++p) {
    for (int64_t j = 0; j < columns; ++j) out[p * width + j] = static_cast<T>(from[p * row_stride + j * column_stride]);
  }
}

/// A tile with fewer columns than a full one goes through a buffer.
template <class T>
static void run_edge_tile(int64_t rows, int64_t columns, int64_t k, const T* a, const T* b, T* c, int64_t c_stride,
                          const T* bias, bool accumulate) {
  constexpr int64_t width = kTileColumns<T>;
  T tile[kTileRows * width] = {};
  T padded[width] = {};
  for (int64_t j = 0; bias && j < columns; ++j) padded[j] = bias[j];
  if (accumulate) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) tile[i * width + j] = c[i * c_stride + j];
    }
  }
  pick_tile<T>(rows, std::make_integer_sequence<int, kTileRows>{})(k, a, b, width, tile, width, bias ? padded : nullptr,
                                                                   accumulate);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * c_stride + j] = tile[i * width + j];
  }
}

/// Rows [row, row + rows) and columns [column, column + columns) of c, over `count` steps of k from `depth` on.
template <class From, class T>
static void run_block(const GemmTask& task, int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t depth,
                      int64_t count, const T* a, const T* packed_b) {
  constexpr int64_t width = kTileColumns<T>;
  const auto* bias = static_cast<const T*>(task.bias);
  const bool accumulate = depth > 0;
  for (int64_t j = 0; j < columns; j += width) {
    const int64_t wide = smaller(width, columns - j);
    const T* b = packed_b + j * count;
    int64_t b_step = width;
    if constexpr (std::is_same_v<From, T>) {
      if (!packed_b) {
        b = static_cast<const T*>(task.b.data) + depth * task.b.row_stride + column + j;
        b_step = task.b.row_stride;
      }
    }
    const T* tile_bias = bias && !accumulate ? bias + column + j : nullptr;
    T buffer[kDepth * width];
    if (wide < width && !packed_b) {
      pack_b_panel(b, task.b.row_stride, 1, count, wide, buffer);
      b = buffer;
    }
    for (int64_t i = 0; i < rows; i += kTileRows) {
      const int64_t high = smaller(kTileRows, rows - i);
      T* c = static_cast<T*>(task.c) + (row + i) * task.c_stride + column + j;
      if (wide < width) {
        run_edge_tile(high, wide, count, a + i * count, b, c, task.c_stride, tile_bias, accumulate);
      } else {
        pick_tile<T>(high, std::make_integer_sequence<int, kTileRows>{})(count, a + i * count, b, b_step, c,
                                                                         task.c_stride, tile_bias, accumulate);
      }
    }
  }
}

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
  constexpr int64_t width = kTileColumns<T>;
  bool packs_b = true;
  if constexpr (std::is_same_v<From, T>) {
    const bool few = task.m <= kFewRows;
    if (few && task.b.row_stride == 1 && task.a.column_stride == 1) return run_all_dots<T>(task);
    packs_b = !(task.m <= 4 * kTileRows && task.b.column_stride == 1);
  }
  T* block_a = static_cast<T*>(task.workspace);
  T* block_b = block_a + packed_a_size(task.m, task.k);
  const int64_t depths = task.k > 0 ? task.k : 1;  // an empty sum still writes its zeros
  for (int64_t column = 0; column < task.n; column += kBlockColumns) {
    const int64_t columns = smaller(kBlockColumns, task.n - column);
    for (int64_t depth = 0; depth < depths; depth += kDepth) {
      const int64_t count = smaller(kDepth, task.k - depth);
      if (packs_b) {
        const From* b = static_cast<const From*>(task.b.data) + depth * task.b.row_stride;
        for (int64_t j = 0; j < columns; j += width) {
          pack_b_panel<From, T>(b + (column + j) * task.b.column_stride, task.b.row_stride, task.b.column_stride, count,
                                smaller(width, columns - j), block_b + j * count);
        }
      }
      for (int64_t row = 0; row < task.m; row += kBlockRows) {
        const int64_t rows = smaller(kBlockRows, task.m - row);
        pack_a<From, T>(task.a, row, rows, depth, count, block_a);
        run_block<From, T>(task, row, rows, column, columns, depth, count, block_a, packs_b ? block_b : nullptr);
      }
    }
  }
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

extern constinit const GemmTable gemm_table = {
    {run_plain<bool>, run_plain<int8_t>, run_plain<int16_t>, run_plain<int32_t>, run_plain<int64_t>, run_plain<uint8_t>,
     run_plain<uint16_t>, run_plain<uint32_t>, run_plain<uint64_t>, run_floating<Half, float>,
     run_floating<BFloat16, float>, run_floating<float, float>, run_floating<double, double>,
     run_plain<std::complex<float>>, run_plain<std::complex<double>>},
    workspace_bytes};

}  // namespace dyad::kernels::DYAD_ISA
