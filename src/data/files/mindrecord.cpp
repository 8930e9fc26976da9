#include "data/files/mindrecord.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "data/files/columns.h"
#include "data/files/file_bytes.h"
#include "data/rows/source.h"

namespace dyad::data {

namespace {

/// A data file: a header, then pages of one size.
struct RecordFile {
  std::unique_ptr<MappedFile> bytes;
  int64_t header_size;
  int64_t page_size;
};

/// One row of the index: pages and offsets in them, as the index files have them.
enum IndexField { kFile, kRawPage, kRawBegin, kRawEnd, kBlobPage, kBlobBegin, kBlobEnd, kIndexFields };

std::vector<RecordColumn> columns_from(const Attributes& attributes) {
  const std::vector<std::string> blob = attributes.texts("blob_columns");
  std::vector<RecordColumn> columns;
  for (DeclaredColumn& declared : declared_columns(attributes)) {
    const auto found = std::find(blob.begin(), blob.end(), declared.name);
    const int64_t place = found != blob.end() ? found - blob.begin() : -1;
    columns.push_back({std::move(declared), place});
  }
  return columns;
}

Tensor copy_of(const Tensor& tensor) {
  const Tensor from = contiguous(tensor);
  Tensor copy = empty(from->dtype, from->shape);
  std::memcpy(copy->as<char>(), from->as<const char>(),
              static_cast<size_t>(from->size() * itemsize(from->dtype)));
  return copy;
}

/// Rows of MindRecord files. The front reads the headers and the index files; a row is read when it is asked
/// for. Behind the rows of the files come `padded` rows that are all the same.
class MindRecords final : public Source {
 public:
  explicit MindRecords(const Attributes& attributes)
      : owner_(attributes.text("owner")),
        columns_(columns_from(attributes)),
        blob_columns_(static_cast<int64_t>(attributes.texts("blob_columns").size())),
        packed_(attributes.flag("packed_integers")),
        index_(contiguous(attributes.tensor("index"))),
        rows_(index_->shape[0].value()),
        padded_(attributes.integer("padded")) {
    DYAD_ASSERT(index_->dtype == DType::kInt64 && index_->rank() == 2 &&
                index_->shape[1].value() == kIndexFields);
    open_files(attributes);
    for (size_t i = 0; padded_ > 0 && i < columns_.size(); ++i) padding_.push_back(padding(attributes, i));
    if (attributes.has("classes")) classes_ = attributes.integers("classes");
  }

  int64_t size() const override { return rows_ + padded_; }
  std::vector<int64_t> classes() const override { return classes_; }
  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const RecordColumn& column : columns_) names.push_back(column.name);
    return names;
  }
  std::vector<int64_t> rows_per_file() const override {
    std::vector<int64_t> counts(files_.size());
    for (int64_t row = 0; row < rows_; ++row) ++counts[static_cast<size_t>(entry(row)[kFile])];
    return counts;
  }

  Row read(int64_t index) const override {
    require_row(owner_, index, size());
    if (index >= rows_) return padding_row();
    const int64_t* at = entry(index);
    const RecordFile& file = files_[static_cast<size_t>(at[kFile])];
    const std::string where = cat(owner_, ": the file ", file.bytes->path(), ", row ", index);
    const std::string_view raw = part(file, at[kRawPage], at[kRawBegin], at[kRawEnd], where);
    const std::string_view blob =
        blob_columns_ ? part(file, at[kBlobPage], at[kBlobBegin], at[kBlobEnd], where) : std::string_view();
    Row row;
    for (const RecordColumn& column : columns_)
      row.push_back(column.blob < 0 ? raw_item(column, raw, where)
                                    : blob_item(column, blob, blob_columns_, packed_, where));
    return row;
  }

 private:
  const int64_t* entry(int64_t row) const { return index_->as<const int64_t>() + row * kIndexFields; }

  void open_files(const Attributes& attributes) {
    const std::vector<std::string> paths = attributes.texts("files");
    const std::vector<int64_t> headers = attributes.integers("header_sizes");
    const std::vector<int64_t> pages = attributes.integers("page_sizes");
    for (size_t i = 0; i < paths.size(); ++i)
      files_.push_back({std::make_unique<MappedFile>(owner_, paths[i]), headers[i], pages[i]});
    for (int64_t row = 0; row < rows_; ++row)
      DYAD_ASSERT(entry(row)[kFile] >= 0 && entry(row)[kFile] < static_cast<int64_t>(files_.size()));
  }

  /// What lies between two offsets of a page: a length of 8 bytes, then that many bytes.
  static std::string_view part(const RecordFile& file, int64_t page, int64_t begin, int64_t end,
                               std::string_view where) {
    int64_t start = 0;
    const bool overflow = __builtin_mul_overflow(page, file.page_size, &start) ||
                          __builtin_add_overflow(start, file.header_size, &start) ||
                          __builtin_add_overflow(start, begin, &start);
    const int64_t size = end - begin;
    if (overflow || page < 0 || begin < 0 || end < begin || size < 8 || start > file.bytes->size() ||
        size > file.bytes->size() - start)
      runtime_error(where, ": the index places it at page ", page, ", offsets ", begin, " to ", end,
                    ", which the file of ", file.bytes->size(), " bytes does not have");
    uint64_t length = 0;
    std::memcpy(&length, file.bytes->data() + start, 8);
    if (length > static_cast<uint64_t>(size - 8))
      runtime_error(where, ": its length is ", length, " where the index gives it ", size - 8,
                    " bytes; the file is broken or its index belongs to another");
    return file.bytes->text().substr(static_cast<size_t>(start) + 8, length);
  }

  /// Arrays are copied: who gets the row may write into it.
  Row padding_row() const {
    Row row = padding_;
    for (Item& item : row)
      if (item.is_tensor()) item = copy_of(item.tensor(owner_));
    return row;
  }

  Item padding(const Attributes& attributes, size_t column) const {
    const std::string name = cat("padding", column);
    const std::string& type = columns_[column].type;
    if (type == "string") return one_text(attributes.text(name));
    const Tensor& value = attributes.tensor(name);
    if (type != "bytes") return value;
    const Tensor bytes = contiguous(value);
    Texts texts = one_text({bytes->as<const char>(), static_cast<size_t>(bytes->size())}, true);
    texts.shape = {1};
    return texts;
  }

  std::string owner_;
  std::vector<RecordColumn> columns_;
  int64_t blob_columns_;
  bool packed_;
  Tensor index_;
  int64_t rows_;
  int64_t padded_;
  std::vector<RecordFile> files_;
  Row padding_;
  std::vector<int64_t> classes_;
};

SourceRef open_mindrecords(const Attributes& attributes) { return std::make_shared<MindRecords>(attributes); }

DYAD_SOURCE(mindrecords, open_mindrecords);

}  // namespace

}  // namespace dyad::data
