#pragma once

// Matrix products by blocks: panels of b are packed so that the innermost loop reads memory in order, panels
// of a so that it broadcasts one column after the other, and a tile of c stays in registers. Only files in
// isa/ include this.

#include <cstdint>
#include <utility>

#include "kernels/cpu/gemm_task.h"
#include "kernels/cpu/isa_vector.h"

namespace dyad::kernels::DYAD_ISA {

#if defined(__AVX512F__)
static constexpr int64_t kTileRows = 14;  // 28 accumulators of the 32 registers
#elif defined(__AVX2__)
static constexpr int64_t kTileRows = 6;  // 12 of 16
#else
static constexpr int64_t kTileRows = 4;
#endif
template <class T>
static constexpr int64_t kTileColumns = 2 * Vector<T>::kWidth;

static constexpr int64_t kDepth = 256;                 // rows of a packed panel of b: a panel stays in L1
static constexpr int64_t kBlockRows = 10 * kTileRows;  // a packed block of a stays in L2
static constexpr int64_t kBlockColumns = 1024;         // a packed block of b stays in L2 or L3

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Elements of the packed block of a, rounded up so that the block of b behind it is aligned.
static inline int64_t packed_a_size(int64_t m, int64_t k) {
  return (smaller(m, kBlockRows) * smaller(k, kDepth) + 15) / 16 * 16;
}

static inline size_t workspace_bytes(int64_t m, int64_t n, int64_t k) {
  const int64_t columns = (smaller(n, kBlockColumns) + 31) / 32 * 32;
  return static_cast<size_t>(packed_a_size(m, k) + columns * smaller(k, kDepth)) * sizeof(double);
}

/// What the sums of a tile start with.
template <class T>
struct Start {
  bool accumulate;  ///< on what c holds
  const T* column;  ///< one number per column, or null
  const T* row;     ///< one number per row, or null
};

template <class T>
using TileFunction = void (*)(int64_t k, const T* a, const T* b, int64_t b_step, T* c, int64_t c_stride,
                              const Start<T>& start);

/// `rows` x kTileColumns of c. `a` holds `rows` elements per step, `b` has its rows `b_step` apart.
template <class T, int rows>
static void run_tile(int64_t k, const T* a, const T* b, int64_t b_step, T* c, int64_t c_stride,
                     const Start<T>& start) {
  using V = Vector<T>;
  typename V::Register sum[rows][2];
  if (start.accumulate) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      sum[i][0] = V::load(c + i * c_stride);
      sum[i][1] = V::load(c + i * c_stride + V::kWidth);
    }
  } else if (start.row) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) sum[i][0] = sum[i][1] = V::spread(start.row[i]);
  } else {
    const auto first = start.column ? V::load(start.column) : V::zero();
    const auto second = start.column ? V::load(start.column + V::kWidth) : V::zero();
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
static void pack_b_panel(const From* from, int64_t row_stride, int64_t column_stride, int64_t count,
                         int64_t columns, T* out) {
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
    for (int64_t j = 0; j < columns; ++j)
      out[p * width + j] = static_cast<T>(from[p * row_stride + j * column_stride]);
  }
}

/// A tile with fewer columns than a full one goes through a buffer.
template <class T>
static void run_edge_tile(int64_t rows, int64_t columns, int64_t k, const T* a, const T* b, T* c,
                          int64_t c_stride, Start<T> start) {
  constexpr int64_t width = kTileColumns<T>;
  T tile[kTileRows * width] = {};
  T padded[width] = {};
  if (start.column) {
    for (int64_t j = 0; j < columns; ++j) padded[j] = start.column[j];
    start.column = padded;
  }
  for (int64_t i = 0; start.accumulate && i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) tile[i * width + j] = c[i * c_stride + j];
  }
  pick_tile<T>(rows, std::make_integer_sequence<int, kTileRows>{})(k, a, b, width, tile, width, start);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * c_stride + j] = tile[i * width + j];
  }
}

/// All tiles of `rows` x `columns` of c at (row, column), over `count` steps of k; `accumulate` after the
/// first steps. Panels of b follow one another, `count` x kTileColumns each, unless `b_step` says that b lies
/// in memory as it is.
template <class T>
static void run_block(const GemmTask& task, int64_t row, int64_t rows, int64_t column, int64_t columns,
                      int64_t count, const T* a, const T* b, int64_t b_step, bool accumulate) {
  constexpr int64_t width = kTileColumns<T>;
  const auto* column_bias = static_cast<const T*>(accumulate ? nullptr : task.bias);
  const auto* row_bias = static_cast<const T*>(accumulate ? nullptr : task.row_bias);
  T buffer[kDepth * width];
  for (int64_t j = 0; j < columns; j += width) {
    const int64_t wide = smaller(width, columns - j);
    const T* panel = b_step == width ? b + j * count : b + j;
    if (wide < width && b_step != width) {
      pack_b_panel(panel, b_step, 1, count, wide, buffer);
      panel = buffer;
    }
    for (int64_t i = 0; i < rows; i += kTileRows) {
      const int64_t high = smaller(kTileRows, rows - i);
      T* c = static_cast<T*>(task.c) + (row + i) * task.c_stride + column + j;
      const Start<T> start{accumulate, column_bias ? column_bias + column + j : nullptr,
                           row_bias ? row_bias + row + i : nullptr};
      if (wide < width) {
        run_edge_tile(high, wide, count, a + i * count, panel, c, task.c_stride, start);
      } else {
        pick_tile<T>(high, std::make_integer_sequence<int, kTileRows>{})(count, a + i * count, panel, b_step,
                                                                         c, task.c_stride, start);
      }
    }
  }
}

/// c = a @ b, where `pack(depth, count, column, columns, out)` gives a panel of b.
template <class From, class T, class Pack>
static void run_packed(const GemmTask& task, const Pack& pack) {
  constexpr int64_t width = kTileColumns<T>;
  T* block_a = static_cast<T*>(task.workspace);
  T* block_b = block_a + packed_a_size(task.m, task.k);
  const int64_t depths = task.k > 0 ? task.k : 1;  // an empty sum still writes its zeros
  for (int64_t column = 0; column < task.n; column += kBlockColumns) {
    const int64_t columns = smaller(kBlockColumns, task.n - column);
    for (int64_t depth = 0; depth < depths; depth += kDepth) {
      const int64_t count = smaller(kDepth, task.k - depth);
      for (int64_t j = 0; j < columns; j += width) {
        pack(depth, count, column + j, smaller(width, columns - j), block_b + j * count);
      }
      for (int64_t row = 0; row < task.m; row += kBlockRows) {
        const int64_t rows = smaller(kBlockRows, task.m - row);
        pack_a<From, T>(task.a, row, rows, depth, count, block_a);
        run_block<T>(task, row, rows, column, columns, count, block_a, block_b, width, depth > 0);
      }
    }
  }
}

}  // namespace dyad::kernels::DYAD_ISA
