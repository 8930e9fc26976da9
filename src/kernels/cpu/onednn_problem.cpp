#include "kernels/cpu/onednn_problem.h"

namespace dyad::kernels::onednn {

namespace {

constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr int64_t kLongPlane = 128;

double work_of(const ConvolutionGeometry& g) {
  const int64_t outputs = g.images * g.groups * g.out_channels * g.position_count();
  return static_cast<double>(outputs) * static_cast<double>(g.in_channels * g.kernel_elements());
}

}  // namespace

dnnl::memory::desc plain(const dnnl::memory::dims& sizes, DType dtype) {
  dnnl::memory::dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i];
  }
  return {sizes, library_type(dtype), strides};
}

dnnl::memory::desc channels_last(const dnnl::memory::dims& sizes) {
  dnnl::memory::dims strides(sizes.size());
  strides[1] = 1;
  int64_t step = sizes[1];
  for (size_t i = sizes.size(); i-- > 2;) {
    strides[i] = step;
    step *= sizes[i];
  }
  strides[0] = step;
  return {sizes, library_type(DType::kFloat32), strides};
}

dnnl::memory::desc any(const dnnl::memory::dims& sizes, DType dtype) {
  return {sizes, library_type(dtype), dnnl::memory::format_tag::any};
}

Problem::Problem(const ConvolutionGeometry& g, DType computed)
    : dtype(computed), threads(work_of(g) / kGrainWork) {
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

Key Problem::key(std::string_view kind) const {
  Key key(kind);
  key.add(static_cast<int64_t>(dtype)).add(grouped);
  for (const Dims* dims : {&image, &weight, &out, &stride, &dilation, &before, &after}) {
    for (int64_t size : *dims) key.add(size);
  }
  return key;
}

dnnl::convolution_forward::primitive_desc Problem::forward(const Description& from, const Description& to,
                                                           bool has_bias) const {
  const auto kind = dnnl::prop_kind::forward_training;
  if (has_bias) {
    return {engine(), kind,     kDirect, from,  any(weight, dtype), plain(bias, dtype), to,
            stride,   dilation, before,  after, caller_scratch()};
  }
  return {engine(), kind,     kDirect, from,  any(weight, dtype), to,
          stride,   dilation, before,  after, caller_scratch()};
}

dnnl::convolution_backward_data::primitive_desc Problem::image_gradient(const Description& from,
                                                                        const Description& to) const {
  return {engine(),
          kDirect,
          from,
          any(weight, dtype),
          to,
          stride,
          dilation,
          before,
          after,
          forward(from, to, false),
          caller_scratch()};
}

dnnl::convolution_backward_weights::primitive_desc Problem::weight_gradient(const Description& from,
                                                                            const Description& to) const {
  return {engine(),
          kDirect,
          from,
          any(weight, dtype),
          to,
          stride,
          dilation,
          before,
          after,
          forward(from, to, false),
          caller_scratch()};
}

}  // namespace dyad::kernels::onednn
