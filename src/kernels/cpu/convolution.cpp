#include <algorithm>

#include "base/parallel.h"
#include "base/thread_count.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/convolution_geometry.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/onednn_convolution.h"
#include "kernels/cpu/window_matrix.h"

namespace dyad::kernels {

namespace {

const ConvolutionTable& table() {
  static const ConvolutionTable& best =
      best_table(baseline::convolution_table, avx2::convolution_table, avx512::convolution_table);
  return best;
}

constexpr int64_t kParallelWork = 1 << 17;

/// A convolution whose operands are in place and of the dtype of the computation.
struct Convolution {
  const ConvolutionGeometry& geometry;
  DType computed;
  const char* image;
  const char* weight;
  const char* bias;  ///< or null
  char* out;

  const char* moved(const char* from, int64_t elements) const { return from + elements * itemsize(computed); }
};

void run_depthwise(const Convolution& c) {
  const ConvolutionGeometry& g = c.geometry;
  const int64_t channels = g.groups * g.out_channels;
  const int64_t work = std::max<int64_t>(1, g.position_count() * g.kernel_elements());
  auto run = c.computed == DType::kFloat32 ? table().depthwise_float : table().depthwise_double;
  parallel_for(g.images * channels, 1 + kParallelWork / work, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t channel = index % channels;
      const int64_t plane = index / channels * g.groups + channel / g.out_channels;
      run({c.moved(c.image, plane * g.padded_plane()), c.moved(c.weight, channel * g.kernel_elements()),
           c.bias ? c.moved(c.bias, channel) : nullptr,
           const_cast<char*>(c.moved(c.out, index * g.position_count())), &g.window});
    }
  });
}

/// Rows (channels) and columns (positions) of one image and group that one thread computes.
struct Part {
  int64_t row;
  int64_t rows;
  int64_t column;
  int64_t columns;
};

void run_part(const Convolution& c, int64_t image, int64_t group, const Part& part) {
  const ConvolutionGeometry& g = c.geometry;
  const int64_t depth = g.in_channels * g.kernel_elements();
  const int64_t channel = group * g.out_channels + part.row;
  ConvolutionTask task{};
  task.product.m = part.rows;
  task.product.n = part.columns;
  task.product.k = depth;
  task.product.a = {c.moved(c.weight, channel * depth), depth, 1};
  const int64_t plane = image * g.groups * g.out_channels + channel;
  task.product.c = const_cast<char*>(c.moved(c.out, plane * g.position_count() + part.column));
  task.product.c_stride = g.position_count();
  task.product.row_bias = c.bias ? c.moved(c.bias, channel) : nullptr;
  task.image = c.moved(c.image, (image * g.groups + group) * g.in_channels * g.padded_plane());
  task.window = &g.window;
  task.first = part.column;
  Workspace workspace(table().workspace_bytes(part.rows, part.columns, depth));
  task.product.workspace = workspace.as<void>();
  (c.computed == DType::kFloat32 ? table().run_float : table().run_double)(task);
}

void run_general(const Convolution& c) {
  const ConvolutionGeometry& g = c.geometry;
  const int64_t stacks = g.images * g.groups;
  const int64_t positions = g.position_count();
  const int64_t work = g.out_channels * positions * g.in_channels * g.kernel_elements();
  // One image is cut along its longer side; with several, each is one piece of work.
  const int threads =
      worthwhile_threads(static_cast<double>(stacks * work) / static_cast<double>(kParallelWork));
  const bool cut = stacks < 2 * threads && work > kParallelWork;
  const bool by_columns = positions >= g.out_channels;
  const int64_t unit = by_columns ? 32 : 14;
  const int64_t units = ((by_columns ? positions : g.out_channels) + unit - 1) / unit;
  const int64_t pieces = cut ? std::min<int64_t>(units, threads) : 1;
  const int64_t grain = cut ? 1 : 1 + kParallelWork / std::max<int64_t>(1, work);
  parallel_for(stacks * pieces, grain, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t stack = index / pieces;
      const int64_t first = index % pieces * units / pieces * unit;
      const int64_t last = (index % pieces + 1) * units / pieces * unit;
      Part part{0, g.out_channels, 0, positions};
      if (by_columns) {
        part.column = first;
        part.columns = std::min(last, positions) - first;
      } else {
        part.row = first;
        part.rows = std::min(last, g.out_channels) - first;
      }
      run_part(c, stack / g.groups, stack % g.groups, part);
    }
  });
}

