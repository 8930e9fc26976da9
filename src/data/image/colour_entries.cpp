#include <algorithm>
#include <vector>

#include "data/image/colour.h"
#include "data/image/histogram.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

using Change = std::function<Image(const Image&, Random&)>;
using Check = void (*)(std::string_view reader, const Image& image);

/// The transform of a public class: `check` refuses images, `change` makes the result.
TransformRef colour_transform(std::string name, Check check, Change change) {
  return of_each(name, [name, check, change = std::move(change)](const Item& item, Random& random) -> Item {
    const Image image = image_of(name, item);
    check(name, image);
    return change(image, random).array;
  });
}

/// The same with a probability; an image that is left alone must have passed the check too.
TransformRef colour_chance(std::string name, Check check, double chance, Change change) {
  return colour_transform(std::move(name), check,
                          [chance, change = std::move(change)](const Image& image, Random& random) {
                            return random.chance(chance) ? change(image, random) : image;
                          });
}

void check_colours(std::string_view reader, const Image& image) {
  require_bytes_or_floats(reader, image);
  require_channels(reader, image, {3});
}

void check_tones(std::string_view reader, const Image& image) {
  require_bytes_or_floats(reader, image);
  require_channels(reader, image, {1, 3});
}

void check_bytes(std::string_view reader, const Image& image) {
  require_dtype(reader, image, {DType::kUInt8});
}

void check_numbers(std::string_view reader, const Image& image) {
  if (is_bool(image.dtype()))
    runtime_error(reader, ": the image is of bool; it must be of integers or floats");
  require_real(reader, image);
}

/// A factor from the pair of numbers `name`: always the same where they are equal.
double drawn(const std::vector<double>& range, Random& random) {
  return random.uniform(range.at(0), range.at(1));
}

using Adjust = Image (*)(const Image& image, double factor);

template <Adjust adjust>
TransformRef fixed(const Attributes& attributes, Check check) {
  const double factor = attributes.number("factor");
  return colour_transform(attributes.text("class"), check,
                          [factor](const Image& image, Random&) { return adjust(image, factor); });
}

template <Adjust adjust>
TransformRef from_range(const Attributes& attributes, Check check) {
  const std::vector<double> range = attributes.numbers("range");
  return colour_transform(attributes.text("class"), check, [range](const Image& image, Random& random) {
    return adjust(image, drawn(range, random));
  });
}

TransformRef make_brightness(const Attributes& a) { return fixed<adjust_brightness>(a, check_numbers); }
TransformRef make_contrast(const Attributes& a) { return fixed<adjust_contrast>(a, check_tones); }
TransformRef make_saturation(const Attributes& a) { return fixed<adjust_saturation>(a, check_colours); }
TransformRef make_hue(const Attributes& a) { return fixed<adjust_hue>(a, check_colours); }
TransformRef make_sharpness(const Attributes& a) {
  return fixed<adjust_sharpness>(a, require_bytes_or_floats);
}
TransformRef make_random_color(const Attributes& a) {
  return from_range<adjust_saturation>(a, check_colours);
}
TransformRef make_random_sharpness(const Attributes& a) {
  return from_range<adjust_sharpness>(a, require_bytes_or_floats);
}

TransformRef make_random_adjust_sharpness(const Attributes& attributes) {
  const double factor = attributes.number("factor");
  return colour_chance(attributes.text("class"), require_bytes_or_floats, attributes.number("prob"),
                       [factor](const Image& image, Random&) { return adjust_sharpness(image, factor); });
}

TransformRef make_gamma(const Attributes& attributes) {
  const double gamma = attributes.number("gamma");
  const double gain = attributes.number("gain");
  return of_each("AdjustGamma", [gamma, gain](const Item& item, Random&) {
    return of_frames("AdjustGamma", item, [&](const Image& image) {
      require_bytes_or_floats("AdjustGamma", image);
      return adjust_gamma(image, gamma, gain);
    });
  });
}

TransformRef make_invert(const Attributes& attributes) {
  return colour_chance(attributes.text("class"), check_numbers, attributes.number("prob"),
                       [](const Image& image, Random&) { return invert(image); });
}

