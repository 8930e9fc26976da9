#pragma once

// What the tests of passes share: text in, text out, and what a graph gives when its operators run one by
// one.

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "eager/dispatch.h"
#include "ir/calls.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/number_operator.h"
#include "tensor/tensor.h"

namespace dyad::passes {

/// A float32 tensor with these elements.
inline Value tensor(const Shape& shape, std::initializer_list<double> elements) {
  Tensor made = empty(DType::kFloat32, shape);
  int64_t i = 0;
  for (const double element : elements) made->as<float>()[i++] = static_cast<float>(element);
  return made;
}
inline Value vector(std::initializer_list<double> elements) {
  return tensor({static_cast<int64_t>(elements.size())}, elements);
}
/// A tensor with elements that differ and are of both signs.
inline Value waves(const Shape& shape, double step) {
  Tensor made = empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < made->size(); ++i)
    made->as<float>()[i] = static_cast<float>(std::sin(step * static_cast<double>(i + 1)));
  return made;
}
/// A tensor of its own with the same elements, in row-major order.
inline Value packed(const Value& value) {
  static const Op& copy = OpTable::instance().get("copy");
  const Arg source[] = {value};
  return eager::run_one(copy, source);
}
/// Copies of tensors, so that each run may write to its own.
inline std::vector<Arg> copies(const std::vector<Arg>& inputs) {
  std::vector<Arg> made;
  for (const Arg& input : inputs) {
    auto* value = input.get<Value>();
    made.push_back(value ? Arg(packed(*value)) : input);
  }
  return made;
}
/// "[1, 2.5]" or "7": what a result holds.
inline std::string shown(const Arg& arg) {
  if (auto* number = arg.get<Scalar>()) return to_text(*number);
  const Value value = packed(*arg.get<Value>());
  std::string out;
  for (int64_t i = 0; i < value->size(); ++i) {
    const Scalar scalar = load(value->dtype, value->as<char>() + i * itemsize(value->dtype));
    const bool whole = scalar.to_double() == std::floor(scalar.to_double());
    out += cat(i ? ", " : "", whole ? cat(scalar.to_int()) : cat(scalar.to_double()));
  }
  return value->shape.empty() ? out : cat("[", out, "]");
}

inline std::unique_ptr<ir::Module> read(std::string_view text) {
  eager::initialise();
  return ir::parse(text, {[](std::string_view name) { return find_graph_operator(name); },
                          [](DType dtype, const Shape& shape, const std::vector<Scalar>& elements) -> Value {
                            Tensor made = empty(dtype, shape);
                            for (size_t i = 0; i < elements.size(); ++i) {
                              store(elements[i], dtype,
                                    made->as<char>() + static_cast<int64_t>(i) * itemsize(dtype));
                            }
                            return made;
                          }});
}

/// The text of a graph after these passes, which leave it sound.
template <class... Passes>
std::string after(std::string_view text, const Passes&... passes) {
  const auto module = read(text);
  (passes(*module), ...);
  ir::verify(*module);
  return "\n" + ir::print(*module);
}

/// The operators of a printed graph, one after the other.
inline std::string operators_of(const std::string& text) {
  std::string out;
  for (size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at + 1)) {
    const size_t start = at + 3;
    const size_t end = text.find_first_of("( ", start);
    out += cat(out.empty() ? "" : " ", text.substr(start, end - start));
  }
  return out;
}

