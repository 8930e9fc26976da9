#include "data/image/orientation.h"

#include <smmintrin.h>

#include <algorithm>
#include <cstring>

#include "data/image/boxes.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

template <class T, int kChannels>
void reverse_pixels(const T* from, T* to, int64_t width) {
  for (int64_t x = 0; x < width; ++x)
    for (int c = 0; c < kChannels; ++c) to[(width - 1 - x) * kChannels + c] = from[x * kChannels + c];
}

/// Pixels of three bytes, five at a time. Each store has one byte too many, at its front, which the next one
/// or the rest of the row covers; gives how many pixels are done.
int64_t reverse_fives(const uint8_t* from, uint8_t* to, int64_t width) {
  const __m128i order = _mm_setr_epi8(15, 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2);
  int64_t x = 0;
  for (; x + 6 <= width; x += 5) {
    const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + x * 3));
    auto* place = reinterpret_cast<__m128i*>(to + (width - 5 - x) * 3 - 1);
    _mm_storeu_si128(place, _mm_shuffle_epi8(pixels, order));
  }
  return x;
}

template <class T>
void reverse_row(const T* from, T* to, int64_t width, int64_t channels) {
  if constexpr (sizeof(T) == 1) {
    if (channels == 3) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(from);
      auto* made = reinterpret_cast<uint8_t*>(to);
      const int64_t done = reverse_fives(bytes, made, width);
      return reverse_pixels<uint8_t, 3>(bytes + done * 3, made, width - done);
    }
  }
  if (channels == 3) return reverse_pixels<T, 3>(from, to, width);
  if (channels == 1) return reverse_pixels<T, 1>(from, to, width);
  for (int64_t x = 0; x < width; ++x)
    std::copy_n(from + x * channels, channels, to + (width - 1 - x) * channels);
}

using Flip = Image (*)(const Image&);

TransformRef flip_always(const char* name, Flip flip) {
  return of_one(name,
                [name, flip](const Item& item, Random&) -> Item { return of_frames(name, item, flip); });
}

TransformRef flip_sometimes(const char* name, Flip flip, const Attributes& attributes) {
  return of_each(
      name, [name, flip, chance = attributes.number("prob")](const Item& item, Random& random) -> Item {
        const bool flips = random.chance(chance);
        return of_frames(name, item, [&](const Image& image) { return flips ? flip(image) : image; });
      });
}

using FlipBoxes = void (*)(Boxes&, const Image&);

void flip_boxes_horizontally(Boxes& boxes, const Image& image) {
  for (Box& box : boxes.list) box.left = static_cast<double>(image.width) - box.left - box.width;
}

void flip_boxes_vertically(Boxes& boxes, const Image& image) {
  for (Box& box : boxes.list) box.top = static_cast<double>(image.height) - box.top - box.height;
}

TransformRef flip_with_boxes(const char* name, Flip flip, FlipBoxes flip_boxes,
                             const Attributes& attributes) {
  return of_row([=, chance = attributes.number("prob")](Row& columns, Random& random) {
    BoxedImage boxed = boxed_image(name, columns);
    if (!random.chance(chance)) return;
    flip_boxes(boxed.boxes, boxed.image);
    boxed.image = flip(boxed.image);
    columns = row_of(boxed);
  });
}

TransformRef make_horizontal_flip(const Attributes&) {
  return flip_always("HorizontalFlip", flipped_horizontally);
}
TransformRef make_vertical_flip(const Attributes&) { return flip_always("VerticalFlip", flipped_vertically); }
TransformRef make_random_horizontal_flip(const Attributes& attributes) {
  return flip_sometimes("RandomHorizontalFlip", flipped_horizontally, attributes);
}
TransformRef make_random_vertical_flip(const Attributes& attributes) {
  return flip_sometimes("RandomVerticalFlip", flipped_vertically, attributes);
}
TransformRef make_random_horizontal_flip_with_boxes(const Attributes& attributes) {
  return flip_with_boxes("RandomHorizontalFlipWithBBox", flipped_horizontally, flip_boxes_horizontally,
                         attributes);
}
TransformRef make_random_vertical_flip_with_boxes(const Attributes& attributes) {
  return flip_with_boxes("RandomVerticalFlipWithBBox", flipped_vertically, flip_boxes_vertically, attributes);
}

DYAD_TRANSFORM(horizontal_flip, make_horizontal_flip);
DYAD_TRANSFORM(vertical_flip, make_vertical_flip);
DYAD_TRANSFORM(random_horizontal_flip, make_random_horizontal_flip);
DYAD_TRANSFORM(random_vertical_flip, make_random_vertical_flip);
DYAD_TRANSFORM(random_horizontal_flip_with_boxes, make_random_horizontal_flip_with_boxes);
DYAD_TRANSFORM(random_vertical_flip_with_boxes, make_random_vertical_flip_with_boxes);

}  // namespace

Image flipped_horizontally(const Image& image) {
  Image made = empty_image(image, image.height, image.width);
  visit_width(image.dtype(), [&](auto typed) {
    using T = typename decltype(typed)::type;
    for (int64_t y = 0; y < image.height; ++y)
      reverse_row(image.row<const T>(y), made.row<T>(y), image.width, image.channels);
  });
  return made;
}

Image flipped_vertically(const Image& image) {
  Image made = empty_image(image, image.height, image.width);
  const int64_t bytes = image.row_size() * itemsize(image.dtype());
  const auto* from = image.array->as<const char>();
  auto* to = made.array->as<char>();
  for (int64_t y = 0; y < image.height; ++y)
    std::memcpy(to + (image.height - 1 - y) * bytes, from + y * bytes, static_cast<size_t>(bytes));
  return made;
}

}  // namespace dyad::data
