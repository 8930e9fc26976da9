#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/files/declared_column.h"
#include "data/rows/item.h"

namespace dyad::data {

/// A named list of values of a `tf.train.Example`: texts, float32 or int64.
struct Feature {
  enum class Kind { kNone, kBytes, kFloat, kInt64 } kind = Kind::kNone;
  std::string_view name;
  std::vector<std::string_view> texts;
  std::vector<float> floats;
  std::vector<int64_t> integers;
};

/// The features of an example, as they come; false if the bytes are no example. The texts are views of the
/// bytes.
bool parse_example(std::string_view example, std::vector<Feature>& features);

/// The values of a feature as the column has them. What does not fit is a RuntimeError that opens with
/// `where`.
Item feature_item(const Feature& feature, const DeclaredColumn& column, std::string_view where);

}  // namespace dyad::data
