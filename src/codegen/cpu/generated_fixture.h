#pragma once

#include <cstring>
#include <random>

#include "codegen/loops/kernel.h"
#include "compile/program_fixture.h"

namespace dyad::codegen {

using compile::Journal;
using compile::Options;
using compile::Program;
using compile::read;
using compile::tensor;

/// A tensor of random elements; floats lie in [-3, 3].
inline Value random_tensor(DType dtype, const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> spread(-3, 3);
  Tensor made = empty(dtype, shape);
  for (int64_t i = 0; i < made->size(); ++i) {
    const double element = spread(generator);
    const Scalar scalar = is_bool(dtype)           ? Scalar(element > 0)
                          : is_unsigned_int(dtype) ? Scalar(static_cast<int64_t>(element + 3))
                          : is_int(dtype)          ? Scalar(static_cast<int64_t>(element * 30))
                                                   : Scalar(element);
    store(scalar, dtype, made->as<char>() + i * itemsize(dtype));
  }
  return made;
}

/// What an operator gives eagerly: views of tensors, for instance.
inline Value eagerly(std::string_view op, std::initializer_list<Arg> args) {
  eager::initialise();  // a test may be the first thing that a process does
  const std::vector<Arg> own(args);
  return eager::run_one(OpTable::instance().get(op), own);
}

inline codegen::Layout layout_of(const Value& value) { return {value->dtype, value->shape, value->strides}; }

/// Runs the main function of a module as a generated kernel; empty if there is none for it.
inline std::vector<Value> run_generated(const ir::Module& module, const std::vector<Value>& inputs,
                                        std::vector<Value> outputs = {}) {
  const ir::Function& function = module.main();
  codegen::Request request;
  request.function = &function;
  for (const Value& input : inputs) request.params.push_back(layout_of(input));
  if (outputs.empty()) {
    for (const auto& result : function.results) outputs.push_back(empty(result->dtype, result->shape));
  }
  for (const Value& output : outputs) request.results.push_back(layout_of(output));
  const std::vector<Ref<codegen::Kernel>> kernels = codegen::generate({&request, 1});
  if (!kernels[0]) return {};
  EXPECT_TRUE(kernels[0]->fits(request.params, request.results));
  std::vector<const void*> params;
  std::vector<void*> results;
  for (const Value& input : inputs) params.push_back(input->data);
  for (const Value& output : outputs) results.push_back(output->data);
  kernels[0]->launch(request.params, request.results)->run(params.data(), results.data());
  return outputs;
}

/// The same operator by operator.
inline std::vector<Value> run_by_operator(std::string_view text, const std::vector<Value>& inputs) {
  std::shared_ptr<ir::Module> module = read(text);
  Options options;
  options.optimise = false;
  options.plan = false;
  const Ref<Program> program = compile::compile(std::move(module), options, nullptr);
  Journal journal;
  std::vector<Arg> outputs;
  program->run(std::vector<Arg>(inputs.begin(), inputs.end()), outputs, journal);
  std::vector<Value> values;
  for (const Arg& output : outputs) values.push_back(*output.get<Value>());
  return values;
}

/// The largest difference of two tensors in units of the spacing of floats at the larger one, or at `least`;
/// NaN equals NaN.
inline double difference(const Value& got, const Value& wanted, double least = 1e-30) {
  const Value left = eagerly("copy", {got});
  const Value right = eagerly("copy", {wanted});
  double most = 0;
  for (int64_t i = 0; i < left->size(); ++i) {
    const double a = load(left->dtype, left->as<char>() + i * itemsize(left->dtype)).to_double();
    const double b = load(right->dtype, right->as<char>() + i * itemsize(right->dtype)).to_double();
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isfinite(a) || !std::isfinite(b)) return 1e300;
    const double size = std::max({std::fabs(a), std::fabs(b), least});
    most = std::max(most, std::fabs(a - b) / (size * (left->dtype == DType::kFloat64 ? 2.2e-16 : 1.2e-7)));
  }
  return most;
}

/// Both ways give the same within `ulps`.
inline void expect_same(std::string_view text, const std::vector<Value>& inputs, double ulps = 0) {
  const std::vector<Value> wanted = run_by_operator(text, inputs);
  const std::vector<Value> got = run_generated(*read(text), inputs);
  ASSERT_EQ(got.size(), wanted.size()) << "no code for\n" << text;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(got[i]->dtype == wanted[i]->dtype && got[i]->shape == wanted[i]->shape) << text;
    EXPECT_LE(difference(got[i], wanted[i], ulps > 0 ? 0.1 : 1e-30), ulps) << "result " << i << " of\n"
                                                                           << text;
  }
}

}  // namespace dyad::codegen
