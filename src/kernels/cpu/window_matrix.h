#pragma once

// The matrix of windows of an image: one row per channel and kernel element, one column per position. A
// convolution is the product of its weights with this matrix.

#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/convolution_geometry.h"

namespace dyad::kernels {

/// Calls `body(place in the padded image, place in the matrix, count)` for each row of positions of one
/// matrix row.
template <class Body>
void for_each_position_row(const ConvolutionGeometry& g, int64_t matrix_row, const Body& body) {
  const KernelWindow& w = g.window;
  int64_t element = matrix_row;
  int64_t offset = 0;
  for (int d = 2; d >= 0; --d) {
    offset += element % w.kernel[d] * w.kernel_step[d + 1];
    element /= w.kernel[d];
  }
  offset += element * w.kernel_step[0];
  int64_t place = matrix_row * g.position_count();
  for (int64_t z = 0; z < w.out[0]; ++z) {
    for (int64_t y = 0; y < w.out[1]; ++y, place += w.out[2]) {
      body(offset + z * w.move_step[0] + y * w.move_step[1], place, w.out[2]);
    }
  }
}

template <class T>
void gather_windows(const ConvolutionGeometry& g, const T* image, T* matrix) {
  const int64_t rows = g.in_channels * g.kernel_elements();
  const int64_t step = g.window.move_step[2];
  parallel_for(rows, 1 + (1 << 15) / std::max<int64_t>(1, g.position_count()),
               [&](int64_t begin, int64_t end) {
                 for (int64_t row = begin; row < end; ++row) {
                   for_each_position_row(g, row, [&](int64_t from, int64_t to, int64_t count) {
                     for (int64_t i = 0; i < count; ++i) matrix[to + i] = image[from + i * step];
                   });
                 }
               });
}

/// The reverse: adds each window back to the places it came from. Channels do not overlap, so they run side
/// by side.
template <class T>
void scatter_windows(const ConvolutionGeometry& g, const T* matrix, T* image) {
  const int64_t step = g.window.move_step[2];
  const int64_t work = std::max<int64_t>(1, g.position_count() * g.kernel_elements());
  parallel_for(g.in_channels, 1 + (1 << 15) / work, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * g.kernel_elements(); row < end * g.kernel_elements(); ++row) {
      for_each_position_row(g, row, [&](int64_t to, int64_t from, int64_t count) {
        for (int64_t i = 0; i < count; ++i) image[to + i * step] += matrix[from + i];
      });
    }
  });
}

}  // namespace dyad::kernels
