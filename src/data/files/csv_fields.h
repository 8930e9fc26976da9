#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyad::data {

/// The end of the record that begins at `at`: the offset of its line end, or of the end of the text. A line
/// end within quotes belongs to its field.
size_t csv_record_end(std::string_view text, size_t at);

/// Splits a record into its fields. A field may be quoted, with a quote in it written twice. Returns what is
/// wrong with the record, or an empty text.
std::string split_csv_record(std::string_view record, char delimiter, std::vector<std::string>& fields);

}  // namespace dyad::data
