#include <algorithm>
#include <cmath>
#include <vector>

#include "data/image/image.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// An array of images with its memory, and where its height, width and channels lie.
struct Canvas {
  Tensor array;
  int64_t height, width, channels;
  int64_t row, pixel, channel;  ///< distances in elements
};

struct Box {
  int64_t top, left, height, width;
};

/// The canvas of an array of three dimensions.
Canvas canvas_of(std::string_view reader, Tensor array, bool channels_last) {
  if (array->rank() != 3 || array->size() == 0)
    runtime_error(reader, ": the image has shape ", array->shape, "; it must be ",
                  channels_last ? "(height, width, channels)" : "(channels, height, width)");
  if (is_bool(array->dtype))
    runtime_error(reader, ": the image is of bool; it must be of integers or floats");
  visit_real(reader, array->dtype, [](auto) {});
  const int64_t first = array->shape[0].value();
  const int64_t second = array->shape[1].value();
  const int64_t third = array->shape[2].value();
  if (channels_last) return {std::move(array), first, second, third, second * third, third, 1};
  return {std::move(array), second, third, first, third, 1, second * third};
}

/// The array to write into: itself where that is asked for and its memory may be written to, a copy
/// otherwise.
Tensor to_write(std::string_view reader, const Item& item, bool in_place) {
  const Tensor& given = item.tensor(reader);
  if (in_place && given->contiguous() && given->storage->writable()) return given;
  const Tensor same = contiguous(given);
  if (same.get() != given.get()) return same;
  Tensor copy = empty(given->dtype, given->shape);
  std::copy_n(given->as<std::byte>(), given->size() * itemsize(given->dtype), copy->as<std::byte>());
  return copy;
}

/// Writes `value(channel)` to each element of the part of the box that is within the canvas.
template <class F>
void write_box(const Canvas& canvas, const Box& box, F&& value) {
  const int64_t top = std::max<int64_t>(box.top, 0);
  const int64_t left = std::max<int64_t>(box.left, 0);
  const int64_t bottom = std::min(canvas.height, box.top + box.height);
  const int64_t right = std::min(canvas.width, box.left + box.width);
  visit_real("image", canvas.array->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    T* data = canvas.array->as<T>();
    for (int64_t y = top; y < bottom; ++y)
      for (int64_t x = left; x < right; ++x)
        for (int64_t c = 0; c < canvas.channels; ++c)
          data[y * canvas.row + x * canvas.pixel + c * canvas.channel] = to_element<T>(value(c));
  });
}

/// One value for all channels, or one for each of three.
void check_values(std::string_view reader, const Canvas& canvas, const std::vector<double>& values) {
  if (values.size() == 3 && canvas.channels != 3)
    runtime_error(reader, ": value has 3 numbers and the image has ", canvas.channels,
                  " channels; it must have 3, or value must be one number");
}

double value_at(const std::vector<double>& values, int64_t channel) {
  return values[values.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

TransformRef make_erase(const Attributes& attributes) {
  const Box box{attributes.integer("top"), attributes.integer("left"), attributes.integer("height"),
                attributes.integer("width")};
  const std::vector<double> values = attributes.numbers("value");
  const bool in_place = attributes.flag("inplace");
  return of_each("Erase", [=](const Item& item, Random&) -> Item {
    const Canvas canvas = canvas_of("Erase", to_write("Erase", item, in_place), true);
    check_values("Erase", canvas, values);
    if (box.top > canvas.height || box.left > canvas.width || box.height > canvas.height ||
        box.width > canvas.width)
      runtime_error("Erase: the region begins at (", box.top, ", ", box.left, ") and is ", box.height, " by ",
                    box.width, "; it must not be beyond the image of shape ", canvas.array->shape);
    write_box(canvas, box, [&](int64_t c) { return value_at(values, c); });
    return canvas.array;
  });
}

TransformRef make_cutout(const Attributes& attributes) {
  const int64_t length = attributes.integer("length");
  const int64_t patches = attributes.integer("patches");
  const bool channels_last = attributes.flag("is_hwc");
  return of_each("CutOut", [=](const Item& item, Random& random) -> Item {
    const Canvas canvas = canvas_of("CutOut", to_write("CutOut", item, false), channels_last);
    if (length > canvas.height || length > canvas.width)
      runtime_error("CutOut: length is ", length, "; it must not exceed the sides of the image of shape ",
                    canvas.array->shape);
    for (int64_t i = 0; i < patches; ++i) {
      const int64_t top = random.integer(0, canvas.height - 1) - length / 2;
      const int64_t left = random.integer(0, canvas.width - 1) - length / 2;
      write_box(canvas, {top, left, length, length}, [](int64_t) { return 0.0; });
    }
    return canvas.array;
  });
}

/// How RandomErasing chooses its region.
struct Choice {
  std::vector<double> scale;  ///< of the area of the image
  std::vector<double> ratio;  ///< of height to width
  int64_t attempts;
};

/// A region that is smaller than the image on both sides; false if none was found in the attempts.
bool drawn_box(const Choice& choice, const Canvas& canvas, Random& random, Box& box) {
  const auto height = static_cast<double>(canvas.height);
  const auto width = static_cast<double>(canvas.width);
  for (int64_t i = 0; i < choice.attempts; ++i) {
    const double area = height * width * random.uniform(choice.scale.at(0), choice.scale.at(1));
    const double ratio = std::exp(random.uniform(std::log(choice.ratio.at(0)), std::log(choice.ratio.at(1))));
    const double tall = std::round(std::sqrt(area * ratio));
    const double wide = std::round(std::sqrt(area / ratio));
    if (!(tall < height && wide < width)) continue;
    box.height = static_cast<int64_t>(tall);
    box.width = static_cast<int64_t>(wide);
    box.top = random.integer(0, canvas.height - box.height);
    box.left = random.integer(0, canvas.width - box.width);
    return true;
  }
  return false;
}

TransformRef make_random_erasing(const Attributes& attributes) {
  const Choice choice{attributes.numbers("scale"), attributes.numbers("ratio"),
                      attributes.integer("attempts")};
  const double chance = attributes.number("prob");
  const std::vector<double> values = attributes.numbers("value");  // none: random ones
  const bool in_place = attributes.flag("inplace");
  return of_each("RandomErasing", [=](const Item& item, Random& random) -> Item {
    const bool erases = random.chance(chance);
    const Tensor array = erases ? to_write("RandomErasing", item, in_place) : item.tensor("RandomErasing");
    const Canvas canvas = canvas_of("RandomErasing", array, false);
    if (!values.empty()) check_values("RandomErasing", canvas, values);
    Box box{};
    if (erases && drawn_box(choice, canvas, random, box))
      write_box(canvas, box,
                [&](int64_t c) { return values.empty() ? random.normal() : value_at(values, c); });
    return canvas.array;
  });
}

DYAD_TRANSFORM(erase, make_erase);
DYAD_TRANSFORM(cutout, make_cutout);
DYAD_TRANSFORM(random_erasing, make_random_erasing);

}  // namespace

}  // namespace dyad::data
