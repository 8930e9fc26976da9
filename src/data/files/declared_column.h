#pragma once

#include <string>
#include <vector>

#include "data/rows/attributes.h"

namespace dyad::data {

/// A column as a schema declares it.
struct DeclaredColumn {
  std::string name;
  std::string type;  ///< a dtype's name, "string", "bytes", or empty for what the file has
  bool has_shape = false;
  std::vector<int64_t> shape;  ///< -1 for one size that follows from the number of values

  /// The shape of `count` values; false if the declared one does not take them. Without one they are a line.
  bool shape_for(int64_t count, Shape& resolved) const;
};

/// The columns that attributes describe: names (`columns`), `types`, `ranks` (-1 for no shape), and the
/// `sizes` of all shapes in a row.
std::vector<DeclaredColumn> declared_columns(const Attributes& attributes);

}  // namespace dyad::data
