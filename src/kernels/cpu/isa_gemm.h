#pragma once

// Matrix products by blocks: what a tile reads again and again stays in the caches. An operand that lies well
// is read where it lies, another one is packed block by block. Only files in isa/ include this.

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/isa_gemm_pack.h"

namespace dyad::kernels::DYAD_ISA {

static constexpr int64_t kDepth = 1024;           // most steps of k before a tile is put down
static constexpr int64_t kBlockOfA = 128 * 1024;  // elements of a that stay in the second cache
static constexpr int64_t kBlockOfB = 256 * 1024;  // elements of b that are packed at a time
static constexpr int64_t kFinishedColumns = 256;  // columns after which a block is handed on
static constexpr int64_t kRowsPerPacking = 96;    // b is packed for no fewer rows
static constexpr int64_t kStepsAcross = 128;      // so far a transposed a is read where it lies

/// Steps of k at a time: about the same number each time.
static inline int64_t depth_of_block(int64_t k) {
  const int64_t blocks = (k + kDepth - 1) / kDepth;
  return blocks > 1 ? (k + blocks - 1) / blocks : k;
}

/// Rows at a time: whole tiles, and about the same number each time.
static inline int64_t rows_of_block(int64_t m, int64_t depth) {
  const int64_t most = kBlockOfA / (depth > 0 ? depth : 1);
  const int64_t blocks = (m + most - 1) / most;
  const int64_t rows = (m + blocks - 1) / blocks;
  return (rows + kTileRows - 1) / kTileRows * kTileRows;
}

/// Elements of a packed block of a, rounded up so that what is behind it is aligned.
static inline int64_t packed_a_size(int64_t m, int64_t depth) {
  return (rows_of_block(m, depth) * depth + 15) / 16 * 16;
}

template <class T>
static inline int64_t columns_of_block(int64_t n, int64_t depth) {
  constexpr int64_t width = kTileColumns<T>;
  const int64_t most = kBlockOfB / (depth > 0 ? depth : 1) / width * width;
  return smaller((n + width - 1) / width * width, most);
}

/// Bytes for packed blocks of both operands, whatever their type: narrower panels can fill a block better.
static inline size_t packing_bytes(int64_t m, int64_t n, int64_t k) {
  const int64_t depth = depth_of_block(k);
  const int64_t wide = columns_of_block<float>(n, depth);
  const int64_t narrow = columns_of_block<double>(n, depth);
  return static_cast<size_t>(packed_a_size(m, depth) + (wide > narrow ? wide : narrow) * depth) *
         sizeof(double);
}

template <class From, class T>
static inline bool a_lies_well(const GemmTask& task) {
  return std::is_same_v<From, T> &&
         (task.a.column_stride == 1 || (task.a.row_stride == 1 && task.k <= kStepsAcross));
}

template <class From, class T>
static inline bool b_lies_well(const GemmTask& task) {
  return std::is_same_v<From, T> &&
         (task.in_panels || (task.b.column_stride == 1 && task.m <= kRowsPerPacking));
}

/// Enough for every way to run the task.
static inline size_t workspace_bytes(const GemmTask& task) {
  return packing_bytes(task.m, task.in_panels ? 0 : task.n, task.k);
}

/// A block of a as the tiles read it.
template <class T>
struct BlockOfA {
  const T* data;
  ReadA read;
  int64_t row_step;  ///< from row to row
  int64_t step;      ///< as a tile reads it, unless the block is
  bool packed;       ///< in panels of a tile's rows
};

template <class From, class T>
static BlockOfA<T> block_of_a(const GemmTask& task, int64_t row, int64_t rows, int64_t depth, int64_t count,
                              T* packed) {
  if constexpr (std::is_same_v<From, T>) {
    if (a_lies_well<From, T>(task)) {
      const MatrixView& a = task.a;
      const T* at = static_cast<const T*>(a.data) + row * a.row_stride + depth * a.column_stride;
      if (a.column_stride == 1) return {at, ReadA::kAlongRows, a.row_stride, a.row_stride, false};
      return {at, ReadA::kAcross, 1, a.column_stride, false};
    }
  }
  pack_a<From, T>(task.a, row, rows, depth, count, packed);
  return {packed, ReadA::kAcross, count, 0, true};
}

/// Where the tiles of some columns find b; columns that do not fill a register are followed by something.
template <class T>
struct PanelOfB {
  const T* data;
  int64_t step;
};

/// All tiles of a block of rows and up to kTileColumns columns of c.
template <class T>
static void run_panel(const GemmTask& task, const BlockOfA<T>& a, int64_t row, int64_t rows, int64_t column,
                      int64_t columns, int64_t count, PanelOfB<T> b, bool accumulate) {
  const bool whole = columns % Vector<T>::kWidth == 0;
  const auto* column_bias = static_cast<const T*>(accumulate ? nullptr : task.bias);
  const auto* row_bias = static_cast<const T*>(accumulate ? nullptr : task.row_bias);
  const int64_t height = tile_height(rows);
  for (int64_t i = 0; i < rows; i += height) {
    const int64_t high = smaller(height, rows - i);
    TileTask<T> tile{};
    tile.k = count;
    tile.a = a.data + i * a.row_step;
    tile.a_step = a.packed ? high : a.step;
    tile.b = b.data;
    tile.b_step = b.step;
    tile.c = static_cast<T*>(task.c) + (row + i) * task.c_stride + column;
    tile.c_stride = task.c_stride;
    tile.start = {accumulate, column_bias ? column_bias + column : nullptr,
                  row_bias ? row_bias + row + i : nullptr};
    const TileFunction<T> run = pick_tile<T>(a.read, high, columns);
    if (whole) {
      run(tile);
    } else {
      run_edge_tile<T>(run, tile, high, columns);
    }
  }
}

static inline void finish_block(const GemmTask& task, int64_t row, int64_t rows, int64_t column,
                                int64_t columns, size_t itemsize) {
  char* c = static_cast<char*>(task.c) + static_cast<size_t>(row * task.c_stride + column) * itemsize;
  task.finish->run(task.first_row + row, rows, task.first_column + column, columns, c, task.c_stride);
}

/// `count` steps of k for `columns` columns of c, where `panel(column)` says where b is.
template <class From, class T, class Panel>
static void run_columns(const GemmTask& task, int64_t column, int64_t columns, int64_t depth, int64_t count,
                        int64_t block, T* packed_a, const Panel& panel) {
  constexpr int64_t width = kTileColumns<T>;
  const bool finishes = task.finish && depth + count >= task.k;
  for (int64_t row = 0; row < task.m; row += block) {
    const int64_t rows = smaller(block, task.m - row);
    const BlockOfA<T> a = block_of_a<From, T>(task, row, rows, depth, count, packed_a);
    int64_t finished = 0;
    for (int64_t j = 0; j < columns; j += width) {
      const int64_t end = smaller(j + width, columns);
      run_panel<T>(task, a, row, rows, column + j, end - j, count, panel(column + j), depth > 0);
      if (finishes && (end - finished >= kFinishedColumns || end == columns)) {
        finish_block(task, row, rows, column + finished, end - finished, sizeof(T));
        finished = end;
      }
    }
  }
}

/// c = a @ b, where b is read where it lies.
template <class T>
static void run_in_place(const GemmTask& task) {
  constexpr int64_t width = kTileColumns<T>;
  const int64_t steps = depth_of_block(task.k);
  T* packed_a = static_cast<T*>(task.workspace);
  T* edge = packed_a + packed_a_size(task.m, steps);
  const auto* b = static_cast<const T*>(task.b.data);
  const int64_t last = task.n / width * width;
  const bool has_edge = !task.in_panels && task.n % Vector<T>::kWidth != 0;
  int64_t depth = 0;
  do {  // an empty sum still writes its zeros
    const int64_t count = smaller(steps, task.k - depth);
    const T* from = b + depth * task.b.row_stride;
    if (has_edge) pack_b_panel<T, T>(from + last, task.b.row_stride, 1, count, task.n - last, width, edge);
    const int64_t block = rows_of_block(task.m, steps);
    run_columns<T, T>(task, 0, task.n, depth, count, block, packed_a, [&](int64_t column) -> PanelOfB<T> {
      if (task.in_panels) {
        const T* panel = b + column / kPanelColumns * kPanelColumns * task.k;
        return {panel + depth * kPanelColumns + column % kPanelColumns, kPanelColumns};
      }
      if (has_edge && column == last) return {edge, width};
      return {from + column, task.b.row_stride};
    });
    depth += count;
  } while (depth < task.k);
}

/// c = a @ b, where `pack(depth, count, column, columns, out)` gives a panel of b, kTileColumns wide.
template <class From, class T, class Pack>
static void run_packed(const GemmTask& task, const Pack& pack) {
  constexpr int64_t width = kTileColumns<T>;
  const int64_t steps = depth_of_block(task.k);
  const int64_t most = columns_of_block<T>(task.n, steps);
  T* packed_a = static_cast<T*>(task.workspace);
  T* packed_b = packed_a + packed_a_size(task.m, steps);
  for (int64_t column = 0; column < task.n; column += most) {
    const int64_t columns = smaller(most, task.n - column);
    int64_t depth = 0;
    do {  // an empty sum still writes its zeros
      const int64_t count = smaller(steps, task.k - depth);
      for (int64_t j = 0; j < columns; j += width) {
        pack(depth, count, column + j, smaller(width, columns - j), packed_b + j * count);
      }
      const int64_t block = rows_of_block(task.m, steps);
      run_columns<From, T>(
          task, column, columns, depth, count, block, packed_a,
          [&](int64_t at) -> PanelOfB<T> { return {packed_b + (at - column) * count, width}; });
      depth += count;
    } while (depth < task.k);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
