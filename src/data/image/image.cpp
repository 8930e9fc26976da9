#include "data/image/image.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace dyad::data {

namespace {

std::string list_of(std::initializer_list<int64_t> counts) {
  std::string text;
  for (const int64_t count : counts) text += (text.empty() ? "" : ", ") + std::to_string(count);
  return text;
}

std::string list_of(std::initializer_list<DType> dtypes) {
  std::string text;
  for (const DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(dtype_name(dtype));
  return text;
}

Shape with_size(const Image& model, int64_t height, int64_t width) {
  if (model.has_channels()) return {height, width, model.channels};
  return {height, width};
}

void require_frames(std::string_view reader, const TensorImpl& array) {
  if (array.rank() < 2)
    runtime_error(reader, ": the image has shape ", array.shape,
                  "; it must be (height, width) or (..., height, width, ", "channels)");
  if (array.size() == 0)
    runtime_error(reader, ": the image has shape ", array.shape, " and so holds no pixel");
}

/// Frame number `index` of an array (..., height, width, channels), in the same memory.
Image frame_at(const TensorImpl& frames, int64_t index) {
  const size_t rank = frames.shape.size();
  const Shape shape(frames.shape.begin() + (rank - 3), frames.shape.end());
  return as_image(make_view(frames, frames.dtype, shape, contiguous_strides(shape), index * numel(shape)));
}

/// Room for `count` images like `first`, in the leading dimensions of `model`.
Tensor empty_frames(const TensorImpl& model, const Image& first) {
  Shape shape(model.shape.begin(), model.shape.end() - 3);
  for (const Dim size : first.array->shape) shape.push_back(size);
  return empty(first.dtype(), shape);
}

}  // namespace

Image as_image(Tensor array) {
  Image image;
  image.height = array->shape[0].value();
  image.width = array->shape[1].value();
  image.channels = array->rank() == 3 ? array->shape[2].value() : 1;
  image.array = std::move(array);
  return image;
}

Image image_of(std::string_view reader, const Item& item) {
  const Tensor& array = item.tensor(reader);
  if (array->rank() != 2 && array->rank() != 3)
    runtime_error(reader, ": the image has shape ", array->shape,
                  "; it must be (height, width) or (height, width, channels)");
  require_frames(reader, *array);
  return as_image(contiguous(array));
}

Image empty_image(const Image& model, int64_t height, int64_t width) {
  return empty_image(model, model.dtype(), height, width);
}

Image empty_image(const Image& model, DType dtype, int64_t height, int64_t width) {
  return as_image(empty(dtype, with_size(model, height, width)));
}

Image copy_of(const Image& image) {
  Image copy = empty_image(image, image.height, image.width);
  std::memcpy(copy.array->data, image.array->data,
              static_cast<size_t>(image.array->size() * itemsize(image.dtype())));
  return copy;
}

void require_dtype(std::string_view reader, const Image& image, std::initializer_list<DType> dtypes) {
  if (std::find(dtypes.begin(), dtypes.end(), image.dtype()) == dtypes.end())
    runtime_error(reader, ": the image is of ", dtype_name(image.dtype()), "; it must be of ",
                  list_of(dtypes));
}

void require_channels(std::string_view reader, const Image& image, std::initializer_list<int64_t> counts) {
  if (std::find(counts.begin(), counts.end(), image.channels) == counts.end())
    runtime_error(reader, ": the image has shape ", image.array->shape, " and so ", image.channels,
                  " channels; it must have ", list_of(counts));
}

void require_real(std::string_view reader, const Image& image) {
  visit_real(reader, image.dtype(), [](auto) {});
}

Item of_frames(std::string_view reader, const Item& item,
               const std::function<Image(const Image&)>& function) {
  const Tensor& array = item.tensor(reader);
  require_frames(reader, *array);
  const Tensor frames = contiguous(array);
  if (frames->rank() <= 3) return function(as_image(frames)).array;
  const int64_t count = numel(Shape(frames->shape.begin(), frames->shape.end() - 3));
  Tensor together;
  for (int64_t i = 0; i < count; ++i) {
    const Image made = function(frame_at(*frames, i));
    if (!together) together = empty_frames(*frames, made);
    const size_t bytes = static_cast<size_t>(made.array->size() * itemsize(made.dtype()));
    std::memcpy(together->as<char>() + static_cast<size_t>(i) * bytes, made.array->data, bytes);
  }
  return together;
}

}  // namespace dyad::data
