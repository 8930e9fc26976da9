#include "data/files/columns.h"

#include <cstring>

#include "base/error.h"
#include "data/files/file_bytes.h"

namespace dyad::data {

namespace {

class FileColumn final : public Column {
 public:
  FileColumn(std::vector<std::string> paths, FileSteps steps)
      : paths_(std::move(paths)), steps_(std::move(steps)) {}
  int64_t size() const override { return std::ssize(paths_); }
  std::string origin(int64_t index) const override { return paths_[static_cast<size_t>(index)]; }

  Item read(int64_t index) const override {
    const std::string& path = paths_[static_cast<size_t>(index)];
    Item bytes =
        steps_.decrypt ? stepped(*steps_.decrypt, one_text(path), path) : Item(read_file(steps_.owner, path));
    return steps_.decode ? stepped(*steps_.decode, std::move(bytes), path) : bytes;
  }

 private:
  /// What a step makes of a value; its errors name the file.
  Item stepped(const Transform& step, Item value, const std::string& path) const {
    Row row = {std::move(value)};
    Random none(0);
    try {
      step.apply(row, none);
    } catch (const Error& error) {
      runtime_error(steps_.owner, ": the file ", path, " cannot be read: ", error.message());
    }
    DYAD_ASSERT(row.size() == 1);
    return std::move(row.front());
  }

  std::vector<std::string> paths_;
  FileSteps steps_;
};

class FileTextColumn final : public Column {
 public:
  FileTextColumn(std::vector<std::string> paths, std::string owner)
      : paths_(std::move(paths)), owner_(std::move(owner)) {}
  int64_t size() const override { return std::ssize(paths_); }
  std::string origin(int64_t index) const override { return paths_[static_cast<size_t>(index)]; }
  Item read(int64_t index) const override {
    const Tensor bytes = read_file(owner_, paths_[static_cast<size_t>(index)]);
    return one_text({bytes->as<const char>(), static_cast<size_t>(numel(bytes->shape))});
  }

 private:
  std::vector<std::string> paths_;
  std::string owner_;
};

/// `count` elements of an array in row-major order from element `begin` on, copied to an array of that shape.
Tensor copied(const TensorImpl& values, int64_t begin, int64_t count, const Shape& shape) {
  Tensor copy = empty(values.dtype, shape);
  const int64_t item = itemsize(values.dtype);
  if (count)
    std::memcpy(copy->data, values.as<const char>() + begin * item, static_cast<size_t>(count * item));
  return copy;
}

class ArrayColumn final : public Column {
 public:
  explicit ArrayColumn(const Tensor& values) : values_(contiguous(values)) {
    DYAD_ASSERT(values_->rank() >= 1);
    for (int64_t i = 1; i < values_->rank(); ++i) shape_.push_back(values_->shape[i]);
    count_ = numel(shape_);
  }
  int64_t size() const override { return values_->shape[0].value(); }
  Item read(int64_t index) const override { return copied(*values_, index * count_, count_, shape_); }

 private:
  Tensor values_;
  Shape shape_;
  int64_t count_;
};

/// Raises an internal error unless the spans lie within `total` elements, in order.
void check_spans(const Spans& spans, int64_t total) {
  DYAD_ASSERT(spans.ends.size() == spans.widths.size());
  int64_t last = 0;
  for (size_t i = 0; i < spans.ends.size(); ++i) {
    const int64_t count = spans.ends[i] - last;
    const int64_t width = spans.widths[i];
    DYAD_ASSERT(count >= 0 && width >= -1 && (width > 0 ? count % width == 0 : width == 0 || count == 1));
    last = spans.ends[i];
  }
  DYAD_ASSERT(last <= total);
}

/// Where a value lies among the elements, and its shape.
struct Span {
  int64_t begin;
  int64_t count;
  Shape shape;
};
Span span_at(const Spans& spans, int64_t index) {
  const auto at = static_cast<size_t>(index);
  const int64_t begin = at ? spans.ends[at - 1] : 0;
  const int64_t count = spans.ends[at] - begin;
  const int64_t width = spans.widths[at];
  if (width < 0) return {begin, count, {}};
  return {begin, count, width ? Shape{count / width, width} : Shape{count}};
}

class RaggedArrayColumn final : public Column {
 public:
  RaggedArrayColumn(const Tensor& values, Spans spans)
      : values_(contiguous(values)), spans_(std::move(spans)) {
    DYAD_ASSERT(values_->rank() == 1);
    check_spans(spans_, numel(values_->shape));
  }
  int64_t size() const override { return std::ssize(spans_.ends); }
  Item read(int64_t index) const override {
    const Span span = span_at(spans_, index);
    return copied(*values_, span.begin, span.count, span.shape);
  }

