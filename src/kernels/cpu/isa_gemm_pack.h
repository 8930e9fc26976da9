#pragma once

// Operands of a matrix product put in the order in which its tiles read them. Only files in isa/ include
// this.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cpu/gemm_task.h"
#include "kernels/cpu/isa_gemm_tile.h"

namespace dyad::kernels::DYAD_ISA {

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Rows of a block in tiles of nearly the same height: one of these tiles.
static inline int64_t tile_height(int64_t rows) {
  const int64_t tiles = (rows + kTileRows - 1) / kTileRows;
  return (rows + tiles - 1) / tiles;
}

/// `count` steps of one panel of `rows` rows, side by side.
template <class From, class T>
static void pack_a_panel(const From* at, const MatrixView& view, int64_t rows, int64_t count, T* out) {
  for (int64_t p = 0; p < count; ++p, at += view.column_stride, out += rows) {
    if (rows == kTileRows) {  // the same, unrolled
#pragma GCC unroll 8
      for (int r = 0; r < kTileRows; ++r) out[r] = static_cast<T>(at[r * view.row_stride]);
    } else {
      for (int64_t r = 0; r < rows; ++r) out[r] = static_cast<T>(at[r * view.row_stride]);
    }
  }
}

/// Panels of tile_height rows, each with its rows side by side.
template <class From, class T>
static void pack_a(const MatrixView& view, int64_t row, int64_t rows, int64_t depth, int64_t count, T* out) {
  const From* from = static_cast<const From*>(view.data) + row * view.row_stride + depth * view.column_stride;
  const int64_t height = tile_height(rows);
  // A transposed matrix has many panels in one line of the cache: all panels take a few steps at a time.
  const int64_t piece = view.row_stride == 1 ? 16 : count;
  for (int64_t p = 0; p < count; p += piece) {
    const int64_t steps = smaller(piece, count - p);
    for (int64_t i = 0; i < rows; i += height) {
      const int64_t panel = smaller(height, rows - i);
      pack_a_panel<From, T>(from + i * view.row_stride + p * view.column_stride, view, panel, steps,
                            out + i * count + p * panel);
    }
  }
}

/// A register as a vector of the compiler's, which can be shuffled whatever the instruction set.
template <class T>
struct Lanes {
  static constexpr int kCount = static_cast<int>(Vector<T>::kWidth);
  typedef T Row __attribute__((vector_size(sizeof(T) * kCount), aligned(sizeof(T)), may_alias));
};

/// In every square of 2 `half` lanes and rows, the two quarters beside the diagonal change places.
template <class T, int half, int... lane>
static inline void exchange_quarters(typename Lanes<T>::Row* rows, std::integer_sequence<int, lane...>) {
  constexpr int count = Lanes<T>::kCount;
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) {
    if (i & half) continue;
    const auto a = rows[i];
    const auto b = rows[i + half];
    rows[i] = __builtin_shufflevector(a, b, (lane & half ? count + lane - half : lane)...);
    rows[i + half] = __builtin_shufflevector(a, b, (lane & half ? count + lane : lane + half)...);
  }
}

template <class T, int half>
static inline void transpose_rows(typename Lanes<T>::Row* rows) {
  if constexpr (half < Lanes<T>::kCount) {
    exchange_quarters<T, half>(rows, std::make_integer_sequence<int, Lanes<T>::kCount>{});
    transpose_rows<T, 2 * half>(rows);
  }
}

/// The transpose of a square as wide as a register.
template <class T>
static void transpose_square(const T* from, int64_t from_step, T* to, int64_t to_step) {
  using Row = typename Lanes<T>::Row;
  Row rows[Lanes<T>::kCount];
#pragma GCC unroll 16
  for (int i = 0; i < Lanes<T>::kCount; ++i) rows[i] = *reinterpret_cast<const Row*>(from + i * from_step);
  transpose_rows<T, 1>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < Lanes<T>::kCount; ++i) *reinterpret_cast<Row*>(to + i * to_step) = rows[i];
}

/// `count` rows of `columns` columns of b, `width` apart and filled up with zeros.
template <class From, class T>
static void pack_b_panel(const From* from, int64_t row_stride, int64_t column_stride, int64_t count,
                         int64_t columns, int64_t width, T* out) {
  if (columns < width) {
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t j = columns; j < width; ++j) out[p * width + j] = T(0);
    }
  }
  if (column_stride == 1) {
    for (int64_t p = 0; p < count; ++p, from += row_stride, out += width) {
      for (int64_t j = 0; j < columns; ++j) out[j] = static_cast<T>(from[j]);
    }
    return;
  }
  int64_t first = 0;  // rows that are done
  if constexpr (std::is_same_v<From, T>) {
    constexpr int64_t side = Vector<T>::kWidth;
    for (; row_stride == 1 && first + side <= count; first += side) {
      int64_t j = 0;
      for (; j + side <= columns; j += side) {
        transpose_square(from + first + j * column_stride, column_stride, out + first * width + j, width);
      }
      for (; j < columns; ++j) {
        for (int64_t p = first; p < first + side; ++p) out[p * width + j] = from[p + j * column_stride];
      }
    }
  }
  for (int64_t p = first; p < count; ++p) {
    for (int64_t j = 0; j < columns; ++j)
      out[p * width + j] = static_cast<T>(from[p * row_stride + j * column_stride]);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
