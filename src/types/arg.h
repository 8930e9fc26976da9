#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "types/scalar.h"
#include "types/value.h"

namespace dyad {

/// Values in order; an entry may be empty where an operator allows a hole (an axis without an index, say).
using ValueList = std::vector<Value>;
using Floats = std::vector<double>;

/// One argument of an operator: nothing (None), a value, a number, integers, or another attribute.
class Arg {
 public:
  Arg() = default;
  Arg(std::nullptr_t) {}  // NOLINT: arguments are written as plain C++ values
  Arg(Value value) {      // NOLINT
    if (value) held_ = std::move(value);
  }
  Arg(Scalar number) : held_(number) {}                // NOLINT
  Arg(bool flag) : held_(Scalar(flag)) {}              // NOLINT
  Arg(int number) : held_(Scalar(number)) {}           // NOLINT
  Arg(int64_t number) : held_(Scalar(number)) {}       // NOLINT
  Arg(double number) : held_(Scalar(number)) {}        // NOLINT
  Arg(DType dtype) : held_(dtype) {}                   // NOLINT
  Arg(Dims dims) : held_(std::move(dims)) {}           // NOLINT
  Arg(const char* text) : held_(std::string(text)) {}  // NOLINT
  Arg(std::string text) : held_(std::move(text)) {}    // NOLINT
  Arg(ValueList values) : held_(std::move(values)) {}  // NOLINT
  Arg(Floats numbers) : held_(std::move(numbers)) {}   // NOLINT

  bool none() const { return held_.index() == 0; }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&held_);
  }

 private:
  std::variant<std::monostate, Value, Scalar, Dims, DType, std::string, ValueList, Floats> held_;
};

/// What the argument is, for messages: "a Tensor of shape (2, 3)", "the number 3", "'same'".
std::string to_text(const Arg& arg);

/// The arguments of one call, in the order of the operator's signature, with its defaults filled in. The
/// binding has checked their kinds against the signature, so the accessors do not fail on user input.
class Arguments {
 public:
  Arguments(std::string_view op, std::span<const Arg> args) : op_(op), args_(args) {}

  /// Name of the operator, to open error messages with.
  std::string_view op() const { return op_; }
  size_t size() const { return args_.size(); }
  const Arg& operator[](size_t i) const { return args_[i]; }
  bool has(size_t i) const { return !args_[i].none(); }

  bool is_value(size_t i) const { return args_[i].get<Value>() != nullptr; }
  /// The value at `i`; empty for None.
  const Value& value(size_t i) const;
  const ValueImpl& in(size_t i) const { return *value(i); }
  const ValueList& values(size_t i) const { return need<ValueList>(i); }
  Scalar number(size_t i) const {
    const Scalar* found = args_[i].get<Scalar>();
    return found ? *found : Scalar(dim(i).value());
  }
  int64_t integer(size_t i) const { return number(i).to_int(); }
  int64_t integer(size_t i, int64_t otherwise) const { return has(i) ? integer(i) : otherwise; }
  double real(size_t i) const { return need<Scalar>(i).to_double(); }
  double real(size_t i, double otherwise) const { return has(i) ? real(i) : otherwise; }
  bool flag(size_t i) const { return need<Scalar>(i).to_bool(); }
  const Dims& dims(size_t i) const { return need<Dims>(i); }
  /// An int that need not be known: a Scalar, or `Dims` of one symbol until it is.
  Dim dim(size_t i) const;
  Dim dim(size_t i, Dim otherwise) const { return has(i) ? dim(i) : otherwise; }
  const Floats& floats(size_t i) const { return need<Floats>(i); }
  DType dtype(size_t i) const { return need<DType>(i); }
  DType dtype(size_t i, DType otherwise) const { return has(i) ? dtype(i) : otherwise; }
  const std::string& text(size_t i) const { return need<std::string>(i); }

 private:
  template <class T>
  const T& need(size_t i) const {
    const T* found = args_[i].get<T>();
    if (!found) [[unlikely]]
      refuse(i);
    return *found;
  }
  [[noreturn]] void refuse(size_t i) const;

  std::string_view op_;
  std::span<const Arg> args_;
};

/// dtype and shape of a result, before it exists.
struct ResultSpec {
  DType dtype;
  Shape shape;
};

}  // namespace dyad
