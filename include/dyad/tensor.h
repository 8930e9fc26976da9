#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dyad::api {

/// The C++ types that tensor elements can be given and read as.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int32_t> ||
                  std::same_as<T, int64_t> || std::same_as<T, uint8_t> || std::same_as<T, bool>;

/// Name of the dtype that stores a C++ type: "float32" for float.
template <Element T>
constexpr std::string_view dtype_of() {
  if constexpr (std::same_as<T, float>) return "float32";
  if constexpr (std::same_as<T, double>) return "float64";
  if constexpr (std::same_as<T, int32_t>) return "int32";
  if constexpr (std::same_as<T, int64_t>) return "int64";
  if constexpr (std::same_as<T, uint8_t>) return "uint8";
  if constexpr (std::same_as<T, bool>) return "bool_";
}

/// A tensor of the dynamic graph: a shared handle to elements of one dtype in a shape. Copying copies the
/// handle, not the elements. Failures are exceptions derived from std::exception whose text names the
/// operation and the values.
class Tensor {
 public:
  /// No tensor; stands for a missing result.
  Tensor() = default;

  /// A tensor with its own copy of `values`, given row by row.
  template <Element T>
  static Tensor from(std::span<const T> values, std::span<const int64_t> shape) {
    return copy_in(values.data(), values.size(), dtype_of<T>(), shape);
  }
  template <Element T>
  static Tensor from(std::initializer_list<T> values, std::initializer_list<int64_t> shape) {
    return copy_in(values.begin(), values.size(), dtype_of<T>(), {shape.begin(), shape.size()});
  }

  explicit operator bool() const { return held_ != nullptr; }
  /// "float32", "bool_": the name of the Python constant.
  std::string_view dtype() const;
  std::vector<int64_t> shape() const;
  /// Number of elements.
  int64_t size() const;
  /// A copy of the elements, row by row; T must be the type that stores the tensor's dtype.
  template <Element T>
    requires(!std::same_as<T, bool>)
  std::vector<T> values() const {
    std::vector<T> copy(static_cast<size_t>(size()));
    copy_out(copy.data(), dtype_of<T>());
    return copy;
  }

  /// What the library keeps behind the handle.
  struct Held;
  explicit Tensor(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  const Held* held() const { return held_.get(); }

 private:
  static Tensor copy_in(const void* values, size_t count, std::string_view dtype,
                        std::span<const int64_t> shape);
  void copy_out(void* values, std::string_view dtype) const;

  std::shared_ptr<const Held> held_;
};

}  // namespace dyad::api
