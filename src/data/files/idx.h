#pragma once

#include <vector>

#include "data/files/file_bytes.h"

namespace dyad::data {

/// A file in the IDX format of MNIST, mapped into memory: an array of bytes or of 32-bit integers with its
/// shape.
class IdxFile {
 public:
  /// A header that is none, or a file of another length than its header says, is a RuntimeError.
  IdxFile(std::string_view owner, std::string path);

  const std::string& path() const { return file_.path(); }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rows() const { return shape_[0]; }
  /// Elements of one row.
  int64_t row_size() const { return row_size_; }
  /// Whether the elements are 32-bit integers, most significant byte first; otherwise they are bytes.
  bool wide() const { return wide_; }
  const uint8_t* row(int64_t index) const { return data_ + index * row_size_ * (wide_ ? 4 : 1); }
  /// Element `column` of a row.
  int64_t number(int64_t index, int64_t column) const;

 private:
  void read_header(std::string_view owner);
  MappedFile file_;
  std::vector<int64_t> shape_;
  int64_t row_size_ = 1;
  bool wide_ = false;
  const uint8_t* data_ = nullptr;
};

}  // namespace dyad::data
