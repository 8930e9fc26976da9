#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/files/declared_column.h"
#include "data/rows/item.h"

namespace dyad::data {

/// A column of a MindRecord file: of type int32, int64, float32, float64, string or bytes; or uint8 for bytes
/// as an array.
struct RecordColumn : DeclaredColumn {
  int64_t blob = -1;  ///< its place among the columns of the blob; -1 for one that is not in it
};

/// The value of a column that is not in the blob, out of the MessagePack map of its row. `where` opens
/// errors.
Item raw_item(const RecordColumn& column, std::string_view raw, std::string_view where);

/// The value of a column in the blob of its row, which holds `columns` columns. If `packed`, integers are
/// stored in as few bytes as each needs.
Item blob_item(const RecordColumn& column, std::string_view blob, int64_t columns, bool packed,
               std::string_view where);

}  // namespace dyad::data
