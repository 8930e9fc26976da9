#include "data/pipeline/stack.h"

#include <cstring>

#include "base/error.h"

namespace dyad::data {

namespace {

const Padding no_padding{};

std::string kind_text(const Item& item) {
  if (item.is_tensor()) return cat(dtype_name(item.tensor("")->dtype), " ", item.shape(""));
  if (item.is_texts()) return cat(item.texts("").binary ? "bytes " : "text ", item.shape(""));
  return to_text(item);
}

bool stackable(const Item& item) { return !item.is_object() || item.object()->stackable(); }

bool same_kind(const Item& a, const Item& b) {
  if (a.is_object()) return b.is_object();
  if (a.is_tensor() && b.is_tensor()) return a.tensor("")->dtype == b.tensor("")->dtype;
  return a.is_texts() && b.is_texts() && a.texts("").binary == b.texts("").binary;
}

Shape with_rows(size_t rows, const Shape& shape) {
  Shape whole = shape;
  whole.insert(0, static_cast<int64_t>(rows));
  return whole;
}

}  // namespace

Tensor empty_batch(size_t rows, DType dtype, const Shape& shape) {
  return empty(dtype, with_rows(rows, shape));
}

const Padding* Stack::padding_of(size_t position) const {
  if (!padding_ || position >= padding_->size() || !(*padding_)[position].on) return nullptr;
  return &(*padding_)[position];
}

std::string Stack::name_of(size_t position) const {
  return position < names_.size() ? names_[position] : std::to_string(position);
}

std::string Stack::column_name(size_t position) const {
  return position < names_.size() ? cat("column '", names_[position], "'") : cat("column ", position);
}

void Stack::refuse(size_t position, const Item& item) const {
  runtime_error(
      stage_, ": ", column_name(position), " holds ", item,
      "; only arrays, texts and dicts of them can be stacked, use per_batch_map or collate_fn for others");
}

void Stack::refuse_pair(size_t position, const std::string& first, const std::string& second) const {
  runtime_error(stage_, ": ", column_name(position), " has rows of ", first, " and ", second,
                "; rows of a batch need the same dtype and shape, padded_batch pads unequal shapes");
}

void Stack::start(const Row& row) {
  columns_.resize(row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (!stackable(row[i])) refuse(i, row[i]);
    if (!row[i].is_tensor() || padding_of(i)) {
      columns_[i].values.reserve(rows_);
      continue;
    }
    const TensorImpl& first = *row[i].tensor(stage_);
    columns_[i].whole = empty_batch(rows_, first.dtype, first.shape);
    columns_[i].next = columns_[i].whole->as<char>();
    columns_[i].bytes = static_cast<size_t>(first.size() * itemsize(first.dtype));
  }
}

void Stack::add(Row&& row) {
  if (added_ == 0) start(row);
  if (row.size() != columns_.size())
    runtime_error(stage_, ": a row has ", row.size(), " columns and the rows before it ", columns_.size(),
                  "; all rows need the same columns");
  for (size_t i = 0; i < row.size(); ++i) add_value(i, std::move(row[i]));
  row.clear();
  ++added_;
}

void Stack::add_value(size_t position, Item&& item) {
  Column& column = columns_[position];
  if (!column.whole) {
    if (!stackable(item)) refuse(position, item);
    column.values.push_back(std::move(item));
    return;
  }
  Shape shape = column.whole->shape;
  shape.erase(0);
  if (!item.is_tensor() || item.tensor("")->dtype != column.whole->dtype ||
      !(item.tensor("")->shape == shape))
    refuse_pair(position, cat(dtype_name(column.whole->dtype), " ", shape), kind_text(item));
  if (column.bytes == 0) return;
  const Tensor value = contiguous(item.tensor(stage_));
  std::memcpy(column.next, value->data, column.bytes);
  column.next += column.bytes;
}

Tensor Stack::stacked_numbers(size_t position, const std::vector<Item>& values) const {
  const Padding* padding = padding_of(position);
  const Shape shape = padded_shape(stage_, column_name(position), values, padding ? *padding : no_padding);
  const DType dtype = values[0].tensor(stage_)->dtype;
  Tensor whole = empty_batch(values.size(), dtype, shape);
  char* to = whole->as<char>();
  for (const Item& value : values) {
    pad_numbers(*value.tensor(stage_), shape, padding ? *padding : no_padding, to);
    to += numel(shape) * itemsize(dtype);
  }
  return whole;
}

Texts Stack::stacked_texts(size_t position, const std::vector<Item>& values) const {
  const Padding* padding = padding_of(position);
  const Shape shape = padded_shape(stage_, column_name(position), values, padding ? *padding : no_padding);
  Texts whole{with_rows(values.size(), shape), {}, values[0].texts(stage_).binary};
  whole.values.reserve(static_cast<size_t>(numel(whole.shape)));
  for (const Item& value : values)
    pad_texts(value.texts(stage_), shape, padding ? *padding : no_padding, whole.values);
  return whole;
}

Item Stack::finished(size_t position) {
  Column& column = columns_[position];
  if (column.whole) return std::move(column.whole);
  const Item& first = column.values[0];
  for (const Item& value : column.values) {
    const bool same = same_kind(first, value);
    if (!same || !(padding_of(position) || first.is_object() || value.shape(stage_) == first.shape(stage_)))
      refuse_pair(position, kind_text(first), kind_text(value));
  }
  if (first.is_object()) return first.object()->stacked(stage_, name_of(position), column.values);
  if (first.is_texts()) return stacked_texts(position, column.values);
  return stacked_numbers(position, column.values);
}

Row Stack::finish() {
  Row whole;
  for (size_t i = 0; i < columns_.size(); ++i) whole.push_back(finished(i));
  return whole;
}

}  // namespace dyad::data
