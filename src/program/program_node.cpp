#include "program/program_node.h"

#include <algorithm>

#include "autograd/state.h"
#include "autograd/transpose.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::program {

namespace {

using autograd::Edge;

DYAD_USE(cast, copy, zeros);

/// The tensor among the arguments of a program; null for a number and for what only programs look into.
TensorImpl* tensor_in(const Arg& arg) {
  auto* value = arg.get<Value>();
  return value && (*value)->is_tensor() ? &as_tensor(*value) : nullptr;
}

/// A gradient as the program expects it: in the dtype of the result, in row-major order.
Value prepared(Value gradient, DType dtype) {
  if (gradient->dtype != dtype) gradient = cast(gradient, dtype);
  return gradient->contiguous() ? gradient : copy(gradient);
}

}  // namespace

ProgramNode::ProgramNode(Ref<Derivation> derivation, size_t order, std::vector<Edge> inputs,
                         std::vector<Tensor> leaves, std::vector<Shape> shapes, std::vector<Arg> residuals,
                         Ref<Runner> runner)
    : Node(derivation->level(order).dtypes.size()),
      derivation_(std::move(derivation)),
      order_(order),
      leaves_(std::move(leaves)),
      shapes_(std::move(shapes)),
      residuals_(std::move(residuals)),
      runner_(std::move(runner)) {
  edges = std::move(inputs);
  if (runner_->holds_functions()) close_with_recording();
  versions_.resize(residuals_.size());
  for_each_shown([&](TensorImpl& tensor, size_t place) {
    tensor.storage->keep();
    versions_[place] = tensor.storage->version();
  });
}

ProgramNode::~ProgramNode() {
  forget();
  if (runner_) autograd::bury(Ref<RefCounted>(std::move(runner_)));
}

template <class Visit>
void ProgramNode::for_each_shown(const Visit& visit) const {
  if (residuals_.empty()) return;
  for (size_t order = 1; order <= order_; ++order) {
    const Level& level = derivation_->level(order);
    for (size_t i = 0; i < level.residuals.size(); ++i) {
      const size_t place = place_of(level, i);
      TensorImpl* tensor = level.residuals[i].shown ? tensor_in(residuals_[place]) : nullptr;
      if (tensor) visit(*tensor, place);
    }
  }
}

/// The residuals of all levels lie one after the other.
size_t ProgramNode::place_of(const Level& level, size_t residual) const {
  return level.first - derivation_->level(1).first + residual;
}

void ProgramNode::free_saved() {
  forget();
  released = true;
  if (runner_) autograd::bury(Ref<RefCounted>(std::move(runner_)));
}

void ProgramNode::forget() {
  for_each_shown([](TensorImpl& tensor, size_t) { tensor.storage->drop(); });
  if (!residuals_.empty()) autograd::bury(std::move(residuals_));
  residuals_.clear();
  leaves_.clear();
}

/// The residuals of a level as they were saved.
std::vector<Arg> ProgramNode::current(const Level& level) const {
  std::vector<Arg> found;
  for (size_t i = 0; i < level.residuals.size(); ++i) {
    const size_t place = place_of(level, i);
    found.push_back(residuals_[place]);
    const TensorImpl* tensor = level.residuals[i].shown ? tensor_in(found.back()) : nullptr;
    if (!tensor || tensor->storage->version() == versions_[place]) continue;
    const Tensor before = autograd::as_saved(*tensor, versions_[place]);
    if (!before) {
      runtime_error(name(), ": its gradient needs ", level.residuals[i].place, " of shape ", tensor->shape,
                    " as it was, but an operation in place has overwritten it (version ",
                    tensor->storage->version(), ", saved at ", versions_[place],
                    "); write to a copy() instead");
    }
    found.back() = Value(before);
  }
  return found;
}

