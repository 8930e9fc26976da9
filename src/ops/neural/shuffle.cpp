#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape, permute);

Dims leading(const ValueImpl& input, size_t dropped) {
  return Dims(input.shape.begin(), input.shape.end() - dropped);
}

Dims joined(Dims a, const Dims& b) {
  for (Dim d : b) a.push_back(d);
  return a;
}

/// Axes 0 … before - 1, then the given ones counted from there.
Dims axes_after(size_t before, std::initializer_list<int64_t> order) {
  Dims axes;
  for (size_t i = 0; i < before; ++i) axes.push_back(static_cast<int64_t>(i));
  for (int64_t axis : order) axes.push_back(static_cast<int64_t>(before) + axis);
  return axes;
}

int64_t positive(const Call& call, size_t at, std::string_view name) {
  if (call.integer(at) <= 0)
    value_error(call.op(), ": ", name, " is ", call.integer(at), "; it must be above 0");
  return call.integer(at);
}

void require_image(const Call& call) {
  if (call.in(0).rank() < 3) {
    value_error(call.op(), ": input has shape ", call.in(0).shape,
                "; it must have at least 3 dimensions (…, C, H, W)");
  }
}

void require_multiple(const Call& call, std::string_view what, Dim size, int64_t factor) {
  if (size.known() && size.value() % factor != 0) {
    value_error(call.op(), ": ", what, " is ", size, ", not a multiple of ", factor);
  }
}

}  // namespace

DYAD_OP("pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor")
    .doc(
        "Pixel shuffle: turns (…, C·r², H, W) into (…, C, H·r, W·r). Groups of channels become squares of "
        "pixels.")
    .formula("out[…, c, h · r + i, w · r + j] = input[…, c · r² + i · r + j, h, w]")
    .arg("input", "any dtype, shape (…, C·r², H, W).")
    .arg("upscale_factor", "r.")
    .returns("Tensor of shape (…, C, H·r, W·r).")
    .see("ops.pixel_unshuffle, nn.PixelShuffle")
    .reference("arXiv:1609.05158")
    .compose([](const Call& call) {
      require_image(call);
      const int64_t r = positive(call, 1, "upscale_factor");
      const ValueImpl& in = call.in(0);
      const size_t before = in.shape.size() - 3;
      const Dim channels = in.shape[before];
      const Dim height = in.shape[before + 1];
      const Dim width = in.shape[before + 2];
      const Dim square = Dim(r) * Dim(r);
      require_multiple(call, "the number of channels", channels, square.value());
      const Dim out = floor_div(channels, square);
      const Value split = reshape(call[0], joined(leading(in, 3), {out, r, r, height, width}));
      return reshape(permute(split, axes_after(before, {0, 3, 1, 4, 2})),
                     joined(leading(in, 3), {out, height * r, width * r}));
    })
    .numpy("ref.pixel_shuffle(input, upscale_factor)")
    .samples("call(T(2, 8, 3, 2), 2)", "call(T(9, 2, 2), 3)")
    .rejects("ops.pixel_shuffle(ones(1, 3, 2, 2), 2)", "ValueError",
             "the number of channels is 3, not a multiple of 4");

DYAD_OP("pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor")
    .doc("Pixel unshuffle, the inverse of `pixel_shuffle`: turns (…, C, H·r, W·r) into (…, C·r², H, W).")
    .formula("out[…, c · r² + i · r + j, h, w] = input[…, c, h · r + i, w · r + j]")
    .arg("input", "any dtype, shape (…, C, H·r, W·r).")
    .arg("downscale_factor", "r.")
    .returns("Tensor of shape (…, C·r², H, W).")
    .see("ops.pixel_shuffle, nn.PixelUnshuffle")
    .compose([](const Call& call) {
      require_image(call);
      const int64_t r = positive(call, 1, "downscale_factor");
      const ValueImpl& in = call.in(0);
      const size_t before = in.shape.size() - 3;
      require_multiple(call, "the height", in.shape[before + 1], r);
      require_multiple(call, "the width", in.shape[before + 2], r);
      const Dim height = floor_div(in.shape[before + 1], r);
      const Dim width = floor_div(in.shape[before + 2], r);
      const Value split = reshape(call[0], joined(leading(in, 3), {in.shape[before], height, r, width, r}));
      return reshape(permute(split, axes_after(before, {0, 2, 4, 1, 3})),
                     joined(leading(in, 3), {in.shape[before] * Dim(r) * Dim(r), height, width}));
    })
    .numpy("ref.pixel_unshuffle(input, downscale_factor)")
    .samples("call(T(2, 2, 6, 4), 2)", "call(T(1, 6, 3), 3)")
    .rejects("ops.pixel_unshuffle(ones(1, 1, 3, 2), 2)", "ValueError",
             "the height is 3, not a multiple of 2");

DYAD_OP("channel_shuffle(x: Tensor, groups: int) -> Tensor")
    .doc("Channel shuffle: deals the channels of (N, C, …) tensors out to groups in turn.")
    .formula("out[n, j · groups + g, …] = x[n, g · C / groups + j, …]")
    .arg("x", "any dtype, shape (N, C, …).")
    .arg("groups", "number of groups, a divisor of C.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("nn.ChannelShuffle")
    .reference("arXiv:1707.01083")
    .primitive("ChannelShuffle(group:groups)(x)")
    .compose([](const Call& call) {
      require_image(call);
      const int64_t groups = positive(call, 1, "groups");
      const ValueImpl& in = call.in(0);
      require_multiple(call, "the number of channels", in.shape[1], groups);
      Dims split{in.shape[0], groups, floor_div(in.shape[1], groups)};
      Dims axes{0, 2, 1};
      for (size_t i = 2; i < in.shape.size(); ++i) {
        split.push_back(in.shape[i]);
        axes.push_back(static_cast<int64_t>(i) + 1);
      }
      return reshape(permute(reshape(call[0], split), axes), in.shape);
    })
    .numpy(
        "x.reshape((x.shape[0], groups, x.shape[1] // groups) + x.shape[2:]).swapaxes(1, 2).reshape(x.shape)")
    .samples("call(T(2, 6, 3), 3)", "call(T(1, 4, 2, 2), 2)")
    .rejects("ops.channel_shuffle(ones(1, 3, 2), 2)", "ValueError",
             "the number of channels is 3, not a multiple of 2");

}  // namespace dyad
