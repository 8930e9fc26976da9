#include <array>

#include "data/image/colour.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// The directions in which the colours of the pixels of ImageNet spread most, and how far, in bytes.
constexpr double kSpread[3] = {55.4625, 4.7940, 1.1475};
constexpr double kDirections[3][3] = {
    {-0.5675, 0.7192, 0.4009}, {-0.5808, -0.0045, -0.8140}, {-0.5836, -0.6948, 0.4203}};

std::array<double, 3> drawn_shift(double alpha, Random& random) {
  std::array<double, 3> shift{};
  for (size_t i = 0; i < 3; ++i) {
    const double length = random.normal() * alpha * kSpread[i];
    for (size_t c = 0; c < 3; ++c) shift[c] += kDirections[c][i] * length;
  }
  return shift;
}

template <class T>
Image shifted(const Image& image, const std::array<double, 3>& shift) {
  Image made = empty_image(image, image.height, image.width);
  const T* from = image.row<T>(0);
  T* to = made.row<T>(0);
  for (int64_t i = 0, size = image.array->size(); i < size; i += 3)
    for (size_t c = 0; c < 3; ++c) {
      const int64_t at = i + static_cast<int64_t>(c);
      to[at] = to_element<T>(static_cast<double>(from[at]) + shift[c]);
    }
  return made;
}

TransformRef make_random_lighting(const Attributes& attributes) {
  const double alpha = attributes.number("alpha");
  return of_each("RandomLighting", [alpha](const Item& item, Random& random) -> Item {
    const Image image = image_of("RandomLighting", item);
    require_bytes_or_floats("RandomLighting", image);
    require_channels("RandomLighting", image, {3});
    const std::array<double, 3> shift = drawn_shift(alpha, random);
    if (image.dtype() == DType::kUInt8) return shifted<uint8_t>(image, shift).array;
    return (image.dtype() == DType::kFloat32 ? shifted<float>(image, shift) : shifted<double>(image, shift))
        .array;
  });
}

DYAD_TRANSFORM(random_lighting, make_random_lighting);

}  // namespace

}  // namespace dyad::data
