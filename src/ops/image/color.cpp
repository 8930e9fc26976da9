#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(abs, amax, amin, clamp, concat, equal, mul, narrow, remainder, where);

/// The three channels, along the last dimension.
struct Channels {
  Value first, second, third;
};
Channels channels_of(const Call& call) {
  const Value& x = call.value(0);
  if (!is_float(x->dtype))
    type_error(call.op(), ": images has dtype ", x->dtype, "; accepted are floating dtypes");
  if (x->rank() < 1 || (x->shape.back().known() && x->shape.back().value() != 3))
    value_error(call.op(), ": images has shape ", x->shape, "; its last size must be 3, the channels");
  return {narrow(x, -1, 0, 1), narrow(x, -1, 1, 1), narrow(x, -1, 2, 1)};
}

}  // namespace

DYAD_OP("rgb_to_hsv(images: Tensor) -> Tensor")
    .doc("Conversion of RGB to HSV along the last dimension; all are in [0, 1]. For gray the hue is 0.")
    .formula("v = max(r, g, b), δ = v − min(r, g, b), s = δ / v (0 for v = 0)")
    .formula("h = ((g − b) / δ mod 6) / 6", "v = r")
    .formula("h = ((b − r) / δ + 2) / 6", "v = g")
    .formula("h = ((r − g) / δ + 4) / 6", "v = b")
    .arg("images", "floats in [0, 1] of shape (…, 3).")
    .returns("Tensor with the shape and dtype of `images`.")
    .hidden()
    .primitive("RGBToHSV()(images)")
    .compose([](const Call& call) {
      const auto [red, green, blue] = channels_of(call);
      const Value most = amax(call.value(0), -1, true);
      const Value range = most - amin(call.value(0), -1, true);
      const Value gray = equal(range, 0);
      const Value divisor = where(gray, 1, range);
      // The largest channel decides in which third of the circle the hue is.
      const Value third =
          where(equal(most, red), (green - blue) / divisor,
                where(equal(most, green), (blue - red) / divisor + 2.0, (red - green) / divisor + 4.0));
      const Value hue = where(gray, 0, remainder(mul(third, 1.0 / 6), 1));
      const Value saturation = where(equal(most, 0), 0, range / where(equal(most, 0), 1, most));
      return concat(ValueList{hue, saturation, most}, -1);
    })
    .numpy("ref.rgb_to_hsv(images)")
    .samples("call(T(2, 3, 3, lo=0, hi=1))",
             "call(V([[0.25, 0.5, 0.5], [0, 0, 0], [0.4, 0.4, 0.4]], 'float32'))")
    .rejects("ops.RGBToHSV()(ones(2, 4))", "ValueError", "images has shape (2, 4)");

DYAD_OP("hsv_to_rgb(images: Tensor) -> Tensor")
    .doc("Conversion of HSV to RGB along the last dimension; all are in [0, 1].")
    .formula("t = 6 · (h mod 1), channel(p) = v · (1 − s · (1 − min(max(p, 0), 1)))")
    .formula("r = channel(|t − 3| − 1), g = channel(2 − |t − 2|), b = channel(2 − |t − 4|)")
    .arg("images", "floats in [0, 1] of shape (…, 3).")
    .returns("Tensor with the shape and dtype of `images`.")
    .hidden()
    .primitive("HSVToRGB()(images)")
    .compose([](const Call& call) {
      const auto [hue, saturation, value] = channels_of(call);
      const Value turn = mul(remainder(hue, 1), 6.0);
      // The share of each primary color in a hue: a trapezium around that color's position on the circle.
      auto channel = [&](const Value& part) {
        return value * (1 - saturation * (1 - clamp(part, 0.0, 1.0)));
      };
      return concat(ValueList{channel(abs(turn - 3.0) - 1.0), channel(2 - abs(turn - 2.0)),
                              channel(2 - abs(turn - 4.0))},
                    -1);
    })
    .numpy("ref.hsv_to_rgb(images)")
    .samples("call(T(2, 3, 3, lo=0.01, hi=0.99))",
             "call(V([[0.25, 0.5, 0.5], [0, 0, 0], [1, 1, 1]], 'float32'))")
    .rejects("ops.HSVToRGB()(ints(2, 3))", "TypeError", "images has dtype Int64");

}  // namespace dyad
