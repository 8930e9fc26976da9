#include "data/image/layout.h"

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

}  // namespace

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

}  // namespace dyad::data
