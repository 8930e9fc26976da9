#pragma once

#include <array>
#include <string>

#include "data/image/image.h"
#include "data/rows/attributes.h"

namespace dyad::data {

/// What pixels padding adds.
enum class Border : uint8_t { kConstant, kEdge, kReflect, kSymmetric };

Border border_named(const std::string& name);

/// How many pixels are added on each side, and which.
struct Padding {
  int64_t left = 0;
  int64_t top = 0;
  int64_t right = 0;
  int64_t bottom = 0;
  Border border = Border::kConstant;
  std::array<double, 3> fill{};  ///< of the first three channels; further ones get the last

  bool none() const { return left == 0 && top == 0 && right == 0 && bottom == 0; }
};

/// From the attributes `padding` (left, top, right, bottom), `padding_mode` and `fill_value`.
Padding padding_from(const Attributes& attributes);

Image padded(std::string_view reader, const Image& image, const Padding& padding);

}  // namespace dyad::data
