#include "data/image/normalize.h"

#include <cstring>
#include <limits>

#include "data/image/image.h"

namespace dyad::data {

namespace {

template <class T>
void to_planes(const T* from, T* to, int64_t pixels, int64_t channels) {
  if (channels == 3) {
    for (int64_t i = 0; i < pixels; ++i) {
      to[i] = from[3 * i];
      to[pixels + i] = from[3 * i + 1];
      to[2 * pixels + i] = from[3 * i + 2];
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < pixels; ++i) to[c * pixels + i] = from[i * channels + c];
}

/// An array (height, width, channels) with its channels first; one of two dimensions as it is.
Tensor planes_of(const Tensor& array) {
  if (array->rank() == 2) return array;
  const Image image = as_image(array);
  const Shape shape{image.channels, image.height, image.width};
  if (image.channels == 1) return make_view(*array, array->dtype, shape, contiguous_strides(shape), 0);
  Tensor planes = empty(array->dtype, shape);
  if (planes->size() == 0) return planes;
  visit_width(array->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    to_planes(array->as<const T>(), planes->as<T>(), image.height * image.width, image.channels);
  });
  return planes;
}

int64_t channels_of(const TensorImpl& array, bool planes) {
  const int64_t rank = array.rank();
  if (rank < 3) return 1;
  return array.shape[static_cast<size_t>(planes ? rank - 3 : rank - 1)].value();
}

void require_rank(const PixelMap& map, const TensorImpl& array) {
  if (array.rank() >= map.least_rank && array.rank() <= map.most_rank) return;
  runtime_error(map.name, ": the image has shape ", array.shape, "; it must be (height, width) or ",
                map.most_rank == 3 ? "(height, width, channels)" : "(..., height, width, channels)");
}

void require_constants(const PixelMap& map, const TensorImpl& array, int64_t channels) {
  for (const auto& values : {map.affine->shift, map.affine->factor})
    if (values.size() != 1 && static_cast<int64_t>(values.size()) != channels)
      runtime_error(map.name, ": the image has shape ", array.shape, " and so ", channels,
                    " channels; mean and std have ", values.size(),
                    " values: there must be one for each, or one in all");
}

/// The shape of the result: with the channels first where the map puts them there.
Shape planes_shape(const PixelMap& map, const Shape& shape) {
  if (map.to_planes && !map.planes_in && shape.size() == 3) return {shape[2], shape[0], shape[1]};
  if (map.adds_channel && shape.size() == 2) return {1, shape[0], shape[1]};
  return shape;
}

Item with_affine(const PixelMap& map, const TensorImpl& array) {
  const int64_t channels = channels_of(array, map.planes_in);
  require_constants(map, array, channels);
  Tensor made = empty(DType::kFloat32, planes_shape(map, array.shape));
  const int64_t size = array.size();
  if (size == 0) return made;
  const auto* from = array.as<const char>();
  auto* to = made->as<float>();
  const int64_t planes_size = map.planes_in && array.rank() >= 3
                                  ? size / numel(Shape(array.shape.begin(), array.shape.end() - 3))
                                  : size;
  for (int64_t done = 0; done < size; done += planes_size) {
    const void* frame = from + done * itemsize(array.dtype);
    const auto kernel = map.planes_in ? affine_planes : map.to_planes ? affine_to_planes : affine_pixels;
    kernel(array.dtype, frame, to + done, planes_size / channels, channels, *map.affine);
  }
  return made;
}

class PixelTransform final : public Transform {
 public:
  explicit PixelTransform(PixelMap map) : map_(std::move(map)) {}
  void apply(Row& columns, Random&) const override {
    if (columns.size() != 1)
      runtime_error(map_.name, ": ", columns.size(), " columns were given; it takes one column");
    columns[0] = map_(columns[0]);
  }
  TransformRef followed_by(const Transform& next) const override {
    const auto* other = dynamic_cast<const PixelTransform*>(&next);
    if (!other) return nullptr;
    auto both = joined(map_, other->map_);
    return both ? pixel_transform(*std::move(both)) : nullptr;
  }

 private:
  PixelMap map_;
};

std::vector<float> floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

Affine normalizing(const Attributes& attributes) {
  Affine affine;
  affine.shift = floats(attributes.numbers("mean"));
  affine.factor = floats(attributes.numbers("std"));
  for (float& shift : affine.shift) shift = -shift;
  for (float& factor : affine.factor) factor = 1 / factor;
  return affine;
}

TransformRef make_rescale(const Attributes& attributes) {
  Affine affine;
  affine.scale = static_cast<float>(attributes.number("rescale"));
  affine.shift = {static_cast<float>(attributes.number("shift"))};
  return pixel_transform({.name = "Rescale", .affine = affine});
}

TransformRef make_normalize(const Attributes& attributes) {
  const bool planes = !attributes.flag("is_hwc");
  return pixel_transform({.name = "Normalize",
                          .affine = normalizing(attributes),
                          .planes_in = planes,
                          .to_planes = planes,
                          .least_rank = 2});
}

TransformRef make_hwc2chw(const Attributes&) {
  return pixel_transform({.name = "HWC2CHW", .to_planes = true, .least_rank = 2, .most_rank = 3});
}

TransformRef make_to_tensor(const Attributes&) {
  Affine affine;
  affine.scale = 1.0F / 255;
  return pixel_transform({.name = "ToTensor",
                          .affine = affine,
                          .to_planes = true,
                          .adds_channel = true,
                          .least_rank = 2,
                          .most_rank = 3});
}

DYAD_TRANSFORM(rescale, make_rescale);
DYAD_TRANSFORM(normalize, make_normalize);
DYAD_TRANSFORM(hwc2chw, make_hwc2chw);
DYAD_TRANSFORM(to_tensor, make_to_tensor);

/// The constants of `first` and then `next`, where one multiplication and one addition do.
std::optional<Affine> joined(const Affine& first, const Affine& next) {
  const bool plain = first.factor.size() == 1 && first.factor[0] == 1 && first.shift.size() == 1;
  if (!plain || next.scale != 1) return std::nullopt;
  Affine both{first.scale, next.shift, next.factor};
  for (float& shift : both.shift) shift += first.shift[0];
  return both;
}

}  // namespace

Item PixelMap::operator()(const Item& item) const {
  const Tensor array = contiguous(item.tensor(name));
  require_rank(*this, *array);
  visit_real(name, array->dtype, [](auto) {});
  if (affine) return with_affine(*this, *array);
  return planes_of(array);
}

std::optional<PixelMap> joined(const PixelMap& first, const PixelMap& next) {
  if (first.to_planes != next.planes_in) return std::nullopt;
  PixelMap both = first;
  both.to_planes = next.to_planes;
  both.name = next.name;
  both.least_rank = std::max(first.least_rank, next.least_rank);
  both.most_rank = std::min(first.most_rank, next.most_rank);
  both.adds_channel = first.adds_channel || next.adds_channel;
  if (first.affine && next.affine) {
    const auto affine = joined(*first.affine, *next.affine);
    if (!affine) return std::nullopt;
    both.affine = affine;
  } else if (next.affine) {
    both.affine = next.affine;
  }
  return both;
}

TransformRef pixel_transform(PixelMap map) { return std::make_shared<PixelTransform>(std::move(map)); }

}  // namespace dyad::data
