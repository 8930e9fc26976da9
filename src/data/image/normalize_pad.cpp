#include <algorithm>

#include "data/image/image.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Normalises the channels and adds one of zeros.
struct NormalizePad {
  std::vector<double> mean;
  std::vector<double> deviation;
  bool planes;
  DType dtype;

  Item operator()(const Item& item) const {
    const Image image = image_of("NormalizePad", item);
    const int64_t channels = planes && image.has_channels() ? image.height : image.channels;
    if (static_cast<int64_t>(mean.size()) != channels && mean.size() != 1)
      runtime_error("NormalizePad: the image has shape ", image.array->shape, " and so ", channels,
                    " channels; mean and std have ", mean.size(),
                    " values: there must be one for each, or one in all");
    Tensor made = empty(dtype, shape_of(image, channels));
    visit_real("NormalizePad", image.dtype(), [&](auto typed) {
      using T = typename decltype(typed)::type;
      const int64_t pixels = image.array->size() / channels;
      if (dtype == DType::kFloat16)
        fill(image.array->as<const T>(), made->as<_Float16>(), pixels, channels);
      else
        fill(image.array->as<const T>(), made->as<float>(), pixels, channels);
    });
    return made;
  }

 private:
  Shape shape_of(const Image& image, int64_t channels) const {
    if (!image.has_channels())
      return planes ? Shape{2, image.height, image.width} : Shape{image.height, image.width, 2};
    if (planes) return {channels + 1, image.width, image.channels};
    return {image.height, image.width, channels + 1};
  }

  template <class T, class To>
  void fill(const T* from, To* to, int64_t pixels, int64_t channels) const {
    std::fill_n(to, pixels * (channels + 1), To{0});
    for (int64_t c = 0; c < channels; ++c) {
      const size_t at = mean.size() == 1 ? 0 : static_cast<size_t>(c);
      const auto shift = static_cast<float>(mean[at]);
      const float factor = 1 / static_cast<float>(deviation[at]);
      for (int64_t i = 0; i < pixels; ++i) {
        const T x = planes ? from[c * pixels + i] : from[i * channels + c];
        to[planes ? c * pixels + i : i * (channels + 1) + c] =
            static_cast<To>((static_cast<float>(x) - shift) * factor);
      }
    }
  }
};

TransformRef make_normalize_pad(const Attributes& attributes) {
  const NormalizePad normalize{attributes.numbers("mean"), attributes.numbers("std"),
                               !attributes.flag("is_hwc"),
                               attributes.text("dtype") == "float16" ? DType::kFloat16 : DType::kFloat32};
  return of_one("NormalizePad", [normalize](const Item& item, Random&) { return normalize(item); });
}

DYAD_TRANSFORM(normalize_pad, make_normalize_pad);

}  // namespace

}  // namespace dyad::data
