#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dyad/tensor.h"

namespace dyad::api {

/// An argument of an operator. `{}` and nullptr mean None.
class Argument {
 public:
  using Held = std::variant<std::monostate, Tensor, bool, int64_t, double, std::string, std::vector<int64_t>,
                            std::vector<double>, std::vector<Tensor>>;

  // Arguments are written as plain C++ values, hence the implicit constructors.
  Argument() = default;
  Argument(std::nullptr_t) {}
  Argument(Tensor tensor) : held_(std::move(tensor)) {}
  Argument(bool flag) : held_(flag) {}
  Argument(int number) : held_(int64_t{number}) {}
  Argument(int64_t number) : held_(number) {}
  Argument(double number) : held_(number) {}
  Argument(const char* text) : held_(std::string(text)) {}
  Argument(std::string text) : held_(std::move(text)) {}
  Argument(std::vector<int64_t> numbers) : held_(std::move(numbers)) {}
  Argument(std::vector<double> numbers) : held_(std::move(numbers)) {}
  Argument(std::vector<Tensor> tensors) : held_(std::move(tensors)) {}

  const Held& held() const { return held_; }

 private:
  Held held_;
};

/// Runs the operator of that name, as listed in the op table, and returns its only result: `call("softmax",
/// {x, -1})`. Arguments are given in the order of the operator's signature; what is left out takes its
/// default. A dtype is given by name.
Tensor call(std::string_view op, std::initializer_list<Argument> arguments);
/// The same for an operator with several results.
std::vector<Tensor> call_all(std::string_view op, std::initializer_list<Argument> arguments);

Tensor operator+(const Tensor& a, const Argument& b);
Tensor operator-(const Tensor& a, const Argument& b);
Tensor operator*(const Tensor& a, const Argument& b);
Tensor operator/(const Tensor& a, const Argument& b);

}  // namespace dyad::api
