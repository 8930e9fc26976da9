#include "data/image/colour_convert.h"

#include <algorithm>

#include "data/image/colour.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

template <class F>
void visit_layout(const Image& image, F&& f) {
  switch (image.dtype()) {
    case DType::kUInt8:
      return f.template operator()<uint8_t>();
    case DType::kUInt16:
      return f.template operator()<uint16_t>();
    default:
      return f.template operator()<float>();
  }
}

template <class T>
constexpr T kOpaque = std::is_integral_v<T> ? std::numeric_limits<T>::max() : T(1);

/// Luma with the colours in the order that `blue_first` says.
template <class T>
T luma_of(const T* pixel, bool blue_first) {
  const T ordered[3] = {pixel[blue_first ? 2 : 0], pixel[1], pixel[blue_first ? 0 : 2]};
  if constexpr (std::is_same_v<T, uint16_t>) {
    const double wide[3] = {double(ordered[0]), double(ordered[1]), double(ordered[2])};
    return to_element<T>(luma(wide));
  } else {
    return luma(ordered);
  }
}

template <class T>
void convert_to_grey(const T* __restrict from, int64_t pixels, const Conversion& conversion,
                     T* __restrict to) {
  if (conversion.from == 3) {
    for (int64_t i = 0; i < pixels; ++i) to[i] = luma_of(from + 3 * i, conversion.blue_first);
  } else {
    for (int64_t i = 0; i < pixels; ++i) to[i] = luma_of(from + 4 * i, conversion.blue_first);
  }
}

/// Colours of `kFrom` channels to `kTo`; `swap` changes the places of the first and the third.
template <int kFrom, int kTo, class T>
void convert_colours(const T* __restrict from, int64_t pixels, bool swap, T* __restrict to) {
  const int first = kFrom == 1 ? 0 : swap ? 2 : 0;
  const int third = kFrom == 1 ? 0 : 2 - first;
  for (int64_t i = 0; i < pixels; ++i, from += kFrom, to += kTo) {
    to[0] = from[first];
    to[1] = from[kFrom == 1 ? 0 : 1];
    to[2] = from[third];
    if constexpr (kTo == 4) to[3] = kFrom == 4 ? from[kFrom - 1] : kOpaque<T>;
  }
}

template <class T>
void convert(const T* from, int64_t pixels, const Conversion& conversion, T* to) {
  const int64_t channels = conversion.from;
  const int64_t made = conversion.to;
  const bool swap = conversion.swap;
  if (made == 1) return convert_to_grey(from, pixels, conversion, to);
  if (channels == 1)
    return made == 3 ? convert_colours<1, 3>(from, pixels, false, to)
                     : convert_colours<1, 4>(from, pixels, false, to);
  if (channels == 3)
    return made == 3 ? convert_colours<3, 3>(from, pixels, swap, to)
                     : convert_colours<3, 4>(from, pixels, swap, to);
  return made == 3 ? convert_colours<4, 3>(from, pixels, swap, to)
                   : convert_colours<4, 4>(from, pixels, swap, to);
}

/// By number of the public ConvertMode; several names share a number.
constexpr Conversion kConversions[] = {
    {3, 4, false, false},  // BGR to BGRA
    {4, 3, false, false},  // BGRA to BGR
    {3, 4, true, false},   // BGR to RGBA
    {4, 3, true, false},   // RGBA to BGR
    {3, 3, true, false},   // BGR to RGB
    {4, 4, true, false},   // BGRA to RGBA
    {3, 1, false, true},   // BGR to grey
    {3, 1, false, false},  // RGB to grey
    {1, 3, false, false},  // grey to BGR
    {1, 4, false, false},  // grey to BGRA
    {4, 1, false, true},   // BGRA to grey
    {4, 1, false, false},  // RGBA to grey
};

TransformRef make_convert_color(const Attributes& attributes) {
  const Conversion conversion = kConversions[attributes.integer("mode")];
  return of_each("ConvertColor", [conversion](const Item& item, Random&) -> Item {
    const Image image = image_of("ConvertColor", item);
    require_dtype("ConvertColor", image, {DType::kUInt8, DType::kUInt16, DType::kFloat32});
    require_channels("ConvertColor", image, {conversion.from});
    return converted(image, conversion).array;
  });
}

void check_grey(std::string_view reader, const Image& image) {
  require_bytes_or_floats(reader, image);
  require_channels(reader, image, {1, 3});
}

TransformRef make_grayscale(const Attributes& attributes) {
  const int64_t channels = attributes.integer("channels");
  return of_each("Grayscale", [channels](const Item& item, Random&) -> Item {
    const Image image = image_of("Grayscale", item);
    check_grey("Grayscale", image);
    return grey_of(image, channels).array;
  });
}

TransformRef make_random_grayscale(const Attributes& attributes) {
  const double chance = attributes.number("prob");
  return of_each("RandomGrayscale", [chance](const Item& item, Random& random) -> Item {
    const Image image = image_of("RandomGrayscale", item);
    check_grey("RandomGrayscale", image);
    const bool changes = random.chance(chance) && image.channels == 3;
    return changes ? grey_of(image, 3).array : image.array;
  });
}

DYAD_TRANSFORM(convert_color, make_convert_color);
DYAD_TRANSFORM(grayscale, make_grayscale);
DYAD_TRANSFORM(random_grayscale, make_random_grayscale);

template <class T>
void write_grey(const Image& image, const Image& made) {
  const T* from = image.row<T>(0);
  T* to = made.row<T>(0);
  for (int64_t i = 0, pixels = image.height * image.width; i < pixels; ++i) {
    const T grey = image.channels == 3 ? luma(from + 3 * i) : from[i];
    std::fill_n(to + i * made.channels, made.channels, grey);
  }
}

}  // namespace

Image grey_of(const Image& image, int64_t channels) {
  const Image made = as_image(empty(image.dtype(), {image.height, image.width, channels}));
  switch (image.dtype()) {
    case DType::kUInt8:
      write_grey<uint8_t>(image, made);
      break;
    case DType::kFloat32:
      write_grey<float>(image, made);
      break;
    default:
      write_grey<double>(image, made);
  }
  return made;
}

Image converted(const Image& image, const Conversion& conversion) {
  const Shape shape =
      conversion.to == 1 ? Shape{image.height, image.width} : Shape{image.height, image.width, conversion.to};
  const Image made = as_image(empty(image.dtype(), shape));
  visit_layout(image, [&]<class T>() {
    convert(image.row<T>(0), image.height * image.width, conversion, made.row<T>(0));
  });
  return made;
}

}  // namespace dyad::data
