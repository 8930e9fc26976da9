#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/convolution_geometry.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/onednn_convolution.h"
#include "kernels/cpu/window_matrix.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

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

using LibraryGradient = decltype(onednn::convolve_gradient);

/// By the library, from the gradient and the other operand, in the dtype that it computes in.
void run_in_library(const KernelCall& call, const ConvolutionGeometry& g, LibraryGradient* run) {
  const DType computed = onednn::convolution_dtype(call.out().dtype);
  const Prepared gradient(call.in(0), computed);
  const Prepared other(call.in(1), computed);
  Computed result(call.out(), computed);
  run(g, computed, gradient->data, other->data, result.as<void>());
  result.store();
}

void run_input_gradient(const KernelCall& call) {
  if (call.flag(7)) return channels_last::convolution_input_gradient(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry g(out.shape, call.in(0).shape, call.in(1).shape, call, 3);
  if (onednn::takes(g, out.dtype)) return run_in_library(call, g, onednn::convolve_gradient);
  const DType computed = compute_dtype(out.dtype);
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

void sum_weight_gradient(const ConvolutionGeometry& g, const KernelCall& call, Scratch& sum) {
  const Prepared gradient(call.in(0), sum.dtype);
  const PaddedImage image(call.in(1), g, sum.dtype);
  if (sum.dtype == DType::kFloat32) {
    weight_gradient(g, sum.dtype, gradient->as<const float>(), reinterpret_cast<const float*>(image.data()),
                    sum.as<float>());
  } else {
    weight_gradient(g, sum.dtype, gradient->as<const double>(), reinterpret_cast<const double*>(image.data()),
                    sum.as<double>());
  }
}

void run_weight_gradient(const KernelCall& call) {
  if (call.flag(7)) return channels_last::convolution_weight_gradient(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry g(call.in(1).shape, call.in(0).shape, out.shape, call, 3);
  if (onednn::takes(g, out.dtype)) return run_in_library(call, g, onednn::weight_gradient);
  const DType computed = compute_dtype(out.dtype);
  Scratch sum(computed, out.shape);
  std::memset(sum.data, 0, static_cast<size_t>(sum.size() * itemsize(computed)));
  if (call.in(0).size() > 0) sum_weight_gradient(g, call, sum);
  copy(sum, out);
}

DYAD_CPU_KERNEL(convolution_input_gradient, run_input_gradient);
DYAD_CPU_KERNEL(convolution_weight_gradient, run_weight_gradient);

}  // namespace

}  // namespace dyad::kernels
