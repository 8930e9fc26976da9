#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>

#include "base/error.h"
#include "compile/compile.h"
#include "eager/dispatch.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/number_operator.h"
#include "tensor/tensor.h"

namespace dyad::compile {

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

/// "[1, 2.5]" or "7": what a result holds.
inline std::string shown(const Arg& arg) {
  if (auto* number = arg.get<Scalar>()) return to_text(*number);
  static const Op& copy = OpTable::instance().get("copy");
  const Arg source[] = {*arg.get<Value>()};
  const Value packed = eager::run_one(copy, source);
  std::string out;
  for (int64_t i = 0; i < packed->size(); ++i) {
    const char* element = packed->as<char>() + i * itemsize(packed->dtype);
    const Scalar scalar = load(packed->dtype, element);
    const bool whole = scalar.to_double() == std::floor(scalar.to_double());
    out += cat(i ? ", " : "", whole ? cat(scalar.to_int()) : cat(scalar.to_double()));
  }
  return packed->shape.empty() ? out : cat("[", out, "]");
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

/// Writes down what it is asked to do; `raise` does what its name says.
class Journal final : public program::Host {
 public:
  void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) override {
    if (node.host == "raise") value_error("raised by the host");
    std::string entry = node.host;
    for (const Arg& arg : args) entry += cat(" ", shown(arg));
    entries.push_back(std::move(entry));
    for (size_t i = 1; i < node.results.size(); ++i) results.push_back(args[i - 1]);
  }
  void failed_at(const ir::Location& location) override { places.push_back(location); }

  std::vector<std::string> entries;
  std::vector<ir::Location> places;
};

inline Ref<Program> compiled(std::string_view text, bool planned = true, Report* report = nullptr,
                             bool optimised = true) {
  std::shared_ptr<ir::Module> module = read(text);
  ir::verify(*module, ir::OldVersions::kUsed);
  Options options;
  options.verify = true;
  options.plan = planned;
  options.optimise = optimised;
  return compile(std::move(module), options, report);
}

/// Runs a program; its results as text, one after the other.
inline std::string run(const Program& program, const std::vector<Arg>& inputs, Journal& journal) {
  std::vector<Arg> outputs;
  program.run(inputs, outputs, journal);
  std::string out;
  for (const Arg& output : outputs) out += cat(out.empty() ? "" : " ", shown(output));
  return out;
}
inline std::string run(const Program& program, const std::vector<Arg>& inputs) {
  Journal journal;
  return run(program, inputs, journal);
}

/// Copies of tensors, so that each run may write to its own.
inline std::vector<Arg> copies(const std::vector<Arg>& inputs) {
  static const Op& copy = OpTable::instance().get("copy");
  std::vector<Arg> made;
  for (const Arg& input : inputs) {
    const Arg source[] = {input};
    made.push_back(input.get<Value>() ? Arg(eager::run_one(copy, source)) : input);
  }
  return made;
}

/// Runs a program with and without planned memory, optimised and not, each twice, on copies of the inputs;
/// what it gives, and what the inputs are afterwards, must be the same every time. "results; inputs
/// afterwards".
inline std::string run(std::string_view text, const std::vector<Arg>& inputs) {
  std::string first;
  for (const int way : {0, 1, 2, 3}) {
    const bool planned = way & 1;
    const bool optimised = way & 2;
    const Ref<Program> program = compiled(text, planned, nullptr, optimised);
    for (int round = 0; round < 2; ++round) {
      const std::vector<Arg> own = copies(inputs);
      std::string seen = run(*program, own);
      std::string left;
      for (const Arg& input : own) left += cat(" ", shown(input));
      std::string before;
      for (const Arg& input : inputs) before += cat(" ", shown(input));
      if (left != before) seen += ";" + left;
      if (first.empty()) first = seen;
      EXPECT_EQ(seen, first) << (planned ? "planned" : "not planned") << (optimised ? ", optimised" : "")
                             << ", round " << round;
    }
  }
  return first;
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

}  // namespace dyad::compile
