#include <algorithm>
#include <array>
#include <cmath>

#include "data/image/image.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

using Colour = std::array<double, 3>;

/// Hue as a part of the circle, saturation in [0, 1], and the largest of the three as it is.
Colour hsv_of(const Colour& rgb) {
  const auto [red, green, blue] = rgb;
  const double high = std::max({red, green, blue});
  const double span = high - std::min({red, green, blue});
  if (!(span > 0)) return {0, 0, high};
  double hue = 0;  // in sixths of the circle
  if (high == red) {
    hue = (green - blue) / span;
  } else if (high == green) {
    hue = 2 + (blue - red) / span;
  } else {
    hue = 4 + (red - green) / span;
  }
  return {hue < 0 ? hue / 6 + 1 : hue / 6, span / high, high};
}

Colour rgb_of(const Colour& hsv) {
  const auto [hue, saturation, value] = hsv;
  const auto channel = [&](double offset) {
    double place = std::fmod(offset + 6 * hue, 6.0);
    if (place < 0) place += 6;
    return value - value * saturation * std::clamp(std::min(place, 4 - place), 0.0, 1.0);
  };
  return {channel(5), channel(3), channel(1)};
}

/// Where the pixels of an array (N, H, W, C), (H, W, C), (N, C, H, W) or (C, H, W) lie.
struct Pixels {
  int64_t frames, count;         ///< of pixels in a frame
  int64_t step, channel, frame;  ///< distances in elements
};

Pixels pixels_of(std::string_view reader, const TensorImpl& array, bool channels_last) {
  const int64_t rank = array.rank();
  if (rank != 3 && rank != 4)
    runtime_error(reader, ": the image has shape ", array.shape, "; it must have 3 or 4 dimensions");
  const auto axis = static_cast<size_t>(channels_last ? rank - 1 : rank - 3);
  const int64_t channels = array.shape[axis].value();
  if (channels != 3)
    runtime_error(reader, ": the image has shape ", array.shape, " and so ", channels,
                  " channels where is_hwc is ", channels_last, "; it must have 3");
  const int64_t frames = rank == 4 ? array.shape[0].value() : 1;
  const int64_t count = frames == 0 ? 0 : array.size() / (3 * frames);
  return {frames, count, channels_last ? 3 : 1, channels_last ? 1 : count, 3 * count};
}

using Convert = Colour (*)(const Colour& colour);

Tensor converted_colours(std::string_view reader, const Item& item, bool channels_last, Convert convert) {
  const Tensor array = contiguous(item.tensor(reader));
  const Pixels pixels = pixels_of(reader, *array, channels_last);
  Tensor made = empty(DType::kFloat64, array->shape);
  visit_real(reader, array->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    for (int64_t i = 0; i < pixels.frames * pixels.count; ++i) {
      const int64_t first = i / pixels.count * pixels.frame + i % pixels.count * pixels.step;
      Colour colour;
      for (size_t c = 0; c < 3; ++c)
        colour[c] = static_cast<double>(array->as<T>()[first + static_cast<int64_t>(c) * pixels.channel]);
      colour = convert(colour);
      for (size_t c = 0; c < 3; ++c)
        made->as<double>()[first + static_cast<int64_t>(c) * pixels.channel] = colour[c];
    }
  });
  return made;
}

TransformRef make_conversion(std::string name, const Attributes& attributes, Convert convert) {
  const bool channels_last = attributes.flag("is_hwc");
  return of_each(name, [name, channels_last, convert](const Item& item, Random&) -> Item {
    return converted_colours(name, item, channels_last, convert);
  });
}

TransformRef make_rgb_to_hsv(const Attributes& attributes) {
  return make_conversion("RgbToHsv", attributes, hsv_of);
}
TransformRef make_hsv_to_rgb(const Attributes& attributes) {
  return make_conversion("HsvToRgb", attributes, rgb_of);
}

DYAD_TRANSFORM(rgb_to_hsv, make_rgb_to_hsv);
DYAD_TRANSFORM(hsv_to_rgb, make_hsv_to_rgb);

}  // namespace

}  // namespace dyad::data