TransformRef make_equalize(const Attributes& attributes) {
  const Levels levels = attributes.flag("steps") ? Levels::kSteps : Levels::kScaled;
  return colour_chance(attributes.text("class"), check_bytes, attributes.number("prob"),
                       [levels](const Image& image, Random&) { return equalize(image, levels); });
}

TransformRef make_auto_contrast(const Attributes& attributes) {
  const double cutoff = attributes.number("cutoff");
  const std::vector<int64_t> ignore = attributes.integers("ignore");
  return colour_chance(
      attributes.text("class"), check_bytes, attributes.number("prob"),
      [cutoff, ignore](const Image& image, Random&) { return auto_contrast(image, cutoff, ignore); });
}

TransformRef make_posterize(const Attributes& attributes) {
  const std::vector<int64_t> bits = attributes.integers("bits");
  return colour_transform(attributes.text("class"), check_bytes, [bits](const Image& image, Random& random) {
    return posterize(image, random.integer(bits.at(0), bits.at(1)));
  });
}

/// Inverts between two values; from the value upwards where they are equal.
Image solarized(const Image& image, double low, double high) {
  return solarize(image, low, low == high ? 255 : high);
}

TransformRef make_solarize(const Attributes& attributes) {
  const std::vector<double> ends = attributes.numbers("threshold");
  return colour_transform("Solarize", check_numbers, [ends](const Image& image, Random&) {
    return solarized(image, ends.at(0), ends.at(1));
  });
}

TransformRef make_random_solarize(const Attributes& attributes) {
  const std::vector<int64_t> ends = attributes.integers("threshold");
  return colour_transform("RandomSolarize", check_numbers, [ends](const Image& image, Random& random) {
    const auto one = static_cast<double>(random.integer(ends.at(0), ends.at(1)));
    const auto other = static_cast<double>(random.integer(ends.at(0), ends.at(1)));
    return solarized(image, std::min(one, other), std::max(one, other));
  });
}

/// Brightness, contrast, saturation and hue, each with a factor of its range, in an order that is drawn.
TransformRef make_random_color_adjust(const Attributes& attributes) {
  struct Step {
    Adjust adjust;
    std::vector<double> range;
    double neutral;
  };
  const std::vector<Step> all = {{adjust_brightness, attributes.numbers("brightness"), 1},
                                 {adjust_contrast, attributes.numbers("contrast"), 1},
                                 {adjust_saturation, attributes.numbers("saturation"), 1},
                                 {adjust_hue, attributes.numbers("hue"), 0}};
  return colour_transform("RandomColorAdjust", check_colours, [all](Image image, Random& random) {
    std::array<size_t, 4> order = {0, 1, 2, 3};
    for (size_t i = 3; i > 0; --i)
      std::swap(order[i], order[static_cast<size_t>(random.integer(0, static_cast<int64_t>(i)))]);
    for (const size_t i : order) {
      const double factor = drawn(all[i].range, random);
      if (factor != all[i].neutral) image = all[i].adjust(image, factor);
    }
    return image;
  });
}

DYAD_TRANSFORM(adjust_brightness, make_brightness);
DYAD_TRANSFORM(adjust_contrast, make_contrast);
DYAD_TRANSFORM(adjust_saturation, make_saturation);
DYAD_TRANSFORM(adjust_hue, make_hue);
DYAD_TRANSFORM(adjust_sharpness, make_sharpness);
DYAD_TRANSFORM(adjust_gamma, make_gamma);
DYAD_TRANSFORM(random_color, make_random_color);
DYAD_TRANSFORM(random_sharpness, make_random_sharpness);
DYAD_TRANSFORM(random_adjust_sharpness, make_random_adjust_sharpness);
DYAD_TRANSFORM(random_color_adjust, make_random_color_adjust);
DYAD_TRANSFORM(invert, make_invert);
DYAD_TRANSFORM(equalize, make_equalize);
DYAD_TRANSFORM(auto_contrast, make_auto_contrast);
DYAD_TRANSFORM(posterize, make_posterize);
DYAD_TRANSFORM(solarize, make_solarize);
DYAD_TRANSFORM(random_solarize, make_random_solarize);

}  // namespace

}  // namespace dyad::data