/// A residual while the walk is recorded: it came from this step, or from where the input came from that it
/// is.
Arg ProgramNode::with_source(const Arg& value, const Derivation::Residual& residual) const {
  TensorImpl* tensor = tensor_in(value);
  if (!tensor) return value;
  Edge edge;
  if (residual.input >= 0) {
    const auto input = static_cast<std::ptrdiff_t>(residual.input);
    const std::vector<bool>& wanted = derivation_->wanted();
    if (!wanted[static_cast<size_t>(input)]) return value;
    const auto place = static_cast<size_t>(std::count(wanted.begin(), wanted.begin() + input, true));
    const Tensor& leaf = leaves_[place];
    // A leaf outlives transforms; only itself is known as one in all of them.
    if (leaf && leaf->storage == tensor->storage && leaf->data == tensor->data) return Value(leaf);
    edge = edges[place];
  } else if (residual.output >= 0) {
    const auto output = static_cast<uint32_t>(residual.output);
    if (output >= outputs) {
      const bool alive = recording == 0 || recording == autograd::state().recording;
      if (!alive) return value;
      runtime_error(name(), ": its gradient is differentiated, but it was recorded for ", order_,
                    " transforms one inside the other only; call the function inside all of them");
    }
    if (!derivation_->level(order_).depends[output]) return value;
    edge = {Ref<Node>(const_cast<ProgramNode*>(this)), output};
  }
  Tensor again = alias_of(*tensor);
  if (edge) autograd::set_source(*again, std::move(edge));
  return Value(again);
}

void ProgramNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  // The transform that walks here now does not walk through what it records.
  const int transforms = autograd::state().depth - 1;
  run_backward(gradients, inputs, recorded ? Standing::kSourced : Standing::kSaved, transforms);
}

void ProgramNode::forward(autograd::Push& push) {
  const Standing standing = push.recorded ? Standing::kSourced : Standing::kConstant;
  autograd::transpose(
      [&](std::span<Value> gradients, std::span<Value> inputs) {
        run_backward(gradients, inputs, standing, autograd::state().depth);
      },
      output_specs(), push);
}

std::vector<ResultSpec> ProgramNode::output_specs() const {
  const std::vector<DType>& dtypes = derivation_->level(order_).dtypes;
  std::vector<ResultSpec> specs;
  for (size_t i = 0; i < dtypes.size(); ++i) specs.push_back({dtypes[i], shapes_[i]});
  return specs;
}

void ProgramNode::run_backward(std::span<Value> gradients, std::span<Value> inputs, Standing standing,
                               int transforms) {
  std::vector<bool> arrived;
  for (const Value& gradient : gradients) arrived.push_back(static_cast<bool>(gradient));
  const auto last = std::find(arrived.rbegin(), arrived.rend(), true);
  size_t order = 1;
  while (derivation_->level(order).dtypes.size() < static_cast<size_t>(arrived.rend() - last)) ++order;
  const Level& level = derivation_->level(order);
  arrived.resize(level.dtypes.size());

  const Derivation::Backward wanted = derivation_->backward(order, arrived);
  const std::vector<bool>& gives = wanted.left.gives;
  if (std::find(gives.begin(), gives.end(), true) == gives.end()) return;
  std::vector<Arg> args = current(level);
  if (standing == Standing::kSourced) {
    for (size_t i = 0; i < args.size(); ++i) args[i] = with_source(args[i], level.residuals[i]);
  } else if (wanted.program->planned()) {
    for (Arg& arg : args) {
      const TensorImpl* tensor = tensor_in(arg);
      if (tensor && !tensor->contiguous()) arg = copy(*arg.get<Value>());
    }
  }
  for (size_t i = 0; i < arrived.size(); ++i) {
    if (!wanted.left.takes[i]) continue;
    const DType dtype = level.dtypes[i];
    args.emplace_back(arrived[i] ? prepared(std::move(gradients[i]), dtype)
                                 : zeros(eager::builder(), shapes_[i], dtype));
  }
  const Ref<Runner> runner = runner_;  // this node may be dropped by what a host function does
  if (last_walk && standing == Standing::kSaved) {
    released = true;
    forget();
  }
  std::vector<Arg> results;
  runner->run(*wanted.program, std::move(args), results, transforms);
  size_t next = 0;
  for (size_t i = 0; i < gives.size(); ++i) {
    if (gives[i]) inputs[i] = *results[next++].get<Value>();
  }
}

}  // namespace dyad::program
