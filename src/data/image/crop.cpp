#include "data/image/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/image/boxes.h"
#include "data/image/pad.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

TransformRef make_crop(const Attributes& attributes) {
  const auto corner = attributes.integers("coordinates");
  const auto size = attributes.integers("size");
  return of_one("Crop", [=](const Item& item, Random&) -> Item {
    const Image image = image_of("Crop", item);
    if (corner[0] + size[0] > image.height || corner[1] + size[1] > image.width)
      runtime_error("Crop: the image has shape ", image.array->shape, "; the window from (", corner[0], ", ",
                    corner[1], ") of size (", size[0], ", ", size[1], ") goes beyond it");
    return cropped(image, {corner[0], corner[1], size[0], size[1]}).array;
  });
}

/// The image with black around it where it is smaller than the size.
Image at_least(const Image& image, int64_t height, int64_t width) {
  Padding padding;
  const int64_t down = std::max<int64_t>(height - image.height, 0);
  const int64_t across = std::max<int64_t>(width - image.width, 0);
  padding.bottom = down / 2;
  padding.top = down - padding.bottom;
  padding.right = across / 2;
  padding.left = across - padding.right;
  return padded("CenterCrop", image, padding);
}

Image center_cropped(const Image& given, int64_t height, int64_t width) {
  const Image image = at_least(given, height, width);
  return cropped(image, {(image.height - height) / 2, (image.width - width) / 2, height, width});
}

TransformRef make_center_crop(const Attributes& attributes) {
  const auto size = attributes.integers("size");
  return of_one("CenterCrop", [=](const Item& item, Random&) -> Item {
    return of_frames("CenterCrop", item,
                     [&](const Image& image) { return center_cropped(image, size[0], size[1]); });
  });
}

/// What `RandomCrop` is made from.
struct RandomCrop {
  std::string name;
  int64_t height = 0;
  int64_t width = 0;
  Padding padding;
  bool pad_if_needed = false;

  explicit RandomCrop(std::string name, const Attributes& attributes)
      : name(std::move(name)),
        padding(padding_from(attributes)),
        pad_if_needed(attributes.flag("pad_if_needed")) {
    const auto size = attributes.integers("size");
    height = size[0];
    width = size[1];
  }

  /// All the padding that an image gets: what was asked for, and on both sides what it still lacks.
  Padding padding_of(const Image& image) const {
    Padding all = padding;
    if (!pad_if_needed) return all;
    const int64_t down = std::max<int64_t>(height - (image.height + all.top + all.bottom), 0);
    const int64_t across = std::max<int64_t>(width - (image.width + all.left + all.right), 0);
    all.top += down;
    all.bottom += down;
    all.left += across;
    all.right += across;
    return all;
  }

  Window window(const Image& image, Random& random) const {
    if (height > image.height || width > image.width)
      runtime_error(name, ": the size to crop is (", height, ", ", width,
                    "); the image, padding included, has shape ", image.array->shape, " and is too small");
    return {random.integer(0, image.height - height), random.integer(0, image.width - width), height, width};
  }
};

TransformRef make_random_crop(const Attributes& attributes) {
  return of_each("RandomCrop",
                 [crop = RandomCrop("RandomCrop", attributes)](const Item& item, Random& random) -> Item {
                   const Random start = random;
                   return of_frames(crop.name, item, [&](const Image& image) {
                     Random numbers = start;
                     const Image larger = padded(crop.name, image, crop.padding_of(image));
                     return cropped(larger, crop.window(larger, numbers));
                   });
                 });
}

TransformRef make_random_crop_with_boxes(const Attributes& attributes) {
  return of_row([crop = RandomCrop("RandomCropWithBBox", attributes)](Row& columns, Random& random) {
    BoxedImage boxed = boxed_image(crop.name, columns);
    const Padding padding = crop.padding_of(boxed.image);
    const Image larger = padded(crop.name, boxed.image, padding);
    const Window window = crop.window(larger, random);
    boxed.image = cropped(larger, window);
    move_boxes(boxed.boxes, static_cast<double>(padding.top), static_cast<double>(padding.left));
    crop_boxes(boxed.boxes, static_cast<double>(window.top), static_cast<double>(window.left),
               static_cast<double>(window.height), static_cast<double>(window.width));
    columns = row_of(boxed);
  });
}

DYAD_TRANSFORM(crop, make_crop);
DYAD_TRANSFORM(center_crop, make_center_crop);
DYAD_TRANSFORM(random_crop, make_random_crop);
DYAD_TRANSFORM(random_crop_with_boxes, make_random_crop_with_boxes);

/// The largest window in the middle whose ratio of width to height is within the range.
Window largest_window(int64_t height, int64_t width, const Range& ratio) {
  Window window{0, 0, height, width};
  const double whole = static_cast<double>(width) / static_cast<double>(height);
  if (whole < ratio.low)
    window.height = std::clamp<int64_t>(std::llround(static_cast<double>(width) / ratio.low), 1, height);
  else if (whole > ratio.high)
    window.width = std::clamp<int64_t>(std::llround(static_cast<double>(height) * ratio.high), 1, width);
  window.top = (height - window.height) / 2;
  window.left = (width - window.width) / 2;
  return window;
}

}  // namespace

Image cropped(const Image& image, const Window& window) {
  Image made = empty_image(image, window.height, window.width);
  const int64_t element = itemsize(image.dtype());
  const auto* from = image.array->as<const char>() +
                     (window.top * image.row_size() + window.left * image.channels) * element;
  auto* to = made.array->as<char>();
  for (int64_t y = 0; y < window.height; ++y)
    std::memcpy(to + y * made.row_size() * element, from + y * image.row_size() * element,
                static_cast<size_t>(made.row_size() * element));
  return made;
}

Window random_window(int64_t height, int64_t width, const Range& scale, const Range& ratio, int64_t attempts,
                     Random& random) {
  const double area = static_cast<double>(height) * static_cast<double>(width);
  for (int64_t i = 0; i < attempts; ++i) {
    const double target = area * random.uniform(scale.low, scale.high);
    const double aspect = std::exp(random.uniform(std::log(ratio.low), std::log(ratio.high)));
    const int64_t w = std::llround(std::sqrt(std::min(target * aspect, 1e18)));
    const int64_t h = std::llround(std::sqrt(std::min(target / aspect, 1e18)));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    return {random.integer(0, height - h), random.integer(0, width - w), h, w};
  }
  return largest_window(height, width, ratio);
}

}  // namespace dyad::data
