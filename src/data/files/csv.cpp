#include <charconv>
#include <limits>

#include "base/error.h"
#include "data/files/csv_fields.h"
#include "data/files/file_rows.h"
#include "data/files/utf8.h"
#include "data/rows/source.h"

namespace dyad::data {

namespace {

enum class FieldKind { kText, kInteger, kNumber };

/// A column: what its fields are, and what an empty one stands for if they are numbers.
struct CsvColumn {
  std::string name;
  FieldKind kind = FieldKind::kText;
  double if_empty = 0;
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// The number that is the whole of a field; false if it is something else or out of range.
template <class T>
bool parse_number(std::string_view field, T& number) {
  field = trimmed(field);
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size();
}

/// Records of CSV files. The first record of each file names the columns where the user does not.
class Csv final : public Source {
 public:
  explicit Csv(const Attributes& attributes)
      : rows_(attributes.text("owner")), delimiter_(attributes.text("delimiter")[0]) {
    const std::vector<std::string> names = attributes.texts("columns");
    const bool has_header = names.empty();
    for (const std::string& name : names) columns_.push_back({name});
    for (const std::string& path : attributes.texts("files")) add_file(path, has_header);
    set_kinds(attributes.texts("kinds"), attributes.numbers("defaults"));
    if (rows_.size() == 0) runtime_error(rows_.owner(), ": the files have no rows");
  }

  int64_t size() const override { return rows_.size(); }
  std::vector<int64_t> rows_per_file() const override { return rows_.rows_per_file(); }
  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const CsvColumn& column : columns_) names.push_back(column.name);
    return names;
  }

  Row read(int64_t index) const override {
    const RowBytes row = rows_.row(index);
    const std::string_view record = row.bytes.substr(0, csv_record_end(row.bytes, 0));
    std::vector<std::string> fields;
    const std::string fault = split_csv_record(record, delimiter_, fields);
    if (!fault.empty()) fail(row, fault);
    if (fields.size() != columns_.size())
      fail(row, cat("the record has ", fields.size(), " fields; there are ", columns_.size(), " columns"));
    Row items;
    for (size_t i = 0; i < fields.size(); ++i) items.push_back(item(row, columns_[i], std::move(fields[i])));
    return items;
  }

 private:
  [[noreturn]] void fail(const RowBytes& row, const std::string& fault) const {
    runtime_error(rows_.owner(), ": the file ", *row.path, " cannot be read at line ",
                  line_number(row.file, row.offset()), ": ", fault);
  }

  void add_file(const std::string& path, bool has_header) {
    const std::string_view text = rows_.open(path);
    size_t at = text.find_first_not_of("\r\n");
    if (has_header) {
      if (at == std::string_view::npos)
        runtime_error(rows_.owner(), ": the file ", path, " is empty; its first line must name the columns");
      const size_t end = csv_record_end(text, at);
      take_header(path, text.substr(at, end - at));
      at = text.find_first_not_of("\r\n", end);
    }
    while (at != std::string_view::npos) {
      rows_.add(at);
      at = text.find_first_not_of("\r\n", csv_record_end(text, at));
    }
  }

  /// Names the columns after the first file; those of the others must be the same.
  void take_header(const std::string& path, std::string_view record) {
    std::vector<std::string> names;
    const std::string fault = split_csv_record(record, delimiter_, names);
    if (!fault.empty())
      runtime_error(rows_.owner(), ": the file ", path, " cannot be read at line 1: ", fault);
    for (const std::string& name : names)
      if (utf8_end(name) < name.size())
        runtime_error(rows_.owner(), ": the first line of ", path, " names a column with ", shown_text(name));
    if (columns_.empty())
      for (const std::string& name : names) columns_.push_back({name});
    if (columns() != names)
      runtime_error(rows_.owner(), ": the columns that the first line of ", path,
                    " names are not those of the files before it");
  }

  void set_kinds(const std::vector<std::string>& kinds, const std::vector<double>& defaults) {
    if (kinds.empty()) return;
    if (kinds.size() != columns_.size())
      value_error(rows_.owner(), ": column_defaults has ", kinds.size(), " values; there are ",
                  columns_.size(), " columns");
    for (size_t i = 0; i < kinds.size(); ++i) {
      columns_[i].kind = kinds[i] == "int"     ? FieldKind::kInteger
                         : kinds[i] == "float" ? FieldKind::kNumber
                                               : FieldKind::kText;
      columns_[i].if_empty = defaults[i];
    }
  }

  Item item(const RowBytes& row, const CsvColumn& column, std::string field) const {
    if (column.kind == FieldKind::kInteger)
      return one_number(DType::kInt32, number<int32_t>(row, column, field, "an int32"));
    if (column.kind == FieldKind::kNumber)
      return one_number(DType::kFloat32, number<float>(row, column, field, "a float32"));
    if (utf8_end(field) < field.size()) fail(row, cat("column ", column.name, " is not UTF-8"));
    return one_text(std::move(field));
  }

  template <class T>
  T number(const RowBytes& row, const CsvColumn& column, const std::string& field, const char* kind) const {
    T value{};
    if (field.empty()) return static_cast<T>(column.if_empty);
    if (!parse_number(field, value))
      fail(row, cat("type does not match: column ", column.name, " is ", shown_text(field), ", which is not ",
                    kind));
    return value;
  }

  FileRows rows_;
  char delimiter_;
  std::vector<CsvColumn> columns_;
};

SourceRef open_csv(const Attributes& attributes) { return std::make_shared<Csv>(attributes); }

DYAD_SOURCE(csv, open_csv);

}  // namespace

}  // namespace dyad::data
