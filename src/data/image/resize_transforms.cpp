#include <algorithm>

#include "data/image/boxes.h"
#include "data/image/crop.h"
#include "data/image/resize.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// A size that was asked for: height and width, or the shorter side alone.
struct WantedSize {
  std::vector<int64_t> numbers;

  Size of(const Image& image) const {
    if (numbers.size() == 2) return {numbers[0], numbers[1]};
    return with_shorter_side(image.height, image.width, numbers[0]);
  }
};

WantedSize wanted_size(const Attributes& attributes) { return {attributes.integers("size")}; }

Interpolation interpolation_from(const Attributes& attributes) {
  return static_cast<Interpolation>(attributes.integer("interpolation"));
}

/// One of the interpolations that `RandomResize` chooses from.
Interpolation random_interpolation(Random& random) {
  constexpr Interpolation kChoices[] = {Interpolation::kBilinear, Interpolation::kNearest,
                                        Interpolation::kBicubic, Interpolation::kArea};
  return kChoices[random.integer(0, 3)];
}

Item resize_item(std::string_view name, const Item& item, const WantedSize& wanted,
                 Interpolation interpolation) {
  return of_frames(name, item, [&](const Image& image) {
    const Size size = wanted.of(image);
    return resized(name, image, size.height, size.width, interpolation);
  });
}

TransformRef make_resize(const Attributes& attributes) {
  return of_one("Resize",
                [size = wanted_size(attributes), interpolation = interpolation_from(attributes)](
                    const Item& item, Random&) { return resize_item("Resize", item, size, interpolation); });
}

TransformRef make_random_resize(const Attributes& attributes) {
  return of_one("RandomResize", [size = wanted_size(attributes)](const Item& item, Random& random) {
    return resize_item("RandomResize", item, size, random_interpolation(random));
  });
}

void resize_boxed(std::string_view name, Row& columns, const WantedSize& wanted,
                  Interpolation interpolation) {
  BoxedImage boxed = boxed_image(name, columns);
  const Image& image = boxed.image;
  const Size size = wanted.of(image);
  scale_boxes(boxed.boxes, static_cast<double>(size.height) / static_cast<double>(image.height),
              static_cast<double>(size.width) / static_cast<double>(image.width));
  boxed.image = resized(name, image, size.height, size.width, interpolation);
  columns = row_of(boxed);
}

TransformRef make_resize_with_boxes(const Attributes& attributes) {
  return of_row([size = wanted_size(attributes), interpolation = interpolation_from(attributes)](
                    Row& columns, Random&) { resize_boxed("ResizeWithBBox", columns, size, interpolation); });
}

TransformRef make_random_resize_with_boxes(const Attributes& attributes) {
  return of_row([size = wanted_size(attributes)](Row& columns, Random& random) {
    resize_boxed("RandomResizeWithBBox", columns, size, random_interpolation(random));
  });
}

TransformRef make_resized_crop(const Attributes& attributes) {
  const auto corner = attributes.integers("window");
  const Window window{corner[0], corner[1], corner[2], corner[3]};
  return of_one(
      "ResizedCrop",
      [=, size = attributes.integers("size"), interpolation = interpolation_from(attributes)](
          const Item& item, Random&) -> Item {
        const Image image = image_of("ResizedCrop", item);
        if (window.top + window.height > image.height || window.left + window.width > image.width)
          runtime_error("ResizedCrop: the image has shape ", image.array->shape, "; the window with top ",
                        window.top, ", left ", window.left, ", height ", window.height, ", width ",
                        window.width, " goes beyond it");
        return resized("ResizedCrop", cropped(image, window), size[0], size[1], interpolation).array;
      });
}

/// What the random crops that are then resized are made from.
struct RandomResizedCrop {
  std::string name;
  std::vector<int64_t> size;
  Range scale;
  Range ratio;
  Interpolation interpolation;
  int64_t attempts;

