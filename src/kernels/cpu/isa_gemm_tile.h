#pragma once

// The innermost part of a matrix product: a tile of c stays in registers while k runs. Only files in isa/
// include this.

#include <cstdint>
#include <utility>

#include "kernels/cpu/isa_vector.h"

namespace dyad::kernels::DYAD_ISA {

// Wide tiles rather than tall ones: an element of a that is spread over a register then serves more products,
// and so few rows of a can be read where they lie, whatever their distance.
#if defined(__AVX512F__)
static constexpr int kTileRows = 6;  // 24 accumulators of the 32 registers
static constexpr int kTileVectors = 4;
#elif defined(__AVX2__)
static constexpr int kTileRows = 6;  // 12 of 16
static constexpr int kTileVectors = 2;
#else
static constexpr int kTileRows = 4;
static constexpr int kTileVectors = 2;
#endif
template <class T>
static constexpr int64_t kTileColumns = kTileVectors * Vector<T>::kWidth;

/// How a tile reads a: `kAlongRows` has k in order (`step` from row to row), `kAcross` has the rows of a tile
/// side by side (`step` from one k to the next): a packed panel, or a transposed matrix where it lies.
enum class ReadA { kAlongRows, kAcross };

/// What the sums of a tile start with.
template <class T>
struct Start {
  bool accumulate;  ///< on what c holds
  const T* column;  ///< one number per column, or null
  const T* row;     ///< one number per row, or null
};

/// One tile of a product: c = start + a b, over k elements.
template <class T>
struct TileTask {
  int64_t k;
  const T* a;
  int64_t a_step;
  const T* b;
  int64_t b_step;  ///< from one row of b to the next
  T* c;
  int64_t c_stride;
  Start<T> start;
};

template <class T>
using TileFunction = void (*)(const TileTask<T>& task);

/// `rows` x `vectors` registers of c.
template <class T, int rows, int vectors, ReadA read>
static void run_tile(const TileTask<T>& task) {
  using V = Vector<T>;
  typename V::Register sum[rows][vectors];
  T* c = task.c;
  const int64_t c_stride = task.c_stride;
  if (task.start.accumulate) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) sum[i][j] = V::load(c + i * c_stride + j * V::kWidth);
    }
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) {
        __builtin_prefetch(c + i * c_stride + j * V::kWidth, 1);  // it is there when the sums are done
        sum[i][j] = task.start.row      ? V::spread(task.start.row[i])
                    : task.start.column ? V::load(task.start.column + j * V::kWidth)
                                        : V::zero();
      }
    }
  }
  const T* a = task.a;
  const T* b = task.b;
  const int64_t a_step = task.a_step;
  const int64_t b_step = task.b_step;
  for (int64_t p = 0; p < task.k; ++p) {
    typename V::Register right[vectors];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) right[j] = V::load(b + j * V::kWidth);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const auto left = V::spread(read == ReadA::kAcross ? a[i] : a[i * a_step]);
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) sum[i][j] = V::multiply_add(left, right[j], sum[i][j]);
    }
    a += read == ReadA::kAcross ? a_step : 1;
    b += b_step;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) V::store(c + i * c_stride + j * V::kWidth, sum[i][j]);
  }
}

template <class T, ReadA read, int vectors, int... rows>
static constexpr TileFunction<T> tile_of_rows(int64_t count, std::integer_sequence<int, rows...>) {
  constexpr TileFunction<T> tiles[] = {run_tile<T, rows + 1, vectors, read>...};
  return tiles[count - 1];
}

template <class T, ReadA read, int... vectors>
static constexpr TileFunction<T> tile_of_size(int64_t rows, int64_t count,
                                              std::integer_sequence<int, vectors...>) {
  TileFunction<T> found = nullptr;
  ((count == vectors + 1
        ? void(found = tile_of_rows<T, read, vectors + 1>(rows, std::make_integer_sequence<int, kTileRows>{}))
        : void()),
   ...);
  return found;
}

/// A tile of `rows` rows and at least `columns` columns, in whole registers.
template <class T>
static TileFunction<T> pick_tile(ReadA read, int64_t rows, int64_t columns) {
  const int64_t vectors = (columns + Vector<T>::kWidth - 1) / Vector<T>::kWidth;
  constexpr std::make_integer_sequence<int, kTileVectors> counts{};
  return read == ReadA::kAcross ? tile_of_size<T, ReadA::kAcross>(rows, vectors, counts)
                                : tile_of_size<T, ReadA::kAlongRows>(rows, vectors, counts);
}

/// A tile whose last register is not full goes through a buffer; b is filled up.
template <class T>
static void run_edge_tile(TileFunction<T> tile, TileTask<T> task, int64_t rows, int64_t columns) {
  constexpr int64_t width = kTileColumns<T>;
  T buffer[kTileRows * width] = {};
  T padded[width] = {};
  T* c = task.c;
  const int64_t c_stride = task.c_stride;
  if (task.start.column) {
    for (int64_t j = 0; j < columns; ++j) padded[j] = task.start.column[j];
    task.start.column = padded;
  }
  for (int64_t i = 0; task.start.accumulate && i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) buffer[i * width + j] = c[i * c_stride + j];
  }
  task.c = buffer;
  task.c_stride = width;
  tile(task);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * c_stride + j] = buffer[i * width + j];
  }
}

}  // namespace dyad::kernels::DYAD_ISA
