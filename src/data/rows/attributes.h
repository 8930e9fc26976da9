#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tensor/tensor.h"

namespace dyad::data {

class Transform;

using Attribute = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>, Tensor,
                               std::vector<std::shared_ptr<const Transform>>, std::map<std::string, int64_t>>;

/// What a transform or a source is made from, by name. The front has checked the user's values; a name that
/// is missing or of another kind is a fault of ours.
class Attributes {
 public:
  void set(std::string name, Attribute value) { values_[std::move(name)] = std::move(value); }
  /// Whether the name is there and is not None.
  bool has(std::string_view name) const;
  bool flag(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;  ///< an integer does too
  const std::string& text(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;  ///< integers do too
  std::vector<std::string> texts(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  DType dtype(std::string_view name) const;  ///< given by its name, "float32"
  std::vector<std::shared_ptr<const Transform>> transforms(std::string_view name) const;
  const std::map<std::string, int64_t>& numbered_texts(std::string_view name) const;

 private:
  const Attribute& at(std::string_view name) const;
  template <class T>
  const T& get(std::string_view name) const;
  template <class T>
  std::vector<T> list(std::string_view name) const;
  std::map<std::string, Attribute, std::less<>> values_;
};

}  // namespace dyad::data
