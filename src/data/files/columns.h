#pragma once

#include "data/rows/source.h"
#include "data/rows/transform.h"

namespace dyad::data {

/// One column of a source: its value in each row. Any number of threads read at once.
class Column {
 public:
  virtual ~Column() = default;
  virtual int64_t size() const = 0;
  virtual Item read(int64_t index) const = 0;
  /// The path of the file that the value is in; empty where it has none of its own.
  virtual std::string origin(int64_t /*index*/) const { return {}; }
};
using ColumnRef = std::shared_ptr<const Column>;

/// How the contents of files become values.
struct FileSteps {
  std::string owner;     ///< the public class, for errors
  TransformRef decrypt;  ///< makes bytes of a path in place of reading it; may be empty
  TransformRef decode;   ///< makes an image of bytes; may be empty
};
/// The steps that a source's attributes `owner`, `decrypt` and `decode` ask for.
FileSteps file_steps(const Attributes& attributes);

/// Each value is the contents of a file, read when it is asked for.
ColumnRef file_column(std::vector<std::string> paths, FileSteps steps);
/// Each value is the contents of a file as a text, read when it is asked for.
ColumnRef file_text_column(std::vector<std::string> paths, std::string owner);
/// The values are the parts of an array along its first dimension, copied.
ColumnRef array_column(const Tensor& values);
/// Value i is made of the elements [ends[i - 1], ends[i]) of a list, in rows of widths[i]. A width of 0 makes
/// it a list, one of -1 a single element without dimensions.
struct Spans {
  std::vector<int64_t> ends;
  std::vector<int64_t> widths;
};
/// The values are parts of an array of one dimension, copied.
ColumnRef ragged_array_column(const Tensor& values, Spans spans);
/// Each value is a text.
ColumnRef text_column(std::vector<std::string> values);
/// The values are parts of a list of texts.
ColumnRef ragged_text_column(std::vector<std::string> values, Spans spans);

/// A source made of columns of the same length.
class ColumnsSource : public Source {
 public:
  ColumnsSource(std::string owner, std::vector<std::string> names, std::vector<ColumnRef> columns,
                std::vector<int64_t> classes = {});
  int64_t size() const override { return columns_.front()->size(); }
  Row read(int64_t index) const override;
  std::vector<std::string> columns() const override { return names_; }
  std::vector<int64_t> classes() const override { return classes_; }
  std::string origin(int64_t index) const override;
  std::vector<int64_t> rows_per_file() const override { return rows_per_file_; }
  /// Says that so many rows each come from the same files.
  void set_rows_per_file(std::vector<int64_t> rows) { rows_per_file_ = std::move(rows); }

 private:
  std::string owner_;
  std::vector<std::string> names_;
  std::vector<ColumnRef> columns_;
  std::vector<int64_t> classes_;
  std::vector<int64_t> rows_per_file_;
};

/// Raises an IndexError in the name of `owner` unless the row exists.
void require_row(std::string_view owner, int64_t index, int64_t size);

}  // namespace dyad::data
