#include "autograd/op_node.h"

#include "autograd/autograd_meta.h"
#include "autograd/rule.h"
#include "autograd/tangent.h"
#include "autograd/transpose.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "eager/location.h"
#include "ir/graph.h"
#include "ops/call.h"
#include "ops/placeholder.h"

namespace dyad::autograd {

namespace {

/// The dtype and shape of a value whose data will not be read.
Value description(const ValueImpl& value) {
  Value described = placeholder(value.dtype, value.shape, eager::builder());
  described->device = value.device;
  return described;
}

using ir::for_each_value;

DYAD_USE(cast, real);

bool inexact(DType dtype) { return is_float(dtype) || is_complex(dtype); }

/// Whether an operand of fractions, or a dtype that was asked for, made the operator compute in fractions.
bool has_inexact_operand(std::span<const Arg> args) {
  bool found = false;
  for (const Arg& arg : args) {
    for_each_value(arg, [&](const Value& value) { found = found || inexact(value->dtype); });
    if (auto* number = arg.get<Scalar>()) found = found || !number->integral();
    if (auto* dtype = arg.get<DType>()) found = found || inexact(*dtype);
  }
  return found;
}

/// The gradient in the dtype of the argument: what promotion did to the argument is undone. Where the
/// operator itself makes fractions of integers, as division does, the gradient of an integer keeps them.
Value in_dtype_of(const ValueImpl& argument, Value gradient, std::span<const Arg> args) {
  const DType to = argument.dtype;
  if (!gradient || gradient->dtype == to) return gradient;
  if (!inexact(to) && inexact(gradient->dtype) && !has_inexact_operand(args)) return gradient;
  if (is_complex(gradient->dtype) && !is_complex(to)) gradient = real(gradient);
  return gradient->dtype == to ? gradient : cast(gradient, to);
}

/// A tensor that stands in for `saved` while the backward pass is recorded: the same data, with the source
/// that the recorded value had.
Value with_source(const Value& saved, const Edge& edge) {
  if (!saved->is_tensor() || edge_of(*saved) == edge) return saved;
  Tensor again = alias_of(as_tensor(saved));
  set_source(*again, edge);
  return again;
}

Value constant(const Value& saved) {
  const bool known = saved && saved->is_tensor() && autograd_meta_of(*saved);
  return known ? Value(alias_of(as_tensor(saved))) : saved;
}

}  // namespace

Inputs::Inputs(std::span<const Arg> args) {
  auto add = [&](const Value& value, size_t argument, int32_t member) {
    if (!value || !autograd_meta_of(*value)) return;
    Edge edge = edge_of(*value);
    if (!edge) return;
    slots.push_back({static_cast<uint32_t>(argument), member});
    edges.push_back(std::move(edge));
    needed |= ArgumentMask{1} << argument;
  };
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto* value = args[i].get<Value>()) add(*value, i, -1);
    if (auto* list = args[i].get<ValueList>()) {
      for (size_t m = 0; m < list->size(); ++m) add((*list)[m], i, static_cast<int32_t>(m));
    }
  }
}

OpNode::OpNode(const Op& op, std::span<const Arg> args, std::span<const Value> results, Inputs inputs)
    : Node(results.size()),
      op_(op),
      needed_(inputs.needed),
      slots_(std::move(inputs.slots)),
      place_(eager::current_location()) {
  edges = std::move(inputs.edges);
  if (!op.grad) return;  // walking through it is an error that says why
  const Usage usage = usage_of(op, args, results, needed_);
  args_.reserve(args.size());
  for (size_t i = 0; i < args.size(); ++i) args_.push_back(kept(args[i], (usage.args >> i) & 1));
  for (size_t i = 0; i < results.size(); ++i) {
    const bool read = (usage.results >> i) & 1;
    // The result's own history leads here; the copy that is kept must not, or neither would ever die.
    results_.push_back(kept(read ? Value(alias_of(as_tensor(results[i]))) : results[i], read));
  }
}

OpNode::~OpNode() { forget(); }

void OpNode::free_saved() {
  forget();
  released = true;
}

void OpNode::forget() {
  auto drop = [](const Value& value) {
    if (value->is_tensor()) as_tensor(value).storage->drop();
  };
  for (const Arg& arg : args_) for_each_value(arg, drop);
  for (const Value& result : results_) drop(result);
  if (!args_.empty()) bury(std::move(args_));
  args_.clear();
  results_.clear();
}