/// Whether forming the matrix of windows costs less than moving image and weights to the library's layouts:
/// few positions under large weights, or a 1x1 kernel that only skips positions and leaves many.
bool goes_by_windows(const ConvolutionGeometry& g) {
  constexpr int64_t kFewPositions = 64;
  constexpr int64_t kManyPositions = 128;
  constexpr int64_t kLargeWeights = 1 << 20;
  if (g.groups > 1) return false;
  const bool skips = g.stride[0] * g.stride[1] * g.stride[2] > 1;
  if (g.kernel_elements() == 1)
    return skips && !g.has_padding() && (g.images == 1 || g.position_count() >= kManyPositions);
  return g.images * g.position_count() <= kFewPositions &&
         g.out_channels * g.in_channels * g.kernel_elements() >= kLargeWeights;
}

void run_by_windows(const ConvolutionGeometry& g, const float* image, const float* weight, const float* bias,
                    float* out) {
  const int64_t depth = g.in_channels * g.kernel_elements();
  const int64_t positions = g.position_count();
  const Scratch matrix(DType::kFloat32, Shape{depth, positions});
  for (int64_t i = 0; i < g.images; ++i) {
    gather_windows(g, image + i * g.in_channels * g.padded_plane(), matrix.as<float>());
    float* target = out + i * g.out_channels * positions;
    MatrixProducts product{};
    product.dtype = DType::kFloat32;
    product.m = g.out_channels;
    product.n = positions;
    product.k = depth;
    product.a = {weight, depth, 1};
    product.b = {matrix.data, positions, 1};
    product.c = target;
    multiply_matrices(product);
    for (int64_t channel = 0; bias && channel < g.out_channels; ++channel) {
      for (int64_t p = 0; p < positions; ++p) target[channel * positions + p] += bias[channel];
    }
  }
}

void run_in_library(const KernelCall& call, const ConvolutionGeometry& geometry) {
  const DType computed = onednn::convolution_dtype(call.out().dtype);
  const Prepared image(call.in(0), computed);
  const Prepared weight(call.in(1), computed);
  std::optional<Prepared> bias;
  if (call.has(2)) bias.emplace(call.in(2), computed);
  Computed result(call.out(), computed);
  onednn::convolve(geometry, computed, image->data, weight->data, bias ? (*bias)->data : nullptr,
                   result.as<void>());
  result.store();
}

void run_convolution(const KernelCall& call) {
  if (call.flag(7)) return channels_last::convolution(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry geometry(call.in(0).shape, out.shape, call.in(1).shape, call, 3);
  const bool by_library = onednn::takes(geometry, out.dtype);
  if (by_library && !goes_by_windows(geometry)) return run_in_library(call, geometry);
  const DType computed = compute_dtype(out.dtype);
  const Prepared weight(call.in(1), computed);
  std::optional<Prepared> bias;
  if (call.has(2)) bias.emplace(call.in(2), computed);
  std::optional<Scratch> wide;
  if (computed != out.dtype) wide.emplace(computed, out.shape);
  const PaddedImage image(call.in(0), geometry, computed);
  if (by_library) {
    run_by_windows(geometry, reinterpret_cast<const float*>(image.data()), weight->as<float>(),
                   bias ? (*bias)->as<float>() : nullptr, wide ? wide->as<float>() : out.as<float>());
    if (wide) copy(*wide, out);
    return;
  }
  Convolution c{geometry,
                computed,
                image.data(),
                weight->as<char>(),
                bias ? (*bias)->as<char>() : nullptr,
                wide ? wide->as<char>() : out.as<char>()};
  if (geometry.in_channels == 1) {
    run_depthwise(c);
  } else {
    run_general(c);
  }
  if (wide) copy(*wide, out);
}

DYAD_CPU_KERNEL(convolution, run_convolution);

}  // namespace

}  // namespace dyad::kernels
