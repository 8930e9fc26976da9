#include "data/image/pad.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "data/rows/transform.h"

namespace dyad::data {

namespace {

constexpr int64_t kOutside = -1;  ///< a pixel of the fill value

/// Which of `size` places lies at place `at` of an axis that goes on beyond its ends.
int64_t place(int64_t at, int64_t size, Border border) {
  if (at >= 0 && at < size) return at;
  if (border == Border::kConstant) return kOutside;
  if (border == Border::kEdge || size == 1) return at < 0 ? 0 : size - 1;
  const int64_t period = border == Border::kReflect ? 2 * size - 2 : 2 * size;
  const int64_t in_period = ((at % period) + period) % period;
  if (in_period < size) return in_period;
  return border == Border::kReflect ? period - in_period : period - 1 - in_period;
}

std::vector<int64_t> places(int64_t before, int64_t size, int64_t after, Border border) {
  std::vector<int64_t> list(static_cast<size_t>(before + size + after));
  for (size_t i = 0; i < list.size(); ++i) list[i] = place(static_cast<int64_t>(i) - before, size, border);
  return list;
}

template <class T>
std::vector<T> fill_pixel(const Image& image, const Padding& padding) {
  std::vector<T> pixel(static_cast<size_t>(image.channels));
  for (size_t c = 0; c < pixel.size(); ++c) pixel[c] = to_element<T>(padding.fill[std::min<size_t>(c, 2)]);
  return pixel;
}

/// Copies one row and the pixels beside it.
template <class T>
void pad_row(const Image& image, const T* from, T* to, const std::vector<int64_t>& columns,
             const Padding& padding, const std::vector<T>& fill) {
  const auto channels = static_cast<size_t>(image.channels);
  const auto put = [&](size_t x) {
    const T* pixel = columns[x] == kOutside ? fill.data() : from + columns[x] * image.channels;
    std::copy_n(pixel, channels, to + x * channels);
  };
  for (size_t x = 0; x < static_cast<size_t>(padding.left); ++x) put(x);
  std::copy_n(from, image.row_size(), to + padding.left * image.channels);
  for (size_t x = static_cast<size_t>(padding.left + image.width); x < columns.size(); ++x) put(x);
}

template <class T>
void pad_rows(const Image& image, const Image& made, const Padding& padding) {
  const auto columns = places(padding.left, image.width, padding.right, padding.border);
  const auto rows = places(padding.top, image.height, padding.bottom, padding.border);
  const std::vector<T> fill = fill_pixel<T>(image, padding);
  for (int64_t y = 0; y < made.height; ++y) {
    const int64_t from = rows[static_cast<size_t>(y)];
    if (from != kOutside) {
      pad_row(image, image.row<const T>(from), made.row<T>(y), columns, padding, fill);
      continue;
    }
    for (int64_t x = 0; x < made.width; ++x) std::copy(fill.begin(), fill.end(), made.pixel<T>(y, x));
  }
}

TransformRef make_pad(const Attributes& attributes) {
  return of_one("Pad", [padding = padding_from(attributes)](const Item& item, Random&) -> Item {
    return padded("Pad", image_of("Pad", item), padding).array;
  });
}

/// The padding that makes an image as large as is asked for.
Padding padding_to(const Image& image, int64_t height, int64_t width, const std::vector<int64_t>& offset,
                   Padding padding) {
  if (image.height > height || image.width > width)
    runtime_error("PadToSize: the image has shape ", image.array->shape,
                  "; it must not be larger than size (", height, ", ", width, ")");
  padding.top = offset.empty() ? (height - image.height) / 2 : offset[0];
  padding.left = offset.empty() ? (width - image.width) / 2 : offset[1];
  padding.bottom = height - image.height - padding.top;
  padding.right = width - image.width - padding.left;
  if (padding.bottom < 0 || padding.right < 0)
    runtime_error("PadToSize: the image has shape ", image.array->shape, "; with offset (", padding.top, ", ",
                  padding.left, ") it does not fit in size (", height, ", ", width, ")");
  return padding;
}

TransformRef make_pad_to_size(const Attributes& attributes) {
  const auto size = attributes.integers("size");
  const auto offset = attributes.integers("offset");
  Padding padding = padding_from(attributes);
  return of_one("PadToSize", [=](const Item& item, Random&) -> Item {
    const Image image = image_of("PadToSize", item);
    return padded("PadToSize", image, padding_to(image, size[0], size[1], offset, padding)).array;
  });
}

DYAD_TRANSFORM(pad, make_pad);
DYAD_TRANSFORM(pad_to_size, make_pad_to_size);

}  // namespace

Border border_named(const std::string& name) {
  if (name == "constant") return Border::kConstant;
  if (name == "edge") return Border::kEdge;
  if (name == "reflect") return Border::kReflect;
  DYAD_ASSERT(name == "symmetric");
  return Border::kSymmetric;
}

Padding padding_from(const Attributes& attributes) {
  Padding padding;
  if (attributes.has("padding")) {
    const auto sides = attributes.integers("padding");
    DYAD_ASSERT(sides.size() == 4);
    padding.left = sides[0];
    padding.top = sides[1];
    padding.right = sides[2];
    padding.bottom = sides[3];
  }
  padding.border = border_named(attributes.text("padding_mode"));
  const auto fill = attributes.numbers("fill_value");
  DYAD_ASSERT(fill.size() == 3);
  std::copy(fill.begin(), fill.end(), padding.fill.begin());
  return padding;
}

Image padded(std::string_view reader, const Image& image, const Padding& padding) {
  if (padding.none()) return image;
  Image made = empty_image(image, image.height + padding.top + padding.bottom,
                           image.width + padding.left + padding.right);
  visit_real(reader, image.dtype(),
             [&](auto typed) { pad_rows<typename decltype(typed)::type>(image, made, padding); });
  return made;
}

}  // namespace dyad::data
