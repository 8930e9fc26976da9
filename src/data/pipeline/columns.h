#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "data/rows/item.h"

namespace dyad::data {

/// Which columns go through transforms, and where the results go.
struct Columns {
  std::vector<int64_t> take;
  /// The order of (what the transforms made, the other columns); as they come where there is none.
  std::optional<std::vector<int64_t>> arrange;
};

// Columns on their way into and out of transforms. `reader` opens the errors.

/// Moves the columns at `take` out of a row, in that order. The others stay, moved up.
Row taken_columns(std::string_view reader, Row& row, const std::vector<int64_t>& take);
/// The columns at `take`, shared with the row.
Row shared_columns(std::string_view reader, const Row& row, const std::vector<int64_t>& take);
/// What the transforms made and the other columns, in the order that is asked for.
Row arranged(std::string_view reader, Row&& made, Row&& others, const Columns& columns);

}  // namespace dyad::data
