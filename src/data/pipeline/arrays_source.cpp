#include "data/pipeline/stages.h"

#include <cstring>

#include "base/error.h"
#include "data/pipeline/stack.h"

namespace dyad::data {

namespace {

Shape row_shape(const Shape& whole) {
  Shape shape = whole;
  shape.erase(0);
  return shape;
}

/// Rows of one array, copied one after another.
class RowCopy {
 public:
  explicit RowCopy(Tensor whole) : whole_(std::move(whole)), shape_(row_shape(whole_->shape)) {
    Strides strides = whole_->strides;
    strides.erase(0);
    solid_ = is_contiguous(shape_, strides);
    bytes_ = numel(shape_) * itemsize(whole_->dtype);
    step_ = whole_->strides[0] * itemsize(whole_->dtype);
  }

  const Shape& shape() const { return shape_; }
  DType dtype() const { return whole_->dtype; }
  int64_t bytes() const { return bytes_; }

  void copy(int64_t index, char* to) const {
    if (bytes_ == 0) return;
    const char* from = whole_->as<const char>() + index * step_;
    if (solid_) {
      copy_solid(from, to);
      return;
    }
    const Strides& strides = whole_->strides;
    const Tensor row = make_view(*whole_, whole_->dtype, shape_, Strides(strides.begin() + 1, strides.end()),
                                 index * strides[0]);
    std::memcpy(to, contiguous(row)->data, static_cast<size_t>(bytes_));
  }

 private:
  /// Single numbers, such as labels, are not worth a call.
  void copy_solid(const char* from, char* to) const {
    if (bytes_ == 8)
      std::memcpy(to, from, 8);
    else if (bytes_ == 4)
      std::memcpy(to, from, 4);
    else
      std::memcpy(to, from, static_cast<size_t>(bytes_));
  }

  Tensor whole_;
  Shape shape_;
  bool solid_;
  int64_t bytes_;
  int64_t step_;
};

/// One column: an array, or texts.
struct Column {
  std::optional<RowCopy> numbers;
  Item texts;

  Item read(int64_t index) const {
    if (numbers) {
      Tensor row = empty(numbers->dtype(), numbers->shape());
      numbers->copy(index, row->as<char>());
      return row;
    }
    const Texts& all = texts.texts("dataset");
    Texts row{row_shape(all.shape), {}, all.binary};
    append(all, numel(row.shape), index, row.values);
    return row;
  }

  Item read_stacked(const std::vector<int64_t>& indices) const {
    if (numbers) {
      Tensor rows = empty_batch(indices.size(), numbers->dtype(), numbers->shape());
      char* to = rows->as<char>();
      for (const int64_t index : indices) {
        numbers->copy(index, to);
        to += numbers->bytes();
      }
      return rows;
    }
    const Texts& all = texts.texts("dataset");
    Texts rows{all.shape, {}, all.binary};
    rows.shape[0] = static_cast<int64_t>(indices.size());
    for (const int64_t index : indices) append(all, numel(row_shape(all.shape)), index, rows.values);
    return rows;
  }

 private:
  static void append(const Texts& all, int64_t each, int64_t index, std::vector<std::string>& to) {
    const auto first = all.values.begin() + index * each;
    to.insert(to.end(), first, first + each);
  }
};

class ArraysSource final : public Source {
 public:
  explicit ArraysSource(Row columns) {
    for (size_t i = 0; i < columns.size(); ++i) add(i, std::move(columns[i]));
  }

  int64_t size() const override { return size_; }

  Row read(int64_t index) const override {
    require(index);
    Row row;
    row.reserve(columns_.size());
    for (const Column& column : columns_) row.push_back(column.read(index));
    return row;
  }

  bool read_stacked(const std::vector<int64_t>& indices, Row& columns) const override {
    for (const int64_t index : indices) require(index);
    for (const Column& column : columns_) columns.push_back(column.read_stacked(indices));
    return true;
  }

 private:
  void add(size_t position, Item item) {
    if (item.is_object())
      type_error("dataset: column ", position, " holds ", item,
                 "; it must be an array of numbers or of texts");
    const Shape shape = item.shape("dataset");
    if (shape.empty())
      value_error("dataset: column ", position, " holds ", item, "; it needs a dimension to take rows from");
    const int64_t rows = shape[0].value();
    if (!columns_.empty() && rows != size_)
      value_error("dataset: column ", position, " has ", rows, " rows and the columns before it ", size_,
                  "; all columns need the same number of rows");
    size_ = rows;
    Column column;
    if (item.is_tensor())
      column.numbers.emplace(item.tensor("dataset"));
    else
      column.texts = std::move(item);
    columns_.push_back(std::move(column));
  }

  void require(int64_t index) const {
    if (index < 0 || index >= size_)
      index_error("dataset: row ", index, " was asked for; there are ", size_, " rows");
  }

  std::vector<Column> columns_;
  int64_t size_ = 0;
};

}  // namespace

SourceRef arrays_source(Row columns) { return std::make_shared<ArraysSource>(std::move(columns)); }

}  // namespace dyad::data
