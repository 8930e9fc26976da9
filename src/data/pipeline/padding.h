#pragma once

#include "data/pipeline/stack.h"

namespace dyad::data {

/// The shape that all values of a column are padded to. `column` is for errors.
Shape padded_shape(std::string_view stage, const std::string& column, const std::vector<Item>& values,
                   const Padding& padding);
/// Fills `to`, memory for an array of `shape`, with the padding's number and the array; what is too long is
/// cut.
void pad_numbers(const TensorImpl& from, const Shape& shape, const Padding& padding, char* to);
/// The same with texts, appended to `to`.
void pad_texts(const Texts& from, const Shape& shape, const Padding& padding, std::vector<std::string>& to);

}  // namespace dyad::data
