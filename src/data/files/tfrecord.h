#pragma once

#include <string>
#include <string_view>

namespace dyad::data {

/// A record of a TFRecord file: its length (8 bytes), the check of the length, the data and the check of the
/// data.
struct TfRecord {
  std::string_view data;
  uint32_t check = 0;  ///< as stored
  size_t size = 0;     ///< of the whole record
};

/// Takes the record apart that begins at `offset`. Returns what is wrong with it, or an empty text; the data
/// is not compared with its check.
std::string parse_tfrecord(std::string_view file, size_t offset, TfRecord& record);

}  // namespace dyad::data
