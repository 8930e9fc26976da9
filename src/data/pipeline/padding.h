#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/rows/item.h"

namespace dyad::data {

/// What the values of a column are padded to before they are stacked.
struct Padding {
  bool on = false;  ///< a column that is not padded has to have equal shapes
  std::optional<std::vector<int64_t>>
      shape;          ///< -1 is the largest of the batch; without a shape all sizes are
  double number = 0;  ///< what arrays of numbers are filled up with
  std::string text;   ///< what texts are filled up with
};

/// The shape that all values of a column are padded to. `column` is for errors.
Shape padded_shape(std::string_view stage, const std::string& column, const std::vector<Item>& values,
                   const Padding& padding);
/// Fills `to`, memory for an array of `shape`, with the padding's number and the array; what is too long is
/// cut.
void pad_numbers(const TensorImpl& from, const Shape& shape, const Padding& padding, char* to);
/// The same with texts, appended to `to`.
void pad_texts(const Texts& from, const Shape& shape, const Padding& padding, std::vector<std::string>& to);

}  // namespace dyad::data
