#include "data/files/declared_column.h"

#include <algorithm>

namespace dyad::data {

bool DeclaredColumn::shape_for(int64_t count, Shape& resolved) const {
  resolved.clear();
  if (!has_shape) {
    resolved.push_back(count);
    return true;
  }
  int64_t known = 1;
  for (const int64_t size : shape)
    if (size >= 0 && __builtin_mul_overflow(known, size, &known)) return false;
  const auto open = std::count(shape.begin(), shape.end(), -1);
  const bool fits = open == 0 ? known == count : open == 1 && known > 0 && count % known == 0;
  if (!fits) return false;
  for (const int64_t size : shape) resolved.push_back(size >= 0 ? size : count / known);
  return true;
}

std::vector<DeclaredColumn> declared_columns(const Attributes& attributes) {
  const std::vector<std::string> names = attributes.texts("columns");
  const std::vector<std::string> types = attributes.texts("types");
  const std::vector<int64_t> ranks = attributes.integers("ranks");
  const std::vector<int64_t> sizes = attributes.integers("sizes");
  std::vector<DeclaredColumn> columns;
  size_t at = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    DeclaredColumn column{names[i], types[i], ranks[i] >= 0, {}};
    for (int64_t axis = 0; axis < ranks[i]; ++axis) column.shape.push_back(sizes[at++]);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace dyad::data
