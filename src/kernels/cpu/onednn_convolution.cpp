#include "kernels/cpu/onednn_convolution.h"

#include <optional>

#include "kernels/cpu/onednn.h"

namespace dyad::kernels::onednn {

namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Description = dnnl::memory::desc;

/// Sizes in the library's terms: planar where there is no depth, volumetric otherwise.
struct Problem {
  Dims image, weight, bias, out, stride, dilation, before, after;
  bool grouped;
  bool pointwise;  ///< a 1x1 kernel over every position: a plain matrix product

  explicit Problem(const ConvolutionGeometry& g) {
    const bool flat = g.in[0] == 1 && g.window.kernel[0] == 1 && g.before[0] == 0 && g.padded[0] == 1;
    grouped = g.groups > 1;
    image = {g.images, g.groups * g.in_channels};
    out = {g.images, g.groups * g.out_channels};
    bias = {g.groups * g.out_channels};
    if (grouped) weight.push_back(g.groups);
    weight.push_back(grouped ? g.out_channels : g.groups * g.out_channels);
    weight.push_back(g.in_channels);
    pointwise = !grouped;
    for (int d = flat ? 1 : 0; d < 3; ++d) {
      image.push_back(g.in[d]);
      weight.push_back(g.window.kernel[d]);
      out.push_back(g.window.out[d]);
      stride.push_back(g.stride[d]);
      dilation.push_back(g.dilation[d] - 1);
      before.push_back(g.before[d]);
      after.push_back(g.padded[d] - g.in[d] - g.before[d]);
      pointwise = pointwise && g.window.kernel[d] == 1 && g.stride[d] == 1 && g.padded[d] == g.in[d];
    }
  }

  Key key(bool has_bias) const {
    Key key(grouped ? "g" : "c");
    key.add(has_bias);
    for (const Dims* dims : {&image, &weight, &out, &stride, &dilation, &before, &after}) {
      for (int64_t size : *dims) key.add(size);
    }
    return key;
  }
};

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

/// A convolution in the library's favourite layouts, with the moves to and from ours.
class Convolution {
 public:
  Convolution(const Problem& p, bool has_bias)
      : image_(plain(p.image)), weight_(plain(p.weight)), out_(plain(p.out)), bias_(plain(p.bias)) {
    // Moving a 1x1 kernel's image to another layout costs more than the product gains by it.
    const auto layout = [&](const Dims& sizes) { return p.pointwise ? plain(sizes) : any(sizes); };
    const auto attributes = caller_scratch();
    const auto kind = dnnl::prop_kind::forward_inference;
    const auto how = dnnl::algorithm::convolution_direct;
    const auto made = has_bias ? dnnl::convolution_forward::primitive_desc(
                                     engine(), kind, how, layout(p.image), any(p.weight), bias_,
                                     layout(p.out), p.stride, p.dilation, p.before, p.after, attributes)
                               : dnnl::convolution_forward::primitive_desc(
                                     engine(), kind, how, layout(p.image), any(p.weight), layout(p.out),
                                     p.stride, p.dilation, p.before, p.after, attributes);
    inner_image_ = made.src_desc();
    inner_weight_ = made.weights_desc();
    inner_out_ = made.dst_desc();
    scratch_ = made.scratchpad_desc();
    convolution_ = dnnl::convolution_forward(made);
    if (inner_image_ != image_) image_in_ = move(image_, inner_image_);
    if (inner_weight_ != weight_) weight_in_ = move(weight_, inner_weight_);
    if (inner_out_ != out_) out_back_ = move(inner_out_, out_);
  }

  void run(const float* image, const float* weight, const float* bias, float* out) const {
    dnnl::stream stream(engine());
    const Workspace moved_image(image_in_ ? inner_image_.get_size() : 0);
    const Workspace moved_weight(weight_in_ ? inner_weight_.get_size() : 0);
    const Workspace moved_out(out_back_ ? inner_out_.get_size() : 0);
    const Workspace scratch(scratch_.get_size());
    const auto to = memory_at(inner_out_, out_back_ ? moved_out.as<float>() : out);
    const auto from = carried(stream, image_in_, image_, image, inner_image_, moved_image);
    const auto with = carried(stream, weight_in_, weight_, weight, inner_weight_, moved_weight);
    convolution_.execute(stream, {{DNNL_ARG_SRC, from},
                                  {DNNL_ARG_WEIGHTS, with},
                                  {DNNL_ARG_BIAS, bias ? memory_at(bias_, bias) : dnnl::memory()},
                                  {DNNL_ARG_DST, to},
                                  {DNNL_ARG_SCRATCHPAD, memory_at(scratch_, scratch.as<void>())}});
    if (out_back_) out_back_->run(stream, to, memory_at(out_, out));
    stream.wait();
  }

 private:
  /// A change of layout with the scratch memory it needs.
  struct Move {
    dnnl::reorder reorder;
    Description scratch;

    void run(const dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const {
      const Workspace space(scratch.get_size());
      reorder.execute(stream, {{DNNL_ARG_FROM, from},
                               {DNNL_ARG_TO, to},
                               {DNNL_ARG_SCRATCHPAD, memory_at(scratch, space.as<void>())}});
    }
  };

  static std::optional<Move> move(const Description& from, const Description& to) {
    const dnnl::reorder::primitive_desc made(engine(), from, engine(), to, caller_scratch());
    return Move{dnnl::reorder(made), made.scratchpad_desc()};
  }
  /// The operand where the convolution wants it: in place, or moved into `space`.
  static dnnl::memory carried(const dnnl::stream& stream, const std::optional<Move>& move,
                              const Description& from, const float* data, const Description& to,
                              const Workspace& space) {
    const auto given = memory_at(from, data);
    if (!move) return given;
    const auto wanted = memory_at(to, space.as<float>());
    move->run(stream, given, wanted);
    return wanted;
  }

  Description image_, weight_, out_, bias_;
  Description inner_image_, inner_weight_, inner_out_, scratch_;
  dnnl::convolution_forward convolution_;
  std::optional<Move> image_in_, weight_in_, out_back_;
};

}  // namespace

void convolve(const ConvolutionGeometry& geometry, const float* image, const float* weight, const float* bias,
              float* out) {
  static PrimitiveCache<Convolution> cache;
  const Problem problem(geometry);
  const auto convolution = cache.get(problem.key(bias != nullptr),
                                     [&] { return std::make_shared<Convolution>(problem, bias != nullptr); });
  convolution->run(image, weight, bias, out);
}

}  // namespace dyad::kernels::onednn
