#include <cstring>

#include "base/error.h"
#include "data/files/file_rows.h"
#include "data/files/utf8.h"
#include "data/rows/source.h"

namespace dyad::data {

namespace {

/// The lines of text files, without their newlines. Empty ones are left out unless they are asked for.
class Lines final : public Source {
 public:
  explicit Lines(const Attributes& attributes)
      : rows_(attributes.text("owner")),
        column_(attributes.text("column")),
        keep_empty_(attributes.flag("keep_empty")) {
    const std::vector<std::string> files = attributes.texts("files");
    for (const std::string& path : files) add_lines(rows_.open(path));
    if (rows_.size() == 0)
      runtime_error(rows_.owner(), ": no line was found in ", files.size(), " files, the first of which is ",
                    files.empty() ? std::string() : files[0]);
  }

  int64_t size() const override { return rows_.size(); }
  std::vector<std::string> columns() const override { return {column_}; }
  std::vector<int64_t> rows_per_file() const override { return rows_.rows_per_file(); }

  Row read(int64_t index) const override {
    const RowBytes row = rows_.row(index);
    const std::string_view line = row.bytes.substr(0, row.bytes.find('\n'));
    const size_t valid = utf8_end(line);
    if (valid < line.size())
      runtime_error(rows_.owner(), ": the file ", *row.path, " has a byte that is not UTF-8 at offset ",
                    row.offset() + static_cast<int64_t>(valid), ", in line ",
                    line_number(row.file, row.offset()));
    return {one_text(std::string(line))};
  }

 private:
  void add_lines(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
      const void* found = std::memchr(text.data() + at, '\n', text.size() - at);
      const size_t end =
          found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : text.size();
      if (end > at || keep_empty_) rows_.add(at);
      at = end + 1;
    }
  }

  FileRows rows_;
  std::string column_;
  bool keep_empty_;
};

SourceRef open_lines(const Attributes& attributes) { return std::make_shared<Lines>(attributes); }

DYAD_SOURCE(lines, open_lines);

}  // namespace

}  // namespace dyad::data
