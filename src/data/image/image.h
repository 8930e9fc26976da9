#pragma once

#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "data/rows/item.h"
#include "types/visit.h"

namespace dyad::data {

/// A picture: an array of shape (height, width, channels) or (height, width), in row-major order.
struct Image {
  Tensor array;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 1;  ///< 1 where the array has no third dimension

  DType dtype() const { return array->dtype; }
  /// Whether the array has a third dimension.
  bool has_channels() const { return array->rank() == 3; }
  /// Elements of one row.
  int64_t row_size() const { return width * channels; }
  template <class T>
  T* row(int64_t y) const {
    return array->as<T>() + y * row_size();
  }
  template <class T>
  T* pixel(int64_t y, int64_t x) const {
    return row<T>(y) + x * channels;
  }
};

/// The image that an item is. Anything but an array of two or three dimensions without a zero is a
/// RuntimeError in the name of the public class `reader`.
Image image_of(std::string_view reader, const Item& item);
/// The image of a contiguous array of two or three dimensions, without a check.
Image as_image(Tensor array);
/// An image without values, with as many dimensions and channels as `model`.
Image empty_image(const Image& model, int64_t height, int64_t width);
Image empty_image(const Image& model, DType dtype, int64_t height, int64_t width);
/// A copy of the image that may be written to.
Image copy_of(const Image& image);

/// A RuntimeError unless the elements have one of the types.
void require_dtype(std::string_view reader, const Image& image, std::initializer_list<DType> dtypes);
/// A RuntimeError unless there is one of these numbers of channels.
void require_channels(std::string_view reader, const Image& image, std::initializer_list<int64_t> counts);
/// A RuntimeError unless the elements are real numbers or bool.
void require_real(std::string_view reader, const Image& image);

/// Applies `function` to an image, or to each image of an array (..., height, width, channels): the results,
/// which must be alike, are put together in the same way.
Item of_frames(std::string_view reader, const Item& item, const std::function<Image(const Image&)>& function);

/// Calls `body(Typed<T>{})` with the C++ type of the elements, `_Float16` for float16 and `uint8_t` for bool.
/// Anything but real numbers is a RuntimeError in the name of `reader`.
template <class Body>
decltype(auto) visit_real(std::string_view reader, DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
      return body(Typed<uint8_t>{});
    case DType::kInt8:
      return body(Typed<int8_t>{});
    case DType::kInt16:
      return body(Typed<int16_t>{});
    case DType::kUInt16:
      return body(Typed<uint16_t>{});
    case DType::kInt32:
      return body(Typed<int32_t>{});
    case DType::kUInt32:
      return body(Typed<uint32_t>{});
    case DType::kInt64:
      return body(Typed<int64_t>{});
    case DType::kUInt64:
      return body(Typed<uint64_t>{});
    case DType::kFloat16:
      return body(Typed<_Float16>{});
    case DType::kFloat32:
      return body(Typed<float>{});
    case DType::kFloat64:
      return body(Typed<double>{});
    default:
      runtime_error(reader, ": the image is of ", dtype_name(dtype), "; it must be of real numbers");
  }
}

/// A number as an element: rounded to nearest and cut to the range of an integer type; NaN becomes 0 there.
template <class T, class From>
T to_element(From value) {
  if constexpr (std::is_integral_v<T>) {
    if (!(value > static_cast<From>(std::numeric_limits<T>::lowest())))
      return value != value ? T{0} : std::numeric_limits<T>::lowest();
    if (value >= static_cast<From>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(std::nearbyint(value));
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace dyad::data
