#include "transforms/joint.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/op_node.h"
#include "autograd/transform.h"
#include "ops/call.h"
#include "ops/number_operator.h"
#include "transforms/dependence.h"
#include "transforms/replay.h"
#include "transforms/residual_stack.h"
#include "types/dim_symbols.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(copy, zeros_like);

/// Made again where it is needed instead of being kept: it costs nothing.
bool is_free(const ir::Node& node) {
  if (node.kind == ir::NodeKind::kConstant) return true;
  if (node.kind != ir::NodeKind::kOperator) return false;
  if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) {
    return intrinsic->task == Intrinsic::Task::kTensorOf;
  }
  auto* op = dynamic_cast<const Op*>(node.op);
  return op && op->view && op->writes < 0 && op->signature.results == 1 && !op->signature.results_listed;
}

bool has_size(const GraphValue& value, Dim size) {
  return std::any_of(value.shape.begin(), value.shape.end(), [&](Dim known) { return known == size; });
}

}  // namespace

size_t Joint::further() const {
  return static_cast<size_t>(std::count(residuals.begin(), residuals.end(), -1));
}

std::vector<GraphValueRef> Joint::take_further(size_t first) const {
  std::vector<GraphValueRef>& results = forward->results;
  std::vector<GraphValueRef> taken(results.begin() + static_cast<std::ptrdiff_t>(first), results.end());
  results.resize(first);
  return taken;
}

JointWriter::JointWriter(GraphTracer& tracer, const ir::Function& function, std::vector<bool> by,
                         std::vector<bool> of, std::vector<bool> state)
    : tracer_(tracer), function_(function), by_(std::move(by)), of_(std::move(of)), state_(std::move(state)) {
  state_.resize(function.params.size(), false);
}

Joint JointWriter::write() {
  FunctionScope opened(tracer_, cat(function_.name, "_forward"), {});
  scope_ = &tracer_.scope();
  {
    const autograd::Transform transform;
    add_params();
    run_function();
    note_kept_memories();
    const auto& nodes = scope_->function->nodes;
    const ir::Node* last = nodes.empty() ? nullptr : nodes.back().get();
    add_gradients(transform.mark);
    note_kept_memories();
    note_early(last);
  }
  opened.end();
  split();
  return std::move(joint_);
}

void JointWriter::add_params() {
  for (size_t i = 0; i < function_.params.size(); ++i) {
    const GraphValue& param = *function_.params[i];
    if (is_token(param)) {
      params_.emplace_back();
      continue;
    }
    TypeSpec spec = type_spec_of(param);
    spec.strides = param.strides;
    Item item = tracer_.new_param(*scope_, spec);
    params_.push_back(scope_->function->params.back());
    params_.back()->name = param.name;
    if (state_[i] && std::holds_alternative<Tensor>(item)) tracer_.note_state(*tensor_in(item));
    if (by_[i]) {
      const Tensor input = autograd::as_input(tensor_in(item));
      inputs_.emplace_back(input);
      // What the function writes to is no leaf.
      item = !state_[i] && writes_to(function_, i) ? tensor_of(copy(Value(input))) : input;
    }
    args_.push_back(std::move(item));
  }
  scope_->own_params = scope_->function->params.size();
}

void JointWriter::run_function() {
  Replay replay(tracer_);
  given_ = replay.run(function_, args_);
  for (const Item& item : given_) results_.push_back(tracer_.value_of(*scope_, item));
  for (const auto& update : function_.updates) {
    updates_.push_back({update.index, tracer_.value_of(*scope_, replay.at(*update.value))});
  }
  token_ = scope_->token;
}

/// The tape keeps them until it is walked; branches and loops tell of theirs in that walk.
void JointWriter::note_kept_memories() {
  joint_.kept.resize(function_.params.size(), false);
  size_t next = 0;
  for (size_t i = 0; i < function_.params.size(); ++i) {
    const Tensor tensor = is_token(*function_.params[i]) ? Tensor() : tensor_or_none(args_[next++]);
    if (!tensor) continue;
    const Storage& memory = *tensor->storage;
    joint_.kept[i] = joint_.kept[i] || memory.is_kept() || scope_->needed.contains(&memory);
    if (joint_.kept[i] && tracing::is_overwritten(*scope_, memory)) joint_.overwrites_kept = true;
  }
}

