#pragma once

// What the tests of graphs share: operators that mean nothing, and text read with them.

#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/parser.h"

namespace dyad::ir {

/// `mix(a, b, scale=, axes=, mode=)`: a result like a. Enough of an operator for graphs.
class Mix final : public Operator {
 public:
  Mix() { name = "mix"; }
  size_t parameter_count() const override { return 5; }
  std::string_view parameter_name(size_t i) const override {
    static constexpr std::string_view names[] = {"a", "b", "scale", "axes", "mode"};
    return names[i];
  }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override {
    const ValueImpl& like = **args[0].get<Value>();
    return {{like.dtype, like.shape}};
  }
};

/// `overwrite(a)`: the next version of a.
class Overwrite final : public Operator {
 public:
  Overwrite() { name = "overwrite"; }
  size_t parameter_count() const override { return 1; }
  std::string_view parameter_name(size_t) const override { return "a"; }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override {
    const ValueImpl& like = **args[0].get<Value>();
    return {{like.dtype, like.shape}};
  }
  bool consumes(size_t) const override { return true; }
};

/// A float32 tensor that is known.
class Constant final : public ValueImpl {
 public:
  explicit Constant(const std::vector<Scalar>& elements) : memory_(elements.size()) {
    for (size_t i = 0; i < elements.size(); ++i) memory_[i] = static_cast<float>(elements[i].to_double());
    data = memory_.data();
  }
  Builder& builder() const override { throw std::logic_error("a constant builds nothing"); }

 private:
  std::vector<float> memory_;
};

inline std::unique_ptr<Module> read(std::string_view text) {
  static const Mix mix;
  static const Overwrite overwrite;
  return parse(text, {[](std::string_view name) -> const Operator* {
                        if (name == "mix") return &mix;
                        return name == "overwrite" ? &overwrite : nullptr;
                      },
                      [](DType dtype, const Shape& shape, const std::vector<Scalar>& elements) {
                        Value made(new Constant(elements));
                        made->dtype = dtype;
                        made->shape = shape;
                        made->strides = contiguous_strides(shape);
                        return made;
                      }});
}

/// The first line of the message that an action fails with.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

}  // namespace dyad::ir
