#include "kernels/cpu/onednn_convolution.h"

#include "kernels/cpu/onednn_routed.h"

namespace dyad::kernels::onednn {

namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Description = dnnl::memory::desc;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Multiplications from which on the library's kernels outweigh what it costs to call them.
constexpr int64_t kLibraryWork = 1 << 18;
// Positions from which on a plane is long enough for matrix products that take it where it lies.
constexpr int64_t kLongPlane = 128;

Description plain(const Dims& sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i];
  }
  return {sizes, dnnl::memory::data_type::f32, strides};
}

Description any(const Dims& sizes) { return {sizes, dnnl::memory::data_type::f32, Tag::any}; }

/// Sizes in the library's terms: planar where there is no depth, volumetric otherwise.
struct Problem {
  Dims image, weight, bias, out, stride, dilation, before, after;
  bool grouped;
  bool dot;    ///< a 1x1 kernel without padding
  bool skips;  ///< strides leave positions out
  bool long_plane;

  explicit Problem(const ConvolutionGeometry& g) {
    const bool flat = g.in[0] == 1 && g.window.kernel[0] == 1 && g.before[0] == 0 && g.padded[0] == 1;
    grouped = g.groups > 1;
    image = {g.images, g.groups * g.in_channels};
    out = {g.images, g.groups * g.out_channels};
    bias = {g.groups * g.out_channels};
    if (grouped) weight.push_back(g.groups);
    weight.push_back(grouped ? g.out_channels : g.groups * g.out_channels);
    weight.push_back(g.in_channels);
    for (int d = flat ? 1 : 0; d < 3; ++d) {
      image.push_back(g.in[d]);
      weight.push_back(g.window.kernel[d]);
      out.push_back(g.window.out[d]);
      stride.push_back(g.stride[d]);
      dilation.push_back(g.dilation[d] - 1);
      before.push_back(g.before[d]);
      after.push_back(g.padded[d] - g.in[d] - g.before[d]);
    }
    dot = g.kernel_elements() == 1 && !g.has_padding();
    skips = g.stride[0] * g.stride[1] * g.stride[2] > 1;
    long_plane = g.position_count() >= kLongPlane;
  }

  Key key(std::string_view kind) const {
    Key key(kind);
    key.add(grouped);
    for (const Dims* dims : {&image, &weight, &out, &stride, &dilation, &before, &after}) {
      for (int64_t size : *dims) key.add(size);
    }
    return key;
  }

  auto forward(const Description& from, const Description& to, bool has_bias) const {
    const auto kind = dnnl::prop_kind::forward_training;
    return has_bias
               ? dnnl::convolution_forward::primitive_desc(engine(), kind, kDirect, from, any(weight),
                                                           plain(bias), to, stride, dilation, before, after,
                                                           caller_scratch())
               : dnnl::convolution_forward::primitive_desc(engine(), kind, kDirect, from, any(weight), to,
                                                           stride, dilation, before, after, caller_scratch());
  }
};

using Routed = std::shared_ptr<const RoutedPrimitive>;

// Images move to the library's own layouts and back where its kernels gain more by them than the moves cost.
// Otherwise they stay where they are and the library multiplies matrices; which is better was measured over
// the convolutions of ResNet-50.

Routed make_forward(const Problem& p, bool has_bias) {
  const bool stays = !p.grouped && p.dot && !p.skips && p.long_plane;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes) : any(sizes); };
  const auto made = p.forward(layout(p.image), layout(p.out), has_bias);
  std::vector<Route> routes{{DNNL_ARG_SRC, plain(p.image), made.src_desc()},
                            {DNNL_ARG_WEIGHTS, plain(p.weight), made.weights_desc()},
                            {DNNL_ARG_DST, plain(p.out), made.dst_desc(), true}};
  if (has_bias) routes.push_back({DNNL_ARG_BIAS, plain(p.bias), plain(p.bias)});
  return std::make_shared<RoutedPrimitive>(dnnl::convolution_forward(made), made.scratchpad_desc(), routes);
}

Routed make_convolve_gradient(const Problem& p) {
  const bool stays = !p.grouped && p.dot && p.long_plane;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes) : any(sizes); };
  const dnnl::convolution_backward_data::primitive_desc made(
      engine(), kDirect, layout(p.image), any(p.weight), layout(p.out), p.stride, p.dilation, p.before,
      p.after, p.forward(layout(p.image), layout(p.out), false), caller_scratch());
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_data(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, plain(p.out), made.diff_dst_desc()},
                         {DNNL_ARG_WEIGHTS, plain(p.weight), made.weights_desc()},
                         {DNNL_ARG_DIFF_SRC, plain(p.image), made.diff_src_desc(), true}});
}

Routed make_weight_gradient(const Problem& p) {
  const bool stays = !p.grouped && p.dot;
  const auto layout = [&](const Dims& sizes) { return stays ? plain(sizes) : any(sizes); };
  const dnnl::convolution_backward_weights::primitive_desc made(
      engine(), kDirect, layout(p.image), any(p.weight), layout(p.out), p.stride, p.dilation, p.before,
      p.after, p.forward(layout(p.image), layout(p.out), false), caller_scratch());
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_weights(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, plain(p.out), made.diff_dst_desc()},
                         {DNNL_ARG_SRC, plain(p.image), made.src_desc()},
                         {DNNL_ARG_DIFF_WEIGHTS, plain(p.weight), made.diff_weights_desc(), true}});
}

PrimitiveCache<RoutedPrimitive>& cache() {
  static PrimitiveCache<RoutedPrimitive> primitives;
  return primitives;
}

}  // namespace

bool takes(const ConvolutionGeometry& g) {
  return g.images * g.groups * g.out_channels * g.position_count() * g.in_channels * g.kernel_elements() >=
         kLibraryWork;
}

void convolve(const ConvolutionGeometry& geometry, const float* image, const float* weight, const float* bias,
              float* out) {
  const Problem p(geometry);
  const auto convolution =
      cache().get(p.key(bias ? "b" : "f"), [&] { return make_forward(p, bias != nullptr); });
  const float* operands[] = {image, weight, out, bias};
  convolution->run({operands, bias ? size_t{4} : size_t{3}});
}

void convolve_gradient(const ConvolutionGeometry& geometry, const float* gradient, const float* weight,
                       float* image) {
  const Problem p(geometry);
  const float* operands[] = {gradient, weight, image};
  cache().get(p.key("i"), [&] { return make_convolve_gradient(p); })->run(operands);
}

void weight_gradient(const ConvolutionGeometry& geometry, const float* gradient, const float* image,
                     float* weight) {
  const Problem p(geometry);
  const float* operands[] = {gradient, image, weight};
  const SameForAnyThreads scope;  // images are shared out and their gradients added up
  cache().get(p.key(scope.active() ? "s" : "w"), [&] { return make_weight_gradient(p); })->run(operands);
}

}  // namespace dyad::kernels::onednn
