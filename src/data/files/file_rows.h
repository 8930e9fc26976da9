#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyad::data {

/// One row of a file: its bytes, up to where the next row begins.
struct RowBytes {
  const std::string* path;
  std::string_view file;   ///< all bytes of the file
  std::string_view bytes;  ///< those of the row
  int64_t offset() const { return bytes.data() - file.data(); }
};

/// Where the rows of a number of files begin. Filled once, then read by any number of threads.
class FileRows {
 public:
  explicit FileRows(std::string owner) : owner_(std::move(owner)) {}

  const std::string& owner() const { return owner_; }
  /// Maps a file into memory; rows that are added from now on are its.
  std::string_view open(const std::string& path);
  /// The same with bytes that are in memory already, such as those of a compressed file.
  std::string_view open(const std::string& path, std::string bytes);
  /// A row of the file that was opened last, at an offset behind those added before.
  void add(size_t begin) { begins_.push_back(begin); }

  int64_t size() const { return static_cast<int64_t>(begins_.size()); }
  std::vector<int64_t> rows_per_file() const;
  /// An index outside of the rows is an IndexError.
  RowBytes row(int64_t index) const;

 private:
  struct File {
    std::string path;
    std::string_view bytes;
    std::shared_ptr<const void> memory;
    size_t first;  ///< number of the rows before it
  };
  std::string owner_;
  std::vector<File> files_;
  std::vector<size_t> begins_;
};

/// The number, from 1, of the line that holds byte `offset` of a text.
int64_t line_number(std::string_view text, int64_t offset);

}  // namespace dyad::data