Value OpNode::kept(const Value& value, bool read) {
  if (!value) return value;
  if (!read || !value->is_tensor()) return description(*value);
  TensorImpl& tensor = as_tensor(value);
  tensor.storage->keep();
  versions_.push_back(tensor.storage->version());
  return value;
}

Arg OpNode::kept(const Arg& arg, bool read) {
  if (auto* value = arg.get<Value>()) return kept(*value, read);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(kept(value, read));
    return members;
  }
  return arg;
}

Value OpNode::current(const Value& saved, size_t& position, std::string_view what, size_t index) const {
  if (!saved || !saved->is_tensor()) return saved;
  const TensorImpl& tensor = as_tensor(saved);
  const uint32_t version = versions_[position++];
  if (tensor.storage->version() == version) return saved;
  const Tensor old = as_saved(tensor, version);
  if (!old) {
    const std::string name = what == "input" ? cat(" ('", op_.signature.params[index].name, "')") : "";
    throw Overwritten(cat(op_.name, ": its gradient needs ", what, " ", index, name, " of shape ",
                          tensor.shape, " as it was, but an operation in place has overwritten it (version ",
                          tensor.storage->version(), ", saved at ", version, "); write to a copy() instead"));
  }
  return old;
}

std::vector<Arg> OpNode::current_args(Standing standing) const {
  std::vector<Arg> args;
  args.reserve(args_.size());
  size_t position = 0;
  size_t slot = 0;
  auto restore = [&](const Value& saved, size_t argument, int32_t member) {
    Value value = current(saved, position, "input", argument);
    const bool tracked =
        slot < slots_.size() && slots_[slot].argument == argument && slots_[slot].member == member;
    if (tracked) {
      const Edge& edge = edges[slot++];
      if (standing == Standing::kSourced) return with_source(value, edge);
    }
    // What is not tracked was a constant when it was used.
    return standing == Standing::kSaved ? value : constant(value);
  };
  for (size_t i = 0; i < args_.size(); ++i) {
    if (auto* value = args_[i].get<Value>()) {
      args.push_back(restore(*value, i, -1));
    } else if (auto* list = args_[i].get<ValueList>()) {
      ValueList members;
      for (size_t m = 0; m < list->size(); ++m)
        members.push_back((*list)[m] ? restore((*list)[m], i, static_cast<int32_t>(m)) : Value());
      args.push_back(std::move(members));
    } else {
      args.push_back(args_[i]);
    }
  }
  return args;
}

ValueList OpNode::current_results(Standing standing) const {
  size_t position = versions_.size();
  for (const Value& saved : results_) position -= saved->is_tensor() ? 1 : 0;
  ValueList results;
  for (size_t i = 0; i < results_.size(); ++i) {
    Value value = current(results_[i], position, "output", i);
    const Edge own{Ref<Node>(const_cast<OpNode*>(this)), static_cast<uint32_t>(i)};
    results.push_back(standing == Standing::kSourced ? with_source(value, own) : value);
  }
  return results;
}

void OpNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  run_rule(gradients, inputs, recorded ? Standing::kSourced : Standing::kSaved);
}

void OpNode::run_rule(std::span<Value> gradients, std::span<Value> inputs, Standing standing) const {
  const eager::LocationScope place(place_);
  const std::vector<Arg> args = current_args(standing);
  const auto found =
      run_gradient_rule(eager::builder(), op_, args, current_results(standing), gradients, needed_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const auto [argument, member] = slots_[i];
    const bool listed = member >= 0;
    const auto at = static_cast<size_t>(listed ? member : 0);
    const ArgumentGradient& gradient = found[argument];
    if (listed && gradient.members.empty()) continue;
    const Value& value = listed ? (*args[argument].get<ValueList>())[at] : *args[argument].get<Value>();
    inputs[i] = in_dtype_of(*value, listed ? gradient.members[at] : gradient.value, args);
  }
}

void OpNode::forward(Push& push) {
  const Standing standing = push.recorded ? Standing::kSourced : Standing::kConstant;
  if (const TangentForm form = tangent_form(op_, args_, results_, slots_); form != TangentForm::kNone) {
    return push_through(form, op_, current_args(standing), current_results(standing), slots_, push);
  }
  std::vector<ResultSpec> specs(outputs);
  for (size_t i = 0; i < results_.size(); ++i) specs[i] = {results_[i]->dtype, results_[i]->shape};
  transpose(
      [&](std::span<Value> gradients, std::span<Value> inputs) { run_rule(gradients, inputs, standing); },
      specs, push);
}

}  // namespace dyad::autograd
