#include "data/files/tfrecord.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/files/crc32c.h"
#include "data/files/file_rows.h"
#include "data/files/inflate.h"
#include "data/files/tf_example.h"
#include "data/files/utf8.h"
#include "data/rows/source.h"

namespace dyad::data {

namespace {

constexpr size_t kFrame = 8 + 4 + 4;  // length, its check, the check of the data

template <class T>
T number_at(std::string_view bytes, size_t offset) {
  T number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(T));
  return number;
}

/// The examples of TFRecord files.
class TfRecords final : public Source {
 public:
  explicit TfRecords(const Attributes& attributes)
      : rows_(attributes.text("owner")), columns_(declared_columns(attributes)) {
    const std::string& compression = attributes.text("compression");
    for (const std::string& path : attributes.texts("files"))
      add_records(path, compression.empty()
                            ? rows_.open(path)
                            : rows_.open(path, inflate_file(rows_.owner(), path, compression == "GZIP")));
    if (rows_.size() == 0) runtime_error(rows_.owner(), ": the files have no records");
    if (columns_.empty()) name_columns();
  }

  int64_t size() const override { return rows_.size(); }
  std::vector<int64_t> rows_per_file() const override { return rows_.rows_per_file(); }
  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const DeclaredColumn& column : columns_) names.push_back(column.name);
    return names;
  }

  Row read(int64_t index) const override {
    const RowBytes bytes = rows_.row(index);
    std::vector<Feature> features;
    parse(bytes, features);
    Row row;
    for (const DeclaredColumn& column : columns_) row.push_back(item(bytes, features, column));
    return row;
  }

 private:
  [[noreturn]] void fail(const std::string& path, size_t offset, const std::string& fault) const {
    runtime_error(rows_.owner(), ": the file ", path, " is not valid at offset ", offset, ": ", fault);
  }

  void add_records(const std::string& path, std::string_view file) {
    size_t at = 0;
    while (at < file.size()) {
      TfRecord record;
      const std::string fault = parse_tfrecord(file, at, record);
      if (!fault.empty()) fail(path, at, fault);
      rows_.add(at);
      at += record.size;
    }
  }

  void parse(const RowBytes& row, std::vector<Feature>& features) const {
    const auto offset = static_cast<size_t>(row.offset());
    TfRecord record;
    const std::string fault = parse_tfrecord(row.file, offset, record);
    if (!fault.empty()) fail(*row.path, offset, fault);
    if (masked_crc32c(record.data) != record.check)
      fail(*row.path, offset, "the data of the record does not agree with its check");
    if (!parse_example(record.data, features)) fail(*row.path, offset, "the record is no tf.train.Example");
  }

  Item item(const RowBytes& row, const std::vector<Feature>& features, const DeclaredColumn& column) const {
    const std::string where =
        cat(rows_.owner(), ": the file ", *row.path, ", record at offset ", row.offset());
    for (auto feature = features.rbegin(); feature != features.rend();
         ++feature)  // the last of a name counts
      if (feature->name == column.name) return feature_item(*feature, column, where);
    runtime_error(where, ": there is no column ", column.name);
  }

  /// Without a schema the columns are those of the first record, by name.
  void name_columns() {
    std::vector<Feature> features;
    parse(rows_.row(0), features);
    std::vector<std::string> names;
    for (const Feature& feature : features) {
      if (utf8_end(feature.name) < feature.name.size())
        runtime_error(rows_.owner(), ": the first record names a column with ", shown_text(feature.name));
      names.emplace_back(feature.name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::string& name : names) columns_.push_back({std::move(name), "", false, {}});
  }

  FileRows rows_;
  std::vector<DeclaredColumn> columns_;
};

SourceRef open_tfrecords(const Attributes& attributes) { return std::make_shared<TfRecords>(attributes); }

DYAD_SOURCE(tfrecords, open_tfrecords);

}  // namespace

std::string parse_tfrecord(std::string_view file, size_t offset, TfRecord& record) {
  const std::string_view rest = file.substr(offset);
  if (rest.size() < kFrame) return cat(rest.size(), " bytes are left; a record has ", kFrame, " or more");
  if (masked_crc32c(rest.substr(0, 8)) != number_at<uint32_t>(rest, 8))
    return "the length of the record does not agree with its check; the file is broken or no TFRecord file";
  const auto length = number_at<uint64_t>(rest, 0);
  if (length > rest.size() - kFrame)
    return cat("the record has ", length, " bytes; ", rest.size() - kFrame, " are left of the file");
  record.data = rest.substr(12, length);
  record.check = number_at<uint32_t>(rest, 12 + length);
  record.size = kFrame + length;
  return {};
}

}  // namespace dyad::data
