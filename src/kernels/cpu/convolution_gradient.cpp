#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/convolution_geometry.h"
#include "kernels/cpu/gemm.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

// Both gradients go through the matrix of windows: one row per channel and kernel element, one column per
// position.

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

template <class T>
void input_gradient(const ConvolutionGeometry& g, DType computed, const T* gradient, const T* weight,
                    T* padded) {
  const int64_t rows = g.in_channels * g.kernel_elements();
  const int64_t positions = g.position_count();
  Scratch matrix(computed, Shape{rows, positions});
  for (int64_t stack = 0; stack < g.images * g.groups; ++stack) {
    MatrixProducts p{};
    p.dtype = computed;
    p.m = rows;
    p.n = positions;
    p.k = g.out_channels;
    p.a = {weight + stack % g.groups * g.out_channels * rows, 1, rows};
    p.b = {gradient + stack * g.out_channels * positions, positions, 1};
    p.c = matrix.data;
    multiply_matrices(p);
    scatter_windows(g, matrix.as<T>(), padded + stack * g.in_channels * g.padded_plane());
  }
}

template <class T>
void weight_gradient(const ConvolutionGeometry& g, DType computed, const T* gradient, const T* image,
                     T* weight) {
  const int64_t columns = g.in_channels * g.kernel_elements();
  const int64_t positions = g.position_count();
  const int64_t part_size = g.out_channels * columns;
  Scratch matrix(computed, Shape{columns, positions});
  Scratch part(computed, Shape{g.out_channels, columns});
  for (int64_t stack = 0; stack < g.images * g.groups; ++stack) {
    gather_windows(g, image + stack * g.in_channels * g.padded_plane(), matrix.as<T>());
    MatrixProducts p{};
    p.dtype = computed;
    p.m = g.out_channels;
    p.n = columns;
    p.k = positions;
    p.a = {gradient + stack * g.out_channels * positions, positions, 1};
    p.b = {matrix.data, 1, positions};
    p.c = part.data;
    multiply_matrices(p);
    T* sum = weight + stack % g.groups * part_size;
    const T* more = part.as<T>();
    parallel_for(part_size, 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum[i] += more[i];
    });
  }
}

void run_input_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const ConvolutionGeometry g(out.shape, call.in(0).shape, call.in(1).shape, call, 3);
  const Prepared gradient(call.in(0), computed);
  const Prepared weight(call.in(1), computed);
  Scratch padded(computed, g.padded_shape());
  std::memset(padded.data, 0, static_cast<size_t>(padded.size() * itemsize(computed)));
  if (computed == DType::kFloat32) {
    input_gradient(g, computed, gradient->as<const float>(), weight->as<const float>(), padded.as<float>());
  } else {
    input_gradient(g, computed, gradient->as<const double>(), weight->as<const double>(),
                   padded.as<double>());
  }
  Borrowed target(out.data, out.dtype, g.image_shape(), contiguous_strides(g.image_shape()));
  copy(g.interior(padded), target);
}

void run_weight_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  const DType computed = compute_dtype(out.dtype);
  Scratch sum(computed, out.shape);
  std::memset(sum.data, 0, static_cast<size_t>(sum.size() * itemsize(computed)));
  if (call.in(0).size() > 0 && out.size() > 0) {
    const ConvolutionGeometry g(call.in(1).shape, call.in(0).shape, out.shape, call, 3);
    const Prepared gradient(call.in(0), computed);
    const PaddedImage image(call.in(1), g, computed);
    if (computed == DType::kFloat32) {
      weight_gradient(g, computed, gradient->as<const float>(), reinterpret_cast<const float*>(image.data()),
                      sum.as<float>());
    } else {
      weight_gradient(g, computed, gradient->as<const double>(),
                      reinterpret_cast<const double*>(image.data()), sum.as<double>());
    }
  }
  copy(sum, out);
}

DYAD_CPU_KERNEL(convolution_input_gradient, run_input_gradient);
DYAD_CPU_KERNEL(convolution_weight_gradient, run_weight_gradient);

}  // namespace

}  // namespace dyad::kernels
