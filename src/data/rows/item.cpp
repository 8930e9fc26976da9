#include "data/rows/item.h"

#include <cstring>

#include "base/error.h"

namespace dyad::data {

namespace {

/// Copies the elements below `axis` in row-major order and returns where the next one goes.
char* copy_from(const TensorImpl& tensor, int64_t axis, const char* from, char* to) {
  const int64_t bytes = itemsize(tensor.dtype);
  if (axis == tensor.rank()) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return to + bytes;
  }
  const int64_t step = tensor.strides[axis] * bytes;
  for (int64_t i = 0; i < tensor.shape[axis].value(); ++i)
    to = copy_from(tensor, axis + 1, from + i * step, to);
  return to;
}

}  // namespace

const Tensor& Item::tensor(std::string_view reader) const {
  if (!is_tensor()) type_error(reader, ": got ", *this, "; it must be an array of numbers");
  return std::get<Tensor>(value_);
}

Item HostObject::stacked(std::string_view stage, const std::string& column, const std::vector<Item>&) const {
  type_error(stage, ": column '", column, "' holds objects that cannot be stacked");
}

const Texts& Item::texts(std::string_view reader) const {
  if (!is_texts()) type_error(reader, ": got ", *this, "; it must be text");
  return *std::get<std::shared_ptr<const Texts>>(value_);
}

const Shape& Item::shape(std::string_view reader) const {
  return is_texts() ? texts(reader).shape : tensor(reader)->shape;
}

std::string to_text(const Item& item) {
  if (item.is_tensor()) {
    const Tensor& tensor = item.tensor("");
    return cat("an array of ", dtype_name(tensor->dtype), " with shape ", tensor->shape);
  }
  if (item.is_texts()) {
    const Texts& texts = item.texts("");
    return texts.shape.empty() ? "a text" : cat("texts with shape ", texts.shape);
  }
  return "an object that is no array";
}

Texts one_text(std::string value, bool binary) {
  Texts texts;
  texts.values.push_back(std::move(value));
  texts.binary = binary;
  return texts;
}

Tensor contiguous(const Tensor& tensor) {
  if (tensor->contiguous()) return tensor;
  Tensor copy = empty(tensor->dtype, tensor->shape);
  copy_from(*tensor, 0, tensor->as<const char>(), copy->as<char>());
  return copy;
}

}  // namespace dyad::data