void JointWriter::add_gradients(uint64_t mark) {
  std::vector<Value> outputs;
  std::vector<Value> seeds;
  size_t next = 0;
  for (size_t i = 0; i < function_.results.size(); ++i) {
    if (is_token(*function_.results[i])) continue;
    const size_t place = next++;
    if (!of_[i]) continue;
    const Tensor& output = tensor_in(given_[place]);
    TypeSpec spec = type_spec_of(*results_[place]);
    spec.shape = output->shape;
    const Item seed = tracer_.new_param(*scope_, spec);
    seeds_.push_back(scope_->function->params.back());
    outputs.emplace_back(output);
    seeds.emplace_back(tensor_in(seed));
  }
  std::vector<Value> gradients;
  try {
    gradients = autograd::gradients(outputs, seeds, inputs_, mark, false);
  } catch (const autograd::Overwritten& error) {
    capture_error(error.message());  // only on the path that the function is on, so Python runs what holds it
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Value gradient = gradients[i];
    if (!gradient) {
      const auto& whole = as_tensor(inputs_[i]);
      const bool stack = tracer_.kind_of(*whole.storage) == Kind::kResidualStack;
      gradient =
          stack ? Value(new_residual_stack(tracer_, whole.dtype, whole.shape)) : zeros_like(inputs_[i]);
    }
    gradients_.push_back(tracer_.value_of(*scope_, as_tensor(gradient)));
  }
}

/// The nodes up to `last` are the forward's. Meanwhile more may have been put before it.
void JointWriter::note_early(const ir::Node* last) {
  if (!last) return;
  for (const auto& node : scope_->function->nodes) {
    ++early_;
    for (const auto& result : node->results) early_results_.insert(result.get());
    if (node.get() == last) break;
  }
}

bool JointWriter::is_late(const GraphValue& value) const {
  return value.producer && !early_results_.contains(&value);
}

/// A value of the forward as the backward has it.
GraphValueRef JointWriter::kept(const GraphValueRef& value) {
  if (is_late(*value)) return value;
  if (auto found = kept_.find(value.get()); found != kept_.end()) return found->second;
  if (value->producer && is_free(*value->producer)) return again(*value->producer, *value);
  return handed_over(value);
}

/// A value of the forward as a parameter of the backward.
GraphValueRef JointWriter::handed_over(const GraphValueRef& value) {
  if (auto found = kept_.find(value.get()); found != kept_.end()) return found->second;
  GraphValueRef param(&joint_.backward->add_param(value->kind, value->dtype, value->shape, value->name));
  kept_[value.get()] = param;
  if (is_token(*value)) return param;
  const auto place = std::find(params_.begin(), params_.end(), value);
  const bool is_param = place != params_.end();
  joint_.residuals.push_back(is_param ? static_cast<int>(place - params_.begin()) : -1);
  if (!is_param) joint_.forward->results.push_back(value);
  return param;
}

GraphValueRef JointWriter::again(const ir::Node& node, const GraphValue& result) {
  std::vector<Arg> args;
  if (node.kind == ir::NodeKind::kConstant) {
    args = node.args;
  } else {
    for (const Arg& arg : node.args) {
      args.push_back(arg.get<Value>() ? kept_arg(arg) : arg);
      keep_sizes(arg);
    }
  }
  ir::Node& made = joint_.backward->insert_node(front_, node.kind);
  made.op = node.op;
  made.args = std::move(args);
  made.location = node.location;
  made.constant = node.constant;
  GraphValueRef value(&made.add_result(result.kind, result.dtype, result.shape));
  kept_[&result] = value;
  return value;
}

Arg JointWriter::kept_arg(const Arg& arg) {
  const auto keep = [&](const Value& value) {
    return Value(kept(GraphValueRef(&ir::as_graph_value(value))));
  };
  if (auto* value = arg.get<Value>()) return keep(*value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? keep(value) : Value());
    return members;
  }
  return arg;
}

/// A size that the function made of a number: the backward makes it of the same number.
bool JointWriter::defined_again(Dim size) {
  const Operator* define = find_intrinsic("define_symbol");
  for (const auto& node : scope_->function->nodes) {
    if (node->op != define || !(Dim::symbol(*node->args[1].get<std::string>()) == size)) continue;
    if (!defined_.insert(node.get()).second) return true;
    const Arg number = kept_arg(node->args[0]);
    ir::Node& made = joint_.backward->insert_node(front_, ir::NodeKind::kOperator);
    made.op = define;
    made.args.push_back(number);
    made.args.push_back(node->args[1]);
    made.location = node->location;
    return true;
  }
  return false;
}

/// A size that the backward names is known to it by a value that has it.
void JointWriter::keep_sizes(const Arg& arg) {
  auto* dims = arg.get<Dims>();
  if (!dims) return;
  std::vector<Dim> wanted;
  for (const Dim dim : *dims) add_symbols(dim, wanted);
  for (const Dim size : wanted) keep_size(size);
}

