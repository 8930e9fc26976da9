#include "kernels/cpu/onednn_convolution.h"

#include "kernels/cpu/onednn_problem.h"
#include "kernels/cpu/onednn_routed.h"

namespace dyad::kernels::onednn {

namespace {

using Dims = dnnl::memory::dims;

// Multiplications from which on the library's kernels outweigh what it costs to call them.
constexpr int64_t kLibraryWork = 1 << 18;

using Routed = std::shared_ptr<const RoutedPrimitive>;

// Images move to the library's own layouts and back where its kernels gain more by them than the moves cost.
// Otherwise they stay where they are and the library multiplies matrices; which is better was measured over
// the convolutions of ResNet-50.

Routed make_forward(const Problem& p, bool has_bias) {
  const bool stays = !p.grouped && p.dot && !p.skips && p.long_plane;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes, p.dtype) : any(sizes, p.dtype); };
  const auto made = p.forward(layout(p.image), layout(p.out), has_bias);
  std::vector<Route> routes{{DNNL_ARG_SRC, plain(p.image, p.dtype), made.src_desc()},
                            {DNNL_ARG_WEIGHTS, plain(p.weight, p.dtype), made.weights_desc()},
                            {DNNL_ARG_DST, plain(p.out, p.dtype), made.dst_desc(), true}};
  if (has_bias) routes.push_back({DNNL_ARG_BIAS, plain(p.bias, p.dtype), plain(p.bias, p.dtype)});
  return std::make_shared<RoutedPrimitive>(dnnl::convolution_forward(made), made.scratchpad_desc(), routes);
}

Routed make_convolve_gradient(const Problem& p) {
  const bool stays = !p.grouped && p.dot && p.long_plane;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes, p.dtype) : any(sizes, p.dtype); };
  const auto made = p.image_gradient(layout(p.image), layout(p.out));
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_data(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, plain(p.out, p.dtype), made.diff_dst_desc()},
                         {DNNL_ARG_WEIGHTS, plain(p.weight, p.dtype), made.weights_desc()},
                         {DNNL_ARG_DIFF_SRC, plain(p.image, p.dtype), made.diff_src_desc(), true}});
}

Routed make_weight_gradient(const Problem& p) {
  const bool stays = !p.grouped && p.dot;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes, p.dtype) : any(sizes, p.dtype); };
  const auto made = p.weight_gradient(layout(p.image), layout(p.out));
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_weights(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, plain(p.out, p.dtype), made.diff_dst_desc()},
                         {DNNL_ARG_SRC, plain(p.image, p.dtype), made.src_desc()},
                         {DNNL_ARG_DIFF_WEIGHTS, plain(p.weight, p.dtype), made.diff_weights_desc(), true}});
}

PrimitiveCache<RoutedPrimitive>& cache() {
  static PrimitiveCache<RoutedPrimitive> primitives;
  return primitives;
}

}  // namespace

bool takes(const ConvolutionGeometry& g, DType dtype) {
  return dtype != DType::kFloat64 &&
         g.images * g.groups * g.out_channels * g.position_count() * g.in_channels * g.kernel_elements() >=
             kLibraryWork;
}

DType convolution_dtype(DType dtype) {
  return dtype == DType::kBFloat16 && multiplies_bfloat16() ? dtype : DType::kFloat32;
}

void convolve(const ConvolutionGeometry& geometry, DType dtype, const void* image, const void* weight,
              const void* bias, void* out) {
  const Problem p(geometry, dtype);
  const void* operands[] = {image, weight, out, bias};
  run_forward(
      [&] { return cache().get(p.key(bias ? "b" : "f"), [&] { return make_forward(p, bias != nullptr); }); },
      {operands, bias ? size_t{4} : size_t{3}});
}

void convolve_gradient(const ConvolutionGeometry& geometry, DType dtype, const void* gradient,
                       const void* weight, void* image) {
  const Problem p(geometry, dtype);
  const void* operands[] = {gradient, weight, image};
  cache().get(p.key("i"), [&] { return make_convolve_gradient(p); })->run(operands);
}

void weight_gradient(const ConvolutionGeometry& geometry, DType dtype, const void* gradient,
                     const void* image, void* weight) {
  const Problem p(geometry, dtype);
  const void* operands[] = {gradient, image, weight};
  const SameForAnyThreads scope;  // images are shared out and their gradients added up
  cache().get(p.key(scope.active() ? "s" : "w"), [&] { return make_weight_gradient(p); })->run(operands);
}

}  // namespace dyad::kernels::onednn