/// Runs the operators of a function one by one.
inline std::vector<Arg> evaluate(const ir::Function& function, const std::vector<Arg>& inputs) {
  std::unordered_map<const ValueImpl*, Arg> values;
  const auto now = [&](const Arg& arg) -> Arg {
    if (auto* value = arg.get<Value>()) return values.at(value->get());
    auto* list = arg.get<ValueList>();
    if (!list) return arg;
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? *values.at(value.get()).get<Value>() : value);
    return members;
  };
  const auto is_true = [](const Arg& arg) {
    if (auto* number = arg.get<Scalar>()) return number->to_bool();
    const Value& value = *arg.get<Value>();
    return load(value->dtype, value->data).to_bool();
  };
  for (size_t i = 0; i < inputs.size(); ++i) values[function.params[i].get()] = inputs[i];
  for (const auto& node : function.nodes) {
    std::vector<Arg> args;
    std::vector<Arg> results;
    if (node->kind == ir::NodeKind::kConstant) {
      results = copies(node->args);
    } else {
      for (const Arg& arg : node->args) args.push_back(now(arg));
    }
    if (node->kind == ir::NodeKind::kOperator) {
      if (auto* number = dynamic_cast<const NumberOperator*>(node->op)) {
        std::vector<Scalar> operands;
        for (const Arg& arg : args) operands.push_back(*arg.get<Scalar>());
        results.emplace_back(number->evaluate(operands));
      } else {
        ValueList given;
        eager::run(dynamic_cast<const Op&>(*node->op), args, given);
        results.assign(given.begin(), given.end());
      }
    }
    const ir::Function* condition = nullptr;
    for (const ir::Callee& callee : ir::callees_of(*node)) {
      const bool is_other_arm = callee.role == ir::Callee::Role::kArm &&
                                is_true(args[0]) != (callee.function == node->functions[0]);
      if (callee.role == ir::Callee::Role::kCondition) condition = callee.function;
      if (!callee.gives_results() || is_other_arm) continue;
      args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(callee.first_argument));
      if (!condition) results = evaluate(*callee.function, args);
      while (condition && is_true(evaluate(*condition, args)[0])) {
        const std::vector<Arg> next = evaluate(*callee.function, args);
        std::copy(next.begin(), next.end(), args.begin());
      }
      if (condition)
        results.assign(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(node->results.size()));
      break;
    }
    for (size_t i = 0; i < node->results.size(); ++i) values[node->results[i].get()] = results[i];
  }
  std::vector<Arg> given;
  for (const auto& result : function.results) given.push_back(values.at(result.get()));
  return given;
}

/// What the graph gives, before and after the passes.
template <class... Passes>
std::pair<std::vector<Arg>, std::vector<Arg>> both_runs(std::string_view text, const std::vector<Arg>& inputs,
                                                        const Passes&... passes) {
  const auto before = read(text);
  const auto behind = read(text);
  (passes(*behind), ...);
  ir::verify(*behind);
  return {evaluate(before->main(), copies(inputs)), evaluate(behind->main(), copies(inputs))};
}

/// The passes leave every bit of the results as it is.
template <class... Passes>
void expect_equal_runs(std::string_view text, const std::vector<Arg>& inputs, const Passes&... passes) {
  const auto bits = [](const std::vector<Arg>& results) {
    std::string all;
    for (const Arg& result : copies(results)) {
      const Value& value = *result.get<Value>();
      all.append(value->as<char>(), static_cast<size_t>(value->size() * itemsize(value->dtype)));
    }
    return all;
  };
  const auto [before, behind] = both_runs(text, inputs, passes...);
  EXPECT_EQ(bits(before), bits(behind));
}

/// How far float32 results are from those before the passes, at most.
template <class... Passes>
double change_by(std::string_view text, const std::vector<Arg>& inputs, const Passes&... passes) {
  const auto [before, behind] = both_runs(text, inputs, passes...);
  double most = 0;
  for (size_t r = 0; r < before.size(); ++r) {
    const Value left = packed(*before[r].template get<Value>());
    const Value right = packed(*behind[r].template get<Value>());
    EXPECT_EQ(left->shape, right->shape);
    for (int64_t i = 0; i < left->size(); ++i) {
      const double difference = left->as<float>()[i] - right->as<float>()[i];
      if (!(std::abs(difference) <= most)) most = std::abs(difference);
    }
  }
  return most;
}

/// The message that an action fails with.
template <class Action>
std::string failure_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace dyad::passes