 private:
  Tensor values_;
  Spans spans_;
};

class TextColumn final : public Column {
 public:
  explicit TextColumn(std::vector<std::string> values) : values_(std::move(values)) {}
  int64_t size() const override { return std::ssize(values_); }
  Item read(int64_t index) const override { return one_text(values_[static_cast<size_t>(index)]); }

 private:
  std::vector<std::string> values_;
};

class RaggedTextColumn final : public Column {
 public:
  RaggedTextColumn(std::vector<std::string> values, Spans spans)
      : values_(std::move(values)), spans_(std::move(spans)) {
    check_spans(spans_, std::ssize(values_));
  }
  int64_t size() const override { return std::ssize(spans_.ends); }
  Item read(int64_t index) const override {
    const Span span = span_at(spans_, index);
    const auto first = values_.begin() + span.begin;
    return Texts{span.shape, {first, first + span.count}};
  }

 private:
  std::vector<std::string> values_;
  Spans spans_;
};

TransformRef optional_transform(const Attributes& attributes, std::string_view name) {
  return attributes.has(name) ? attributes.transforms(name).at(0) : nullptr;
}

}  // namespace

FileSteps file_steps(const Attributes& attributes) {
  return {attributes.text("owner"), optional_transform(attributes, "decrypt"),
          optional_transform(attributes, "decode")};
}

ColumnRef file_column(std::vector<std::string> paths, FileSteps steps) {
  return std::make_shared<FileColumn>(std::move(paths), std::move(steps));
}
ColumnRef file_text_column(std::vector<std::string> paths, std::string owner) {
  return std::make_shared<FileTextColumn>(std::move(paths), std::move(owner));
}
ColumnRef array_column(const Tensor& values) { return std::make_shared<ArrayColumn>(values); }
ColumnRef ragged_array_column(const Tensor& values, Spans spans) {
  return std::make_shared<RaggedArrayColumn>(values, std::move(spans));
}
ColumnRef text_column(std::vector<std::string> values) {
  return std::make_shared<TextColumn>(std::move(values));
}
ColumnRef ragged_text_column(std::vector<std::string> values, Spans spans) {
  return std::make_shared<RaggedTextColumn>(std::move(values), std::move(spans));
}

ColumnsSource::ColumnsSource(std::string owner, std::vector<std::string> names,
                             std::vector<ColumnRef> columns, std::vector<int64_t> classes)
    : owner_(std::move(owner)),
      names_(std::move(names)),
      columns_(std::move(columns)),
      classes_(std::move(classes)) {
  DYAD_ASSERT(!columns_.empty() && names_.size() == columns_.size());
  for (const ColumnRef& column : columns_) DYAD_ASSERT(column->size() == columns_.front()->size());
}

Row ColumnsSource::read(int64_t index) const {
  require_row(owner_, index, size());
  Row row;
  row.reserve(columns_.size());
  for (const ColumnRef& column : columns_) row.push_back(column->read(index));
  return row;
}

std::string ColumnsSource::origin(int64_t index) const {
  require_row(owner_, index, size());
  return columns_.front()->origin(index);
}

void require_row(std::string_view owner, int64_t index, int64_t size) {
  if (index < 0 || index >= size)
    index_error(owner, ": row ", index, " was asked for; there are ", size, " rows");
}

}  // namespace dyad::data
