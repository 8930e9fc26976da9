#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tensor/tensor.h"

namespace dyad::data {

/// Texts in the shape of an array. `binary` tells bytes from text.
struct Texts {
  Shape shape;
  std::vector<std::string> values;
  bool binary = false;
};

class Item;

/// A value that only the host language understands: handed on, never looked at.
class HostObject {
 public:
  virtual ~HostObject() = default;
  /// Whether several of its kind can be one value of a batch.
  virtual bool stackable() const { return false; }
  /// That value, of stackable objects, this one among them; `stage` and `column` are for errors.
  virtual Item stacked(std::string_view stage, const std::string& column,
                       const std::vector<Item>& values) const;
};

/// One value of a row: an array, an array of texts, or an object of the host language.
class Item {
 public:
  Item() = default;
  Item(Tensor tensor) : value_(std::move(tensor)) {}  // NOLINT: a tensor is an item
  Item(Texts texts)                                   // NOLINT: texts are an item
      : value_(std::make_shared<const Texts>(std::move(texts))) {}
  Item(std::shared_ptr<const HostObject> object) : value_(std::move(object)) {}  // NOLINT

  bool is_tensor() const { return std::holds_alternative<Tensor>(value_); }
  bool is_texts() const { return std::holds_alternative<std::shared_ptr<const Texts>>(value_); }
  bool is_object() const { return std::holds_alternative<std::shared_ptr<const HostObject>>(value_); }
  /// The array; anything else is a TypeError in the name of `reader`.
  const Tensor& tensor(std::string_view reader) const;
  /// The texts; anything else is a TypeError in the name of `reader`.
  const Texts& texts(std::string_view reader) const;
  const std::shared_ptr<const HostObject>& object() const {
    return std::get<std::shared_ptr<const HostObject>>(value_);
  }
  /// Of an array or of texts.
  const Shape& shape(std::string_view reader) const;

 private:
  std::variant<Tensor, std::shared_ptr<const Texts>, std::shared_ptr<const HostObject>> value_;
};

/// How an item reads in an error message: "an array of uint8 with shape (2, 3)", "a text", "a host object".
std::string to_text(const Item& item);

/// The values of one row, in the order of the columns.
using Row = std::vector<Item>;

/// A text without dimensions.
Texts one_text(std::string value, bool binary = false);
/// The same array in row-major order; itself where it is already.
Tensor contiguous(const Tensor& tensor);
/// An array without dimensions that holds one number.
template <class T>
Tensor one_number(DType dtype, T number) {
  Tensor tensor = empty(dtype, {});
  *tensor->as<T>() = number;
  return tensor;
}

}  // namespace dyad::data
