#include "data/pipeline/padding.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace dyad::data {

namespace {

/// Fills memory with copies of its first `bytes` bytes.
void spread(char* to, size_t bytes, size_t whole) {
  for (size_t done = bytes; done < whole; done *= 2) std::memcpy(to + done, to, std::min(done, whole - done));
}

/// Copies the corner that a padded array has in common with an array, from dimension `axis` on.
struct CornerCopy {
  const TensorImpl& from;
  const Shape& shape;
  Strides strides;
  int64_t bytes;

  void run(int64_t axis, const char* source, char* to) const {
    if (axis == from.rank()) {
      std::memcpy(to, source, static_cast<size_t>(bytes));
      return;
    }
    const int64_t count = std::min(from.shape[axis].value(), shape[axis].value());
    if (axis == from.rank() - 1 && from.strides[axis] == 1) {
      if (count > 0) std::memcpy(to, source, static_cast<size_t>(count * bytes));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      run(axis + 1, source + i * from.strides[axis] * bytes, to + i * strides[axis] * bytes);
  }
};

/// The same for texts in row-major order.
void copy_texts(const Texts& from, const Shape& shape, size_t axis, size_t at, size_t to_at,
                std::string* to) {
  if (axis == shape.size()) {
    to[to_at] = from.values[at];
    return;
  }
  const size_t rows = static_cast<size_t>(from.shape[axis].value());
  const size_t room = static_cast<size_t>(shape[axis].value());
  for (size_t i = 0; i < std::min(rows, room); ++i)
    copy_texts(from, shape, axis + 1, at * rows + i, to_at * room + i, to);
}

int64_t largest(const std::vector<Item>& values, size_t axis) {
  int64_t most = 0;
  for (const Item& value : values) most = std::max(most, value.shape("padded_batch")[axis].value());
  return most;
}

}  // namespace

Shape padded_shape(std::string_view stage, const std::string& column, const std::vector<Item>& values,
                   const Padding& padding) {
  const size_t rank = values[0].shape(stage).size();
  for (const Item& value : values) {
    if (value.shape(stage).size() != rank)
      runtime_error(stage, ": ", column, " has values of shape ", values[0].shape(stage), " and ",
                    value.shape(stage), "; padding needs equal numbers of dimensions");
  }
  if (padding.shape && padding.shape->size() != rank)
    runtime_error(stage, ": pad_info of ", column, " has a shape of ", padding.shape->size(),
                  " sizes; its values have ", rank, " dimensions");
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t wanted = padding.shape ? (*padding.shape)[i] : -1;
    shape.push_back(wanted < 0 ? largest(values, i) : wanted);
  }
  return shape;
}

void pad_numbers(const TensorImpl& from, const Shape& shape, const Padding& padding, char* to) {
  const int64_t bytes = itemsize(from.dtype);
  const size_t whole = static_cast<size_t>(numel(shape) * bytes);
  if (whole == 0) return;
  if (from.shape == shape && from.contiguous()) {
    std::memcpy(to, from.data, whole);
    return;
  }
  store(Scalar(padding.number), from.dtype, to);
  spread(to, static_cast<size_t>(bytes), whole);
  CornerCopy{from, shape, contiguous_strides(shape), bytes}.run(0, from.as<const char>(), to);
}

void pad_texts(const Texts& from, const Shape& shape, const Padding& padding, std::vector<std::string>& to) {
  const size_t start = to.size();
  to.resize(start + static_cast<size_t>(numel(shape)), padding.text);
  if (to.size() > start) copy_texts(from, shape, 0, 0, 0, to.data() + start);
}

}  // namespace dyad::data