  RandomResizedCrop(std::string name, const Attributes& attributes)
      : name(std::move(name)),
        size(attributes.integers("size")),
        scale{attributes.numbers("scale")[0], attributes.numbers("scale")[1]},
        ratio{attributes.numbers("ratio")[0], attributes.numbers("ratio")[1]},
        interpolation(interpolation_from(attributes)),
        attempts(attributes.integer("max_attempts")) {}

  Window window(int64_t height, int64_t width, Random random) const {
    return random_window(height, width, scale, ratio, attempts, random);
  }
  Image resize(const Image& image) const { return resized(name, image, size[0], size[1], interpolation); }
};

TransformRef make_random_resized_crop(const Attributes& attributes) {
  return of_each(
      "RandomResizedCrop",
      [crop = RandomResizedCrop("RandomResizedCrop", attributes)](const Item& item, Random& random) -> Item {
        return of_frames(crop.name, item, [&](const Image& image) {
          return crop.resize(cropped(image, crop.window(image.height, image.width, random)));
        });
      });
}

/// The window [top, left, height, width] that `RandomResizedCrop` takes of an image of [height, width].
TransformRef make_random_window(const Attributes& attributes) {
  return of_one(
      "RandomResizedCrop",
      [crop = RandomResizedCrop("RandomResizedCrop", attributes)](const Item& item, Random& random) -> Item {
        const auto* size = item.tensor(crop.name)->as<const int64_t>();
        const Window window = crop.window(size[0], size[1], random);
        Tensor numbers = empty(DType::kInt64, {4});
        const int64_t values[] = {window.top, window.left, window.height, window.width};
        std::copy_n(values, 4, numbers->as<int64_t>());
        return numbers;
      });
}

TransformRef make_random_resized_crop_with_boxes(const Attributes& attributes) {
  return of_row([crop = RandomResizedCrop("RandomResizedCropWithBBox", attributes)](Row& columns,
                                                                                    Random& random) {
    BoxedImage boxed = boxed_image(crop.name, columns);
    const Window window = crop.window(boxed.image.height, boxed.image.width, random);
    const auto height = static_cast<double>(window.height);
    const auto width = static_cast<double>(window.width);
    crop_boxes(boxed.boxes, static_cast<double>(window.top), static_cast<double>(window.left), height, width);
    scale_boxes(boxed.boxes, static_cast<double>(crop.size[0]) / height,
                static_cast<double>(crop.size[1]) / width);
    boxed.image = crop.resize(cropped(boxed.image, window));
    columns = row_of(boxed);
  });
}

TransformRef make_random_crop_decode_resize(const Attributes& attributes) {
  return of_one("RandomCropDecodeResize",
                [crop = RandomResizedCrop("RandomCropDecodeResize", attributes)](const Item& item,
                                                                                 Random& random) -> Item {
                  const Bytes bytes = bytes_of(crop.name, item);
                  const auto choose = [&](int64_t height, int64_t width) {
                    return crop.window(height, width, random);
                  };
                  if (is_jpeg(bytes)) return crop.resize(decode_jpeg_window(crop.name, bytes, choose)).array;
                  const Image whole = decode_image(crop.name, bytes, Colors::kRgb);
                  return crop.resize(cropped(whole, choose(whole.height, whole.width))).array;
                });
}

DYAD_TRANSFORM(resize, make_resize);
DYAD_TRANSFORM(random_resize, make_random_resize);
DYAD_TRANSFORM(resize_with_boxes, make_resize_with_boxes);
DYAD_TRANSFORM(random_resize_with_boxes, make_random_resize_with_boxes);
DYAD_TRANSFORM(resized_crop, make_resized_crop);
DYAD_TRANSFORM(random_resized_crop, make_random_resized_crop);
DYAD_TRANSFORM(random_window, make_random_window);
DYAD_TRANSFORM(random_resized_crop_with_boxes, make_random_resized_crop_with_boxes);
DYAD_TRANSFORM(random_crop_decode_resize, make_random_crop_decode_resize);

}  // namespace

}  // namespace dyad::data
