#include <cstring>

#include "data/image/boxes.h"
#include "data/image/crop.h"
#include "data/image/resize.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// The whole pixels of a box.
Window window_of(const Box& box) {
  return {static_cast<int64_t>(box.top), static_cast<int64_t>(box.left), static_cast<int64_t>(box.height),
          static_cast<int64_t>(box.width)};
}

/// Puts `patch` over the window of the image, which is as large.
void paste(const Image& patch, const Image& image, const Window& window) {
  const int64_t element = itemsize(image.dtype());
  auto* to =
      image.array->as<char>() + (window.top * image.row_size() + window.left * image.channels) * element;
  const auto* from = patch.array->as<const char>();
  for (int64_t y = 0; y < window.height; ++y)
    std::memcpy(to + y * image.row_size() * element, from + y * patch.row_size() * element,
                static_cast<size_t>(patch.row_size() * element));
}

/// What the transform makes of the window, in the size of the window.
Image augmented(const Transform& transform, const Image& image, const Window& window, Random& random) {
  Row columns{cropped(image, window).array};
  transform.apply(columns, random);
  if (columns.size() != 1)
    runtime_error("BoundingBoxAugment: the transform made ", columns.size(),
                  " columns of a box; it must make one");
  const Image made = image_of("BoundingBoxAugment", columns[0]);
  if (made.dtype() != image.dtype() || made.channels != image.channels)
    runtime_error("BoundingBoxAugment: the transform made ", columns[0],
                  "; it must keep the type and the channels of ", image.array->shape);
  return resized("BoundingBoxAugment", made, window.height, window.width, Interpolation::kBilinear);
}

TransformRef make_bounding_box_augment(const Attributes& attributes) {
  const TransformRef transform = attributes.transforms("transforms").at(0);
  return of_row([transform, ratio = attributes.number("ratio")](Row& columns, Random& random) {
    BoxedImage boxed = boxed_image("BoundingBoxAugment", columns);
    boxed.image = copy_of(boxed.image);
    for (size_t i = 0; i < boxed.boxes.list.size(); ++i) {
      const Window window = window_of(boxed.boxes.list[i]);
      if (!random.chance(ratio) || window.height == 0 || window.width == 0) continue;
      Random numbers = random.part(i);
      paste(augmented(*transform, boxed.image, window, numbers), boxed.image, window);
    }
    columns = row_of(boxed);
  });
}

DYAD_TRANSFORM(bounding_box_augment, make_bounding_box_augment);

}  // namespace

}  // namespace dyad::data
