#include <vector>

#include "data/image/geometry.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

Sampling sampling_from(const Attributes& attributes) {
  return static_cast<Sampling>(attributes.integer("sampling"));
}

Fill fill_from(const Attributes& attributes) {
  const std::vector<double> values = attributes.numbers("fill");
  return {values.at(0), values.at(1), values.at(2)};
}

/// Refuses what has no values between two values.
void check_warp(std::string_view reader, const Image& image) {
  if (is_bool(image.dtype()))
    runtime_error(reader, ": the image is of bool; it must be of integers or floats");
  require_real(reader, image);
}

/// A number from a range (low, high).
double drawn(const std::vector<double>& range, size_t at, Random& random) {
  return random.uniform(range.at(at), range.at(at + 1));
}

TransformRef make_rotate(const Attributes& attributes) {
  const std::string& name = attributes.text("class");
  const std::vector<double> degrees = attributes.numbers("degrees");
  const std::vector<double> center = attributes.numbers("center");
  const Rotation model{0, sampling_from(attributes), attributes.flag("expand"), nullptr,
                       fill_from(attributes)};
  return of_each(name, [=](const Item& item, Random& random) {
    const Point point = center.empty() ? Point{} : Point{center.at(0), center.at(1)};
    Rotation rotation = model;
    rotation.degrees = drawn(degrees, 0, random);
    if (!center.empty()) rotation.center = &point;
    return of_frames(name, item, [&](const Image& image) {
      check_warp(name, image);
      return rotated(image, rotation);
    });
  });
}

TransformRef make_affine(const Attributes& attributes) {
  const std::string& name = attributes.text("class");
  const std::vector<double> degrees = attributes.numbers("degrees");
  const std::vector<double> translate = attributes.numbers("translate");
  const std::vector<double> scale = attributes.numbers("scale");
  const std::vector<double> shear = attributes.numbers("shear");
  const Sampling sampling = sampling_from(attributes);
  const Fill fill = fill_from(attributes);
  return of_each(name, [=](const Item& item, Random& random) -> Item {
    const Image image = image_of(name, item);
    check_warp(name, image);
    AffineChange change;
    change.degrees = drawn(degrees, 0, random);
    change.move.x = drawn(translate, 0, random) * static_cast<double>(image.width);
    change.move.y = drawn(translate, 2, random) * static_cast<double>(image.height);
    change.scale = drawn(scale, 0, random);
    change.shear = {drawn(shear, 0, random), drawn(shear, 2, random)};
    return warped(image, affine_map(change, middle(image)), image.height, image.width, sampling, fill).array;
  });
}

std::array<Point, 4> points_from(const std::vector<double>& numbers) {
  std::array<Point, 4> points;
  for (size_t i = 0; i < 4; ++i) points[i] = {numbers.at(2 * i), numbers.at(2 * i + 1)};
  return points;
}

TransformRef make_perspective(const Attributes& attributes) {
  PlaneMap map;
  if (!perspective_map(points_from(attributes.numbers("start")), points_from(attributes.numbers("end")), map))
    value_error(
        "Perspective: three of the points lie on a line; start_points and end_points must be corners of ",
        "quadrilaterals");
  const Sampling sampling = sampling_from(attributes);
  return of_each("Perspective", [map, sampling](const Item& item, Random&) -> Item {
    const Image image = image_of("Perspective", item);
    check_warp("Perspective", image);
    return warped(image, map, image.height, image.width, sampling, Fill{}).array;
  });
}

/// The corners of an image, each moved inwards by up to `most` of half the size.
std::array<Point, 4> moved_corners(double width, double height, double most, Random& random) {
  const auto dx = [&] { return random.uniform(0, most * width / 2); };
  const auto dy = [&] { return random.uniform(0, most * height / 2); };
  return {Point{dx(), dy()}, Point{width - dx(), dy()}, Point{width - dx(), height - dy()},
          Point{dx(), height - dy()}};
}

TransformRef make_random_perspective(const Attributes& attributes) {
  const double distortion = attributes.number("distortion");
  const double chance = attributes.number("prob");
  const Sampling sampling = sampling_from(attributes);
  return of_each("RandomPerspective", [=](const Item& item, Random& random) -> Item {
    const Image image = image_of("RandomPerspective", item);
    check_warp("RandomPerspective", image);
    if (!random.chance(chance)) return image.array;
    const auto width = static_cast<double>(image.width);
    const auto height = static_cast<double>(image.height);
    const std::array<Point, 4> corners = {Point{0, 0}, Point{width, 0}, Point{width, height},
                                          Point{0, height}};
    PlaneMap map;
    // Corners that were moved onto one line, which is all but impossible, leave the image as it is.
    if (!perspective_map(corners, moved_corners(width, height, distortion, random), map)) return image.array;
    return warped(image, map, image.height, image.width, sampling, Fill{}).array;
  });
}

DYAD_TRANSFORM(rotate, make_rotate);
DYAD_TRANSFORM(affine, make_affine);
DYAD_TRANSFORM(perspective, make_perspective);
DYAD_TRANSFORM(random_perspective, make_random_perspective);

}  // namespace

}  // namespace dyad::data
