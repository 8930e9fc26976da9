#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

// Color adjustments: contrast, saturation, hue.

namespace dyad {

namespace {

DYAD_USE(clamp, concat, floor, hsv_to_rgb, mean, narrow, rgb_to_hsv);

/// Checks that argument 0 has red, green and blue in the last dimension, and that argument 1 is a number.
void require_pictures(const Call& call, std::string_view factor) {
  const ValueImpl& images = call.in(0);
  infer::require_dtype(call, 0, is_float(images.dtype), "float dtypes");
  if (images.rank() < 3 || (images.shape.back().known() && images.shape.back().value() != 3))
    value_error(call.op(), ": images have shape ", images.shape, "; need (…, height, width, 3)");
  if (call.is_value(1) && call.in(1).rank() != 0)
    value_error(call.op(), ": ", factor, " has shape ", call.in(1).shape, "; need one number");
}

struct Colors {
  Value hue;
  Value saturation;
  Value value;
};

Colors colors_of(const Value& images) {
  const Value hsv = rgb_to_hsv(images);
  return {narrow(hsv, -1, 0, 1), narrow(hsv, -1, 1, 1), narrow(hsv, -1, 2, 1)};
}

Value picture(const Colors& colors) {
  return hsv_to_rgb(concat(ValueList{colors.hue, colors.saturation, colors.value}, -1));
}

}  // namespace

DYAD_OP("adjust_contrast(images: Tensor, contrast_factor: Operand) -> Tensor")
    .doc("Contrast adjustment of (…, H, W, 3) images.")
    .formula(
        "out[…, y, x, c] = contrast_factor · (images[…, y, x, c] − μ[…, c]) + μ[…, c], μ = mean over y, x")
    .arg("images", "floats of shape (…, H, W, 3).")
    .arg("contrast_factor", "factor of the distance from the mean.")
    .returns("Tensor with the shape and dtype of `images`.")
    .see("ops.adjust_saturation, ops.adjust_hue")
    .hidden()
    .primitive("AdjustContrastv2()(images, contrast_factor)")
    .compose_wide([](const Call& call) {
      require_pictures(call, "contrast_factor");
      const Value middle = mean(call.value(0), Dims{-3, -2}, true);
      return (call.value(0) - middle) * call[1] + middle;
    })
    .numpy(
        "(images - images.mean((-3, -2), keepdims=True)) * contrast_factor + images.mean((-3, -2), "
        "keepdims=True)")
    .samples("call(T(2, 3, 3), 2.0)", "call(T(2, 2, 4, 3), 0.5)")
    .rejects("ops.AdjustContrastv2()(ones(2, 3), 2.0)", "ValueError", "images have shape (2, 3)");

DYAD_OP("adjust_saturation(image: Tensor, scale: Operand) -> Tensor")
    .doc("Saturation adjustment of (…, H, W, 3) RGB images.")
    .formula("(h, s, v) = HSV of a pixel, out = RGB of (h, min(max(scale · s, 0), 1), v)")
    .arg("image", "floats in [0, 1] of shape (…, H, W, 3).")
    .arg("scale", "factor of the saturation.")
    .returns("Tensor with the shape and dtype of `image`.")
    .see("ops.adjust_hue")
    .hidden()
    .primitive("AdjustSaturation()(image, scale)")
    .compose_wide([](const Call& call) {
      require_pictures(call, "scale");
      Colors colors = colors_of(call.value(0));
      colors.saturation = clamp(colors.saturation * call[1], 0.0, 1.0);
      return picture(colors);
    })
    .numpy("ref.adjust_saturation(image, scale)")
    .samples("call(T(2, 3, 3, lo=0.1, hi=0.9), 0.5)")
    .rejects("ops.AdjustSaturation()(ones(2, 2, 4), 2.0)", "ValueError", "images have shape (2, 2, 4)");

DYAD_OP("adjust_hue(image: Tensor, delta: Operand) -> Tensor")
    .doc("Hue adjustment of (…, H, W, 3) RGB images.")
    .formula("(h, s, v) = HSV of a pixel, out = RGB of ((h + delta) mod 1, s, v)")
    .arg("image", "floats in [0, 1] of shape (…, H, W, 3).")
    .arg("delta", "added to the hue; 1 is the whole circle.")
    .returns("Tensor with the shape and dtype of `image`.")
    .see("ops.adjust_saturation")
    .hidden()
    .primitive("AdjustHue()(image, delta)")
    .compose_wide([](const Call& call) {
      require_pictures(call, "delta");
      Colors colors = colors_of(call.value(0));
      const Value turned = colors.hue + call[1];
      colors.hue = turned - floor(turned);
      return picture(colors);
    })
    .numpy("ref.adjust_hue(image, delta)")
    .samples("call(T(2, 3, 3, lo=0.1, hi=0.9), 0.2)")
    .rejects("ops.AdjustHue()(ones(2, 2, 3), ones(2))", "ValueError",
             "delta has shape (2,); need one number");

}  // namespace dyad