void JointWriter::keep_size(Dim size) {
  if (is_known(size) || defined_again(size) || hand_over_one_with(size)) return;
  capture_error("graph: the gradient of @", function_.name, " needs the size ", size,
                ", which no Tensor of it has; make the sizes known");
}

bool JointWriter::is_known(Dim size) const {
  const auto has = [&](const GraphValueRef& value) { return has_size(*value, size); };
  const auto& params = joint_.backward->params;
  return std::any_of(params.begin(), params.end(), has) || std::any_of(seeds_.begin(), seeds_.end(), has);
}

bool JointWriter::hand_over_one_with(Dim size) {
  for (const auto& param : params_) {
    if (!param || !has_size(*param, size)) continue;
    handed_over(param);
    return true;
  }
  for (const auto& node : scope_->function->nodes) {
    for (const auto& result : node->results) {
      if (result->kind != Kind::kTensor || !has_size(*result, size)) continue;
      handed_over(result);
      return true;
    }
  }
  return false;
}

void JointWriter::split() {
  ir::Function& forward = *scope_->function;
  joint_.scope = scope_;
  joint_.forward = &forward;
  joint_.backward = &tracer_.module()->add_function(cat(function_.name, "_backward"));
  auto& nodes = joint_.backward->nodes;
  auto late = forward.nodes.begin();
  std::advance(late, early_);
  nodes.splice(nodes.begin(), forward.nodes, late, forward.nodes.end());
  front_ = nodes.begin();
  finish_forward();
  fill_backward();
  // Nothing is added to the function any more.
  scope_->constants.clear();
  scope_->views.clear();
  scope_->held.clear();
}

/// The forward has the parameters and results of the function; further results come as they are needed.
void JointWriter::finish_forward() {
  ir::Function& forward = *joint_.forward;
  GraphValueRef captured;
  for (const CapturedVariable& what : scope_->captured) {
    DYAD_ASSERT(what.kind == CapturedVariable::Kind::kToken);
    captured = what.param;
  }
  forward.params.clear();
  forward.state.clear();
  for (size_t i = 0; i < function_.params.size(); ++i) {
    if (is_token(*function_.params[i])) {
      forward.params.push_back(token_param(captured));
      forward.state.push_back(false);
    } else {
      forward.params.push_back(params_[i]);
      forward.state.push_back(function_.state[i]);
    }
    forward.params.back()->index = static_cast<uint32_t>(i);
  }
  forward.results.clear();
  size_t next = 0;
  for (const auto& result : function_.results) {
    forward.results.push_back(is_token(*result) ? token_ : results_[next++]);
  }
  forward.updates = updates_;
}

/// The token as a parameter of the forward: the one that it captured, or one that it only hands on.
GraphValueRef JointWriter::token_param(const GraphValueRef& captured) {
  if (captured) {
    if (!token_) token_ = captured;  // only the backward acts
    return captured;
  }
  joint_.forward->add_param(Kind::kToken, DType::kBool, {});
  token_ = joint_.forward->params.back();
  joint_.forward->params.pop_back();
  joint_.forward->state.pop_back();
  return token_;
}

/// Nodes of the backward use what they are given of the forward.
void JointWriter::fill_backward() {
  ir::Function& backward = *joint_.backward;
  for (const auto& seed : seeds_) kept_[seed.get()] = seed;
  bool acts = false;
  for (const auto& node : backward.nodes) {
    node->function = &backward;
    for (const auto& result : node->results) {
      result->function = &backward;
      acts = acts || is_token(*result);
    }
    if (node->kind == ir::NodeKind::kConstant) continue;
    for (Arg& arg : node->args) {
      keep_sizes(arg);
      arg = kept_arg(arg);
    }
  }
  for (const auto& gradient : gradients_) backward.results.push_back(kept(gradient));
  finish_backward(acts);
}

/// Its parameters: residuals, gradients, token.
void JointWriter::finish_backward(bool acts) {
  ir::Function& backward = *joint_.backward;
  std::vector<GraphValueRef> params;
  std::vector<GraphValueRef> tokens;
  for (const auto& param : backward.params) (is_token(*param) ? tokens : params).push_back(param);
  params.insert(params.end(), seeds_.begin(), seeds_.end());
  params.insert(params.end(), tokens.begin(), tokens.end());
  backward.params = std::move(params);
  backward.state.assign(backward.params.size(), false);
  for (size_t i = 0; i < backward.params.size(); ++i) {
    backward.params[i]->index = static_cast<uint32_t>(i);
    backward.params[i]->function = &backward;
  }
  if (acts) backward.results.push_back(scope_->token);
}

}  // namespace dyad::transforms
