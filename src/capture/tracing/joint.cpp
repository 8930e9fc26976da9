#include "capture/tracing/joint.h"

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/node.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(copy)
DYAD_USE(zeros_like)

bool is_token(const GraphValue& value) { return value.kind == Kind::kToken; }

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

}  // namespace

Joint JointWriter::write() {
  Joint joint;
  FunctionScope opened(tracer_, cat(function_.name, "_forward"), {});
  scope_ = &tracer_.scope();
  {
    const Transform transform;
    add_params();
    Replay replay(tracer_);
    given_ = replay.run(function_, args_);
    for (const Item& item : given_) results_.push_back(tracer_.value_of(*scope_, item));
    for (const auto& update : function_.updates) {
      updates_.push_back({update.index, tracer_.value_of(*scope_, replay.at(*update.value))});
    }
    token_ = scope_->token;
    early_ = scope_->function->nodes.size();
    const ir::Node* last = early_ ? scope_->function->nodes.back().get() : nullptr;
    seeds_.clear();
    std::vector<Value> outputs;
    std::vector<Value> seeds;
    size_t next = 0;
    for (size_t i = 0; i < function_.results.size(); ++i) {
      if (is_token(*function_.results[i])) continue;
      const Item& item = given_[next++];
      if (!of_[i]) continue;
      const Tensor& output = std::get<Tensor>(item);
      TypeSpec spec = type_spec_of(*results_[next - 1]);
      spec.shape = output->shape;
      const Item seed = tracer_.new_param(*scope_, spec);
      seeds_.push_back(scope_->function->params.back());
      outputs.emplace_back(output);
      seeds.emplace_back(std::get<Tensor>(seed));
    }
    const std::vector<Value> gradients = autograd::gradients(outputs, seeds, inputs_, transform.mark, false);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Value gradient = gradients[i];
      if (!gradient) {
        const auto& whole = as_tensor(inputs_[i]);
        const bool stack = tracer_.memory(*whole.storage).kind == Kind::kResidualStack;
        gradient =
            stack ? Value(tracer_.new_residual_stack(whole.dtype, whole.shape)) : zeros_like(inputs_[i]);
      }
      gradients_.push_back(tracer_.value_of(*scope_, as_tensor(gradient)));
    }
    early_ = 0;
    for (const auto& node : scope_->function->nodes) {
      if (!last) break;
      for (const auto& result : node->results) place_[result.get()] = early_;
      if (node.get() == last) break;
      ++early_;
    }
    if (last) ++early_;
  }
  opened.end();
  split(joint);
  return joint;
}

void JointWriter::add_params() {
  for (size_t i = 0; i < function_.params.size(); ++i) {
    const GraphValue& param = *function_.params[i];
    if (is_token(param)) {
      params_.emplace_back();
      continue;
    }
    Item item = tracer_.new_param(*scope_, type_spec_of(param));
    params_.push_back(scope_->function->params.back());
    params_.back()->name = param.name;
    if (auto* tensor = std::get_if<Tensor>(&item)) {
      tracer_.memories_.at((*tensor)->storage.get()).state = state_[i];
    }
    if (by_[i]) {
      const Tensor input = autograd::as_input(std::get<Tensor>(item));
      inputs_.emplace_back(input);
      // What the function writes to is no leaf.
      item = !state_[i] && writes_to(function_, i) ? Tensor(&as_tensor(copy(Value(input)))) : input;
    }
    args_.push_back(std::move(item));
  }
  scope_->own_params = scope_->function->params.size();
}

bool JointWriter::is_late(const GraphValue& value) const {
  return value.producer && !place_.contains(&value);
}

/// A value of the forward as the backward has it.
GraphValueRef JointWriter::kept(const GraphValueRef& value, Joint& joint) {
  if (is_late(*value)) return value;
  if (auto found = kept_.find(value.get()); found != kept_.end()) return found->second;
  if (value->producer && is_free(*value->producer)) return again(*value->producer, *value, joint);
  return handed_over(value, joint);
}

/// A value of the forward as a parameter of the backward.
GraphValueRef JointWriter::handed_over(const GraphValueRef& value, Joint& joint) {
  if (auto found = kept_.find(value.get()); found != kept_.end()) return found->second;
  ir::Function& backward = *joint.backward;
  GraphValueRef param(&backward.add_param(value->kind, value->dtype, value->shape, value->name));
  kept_[value.get()] = param;
  if (is_token(*value)) return param;
  int place = -1;
  for (size_t i = 0; i < params_.size(); ++i) {
    if (params_[i] == value) place = static_cast<int>(i);
  }
  joint.residuals.push_back(place);
  if (place < 0) joint.forward->results.push_back(value);
  return param;
}

GraphValueRef JointWriter::again(const ir::Node& node, const GraphValue& result, Joint& joint) {
  std::vector<Arg> args;
  if (node.kind == ir::NodeKind::kConstant) {
    args = node.args;
  } else {
    for (const Arg& arg : node.args) {
      auto* value = arg.get<Value>();
      args.push_back(value ? Arg(Value(kept(GraphValueRef(&ir::as_graph_value(*value)), joint))) : arg);
      keep_sizes(arg, joint);
    }
  }
  ir::Node& made = joint.backward->insert_node(front_, node.kind);
  made.op = node.op;
  made.args = std::move(args);
  made.location = node.location;
  GraphValueRef value(&made.add_result(result.kind, result.dtype, result.shape));
  kept_[&result] = value;
  return value;
}

/// A size that the function made of a number: the backward makes it of the same number.
bool JointWriter::defined_again(Dim size, Joint& joint) {
  const Operator* define = find_intrinsic("define_symbol");
  for (const auto& node : scope_->function->nodes) {
    if (node->op != define || !(Dim::symbol(*node->args[1].get<std::string>()) == size)) continue;
    if (!defined_.insert(node.get()).second) return true;
    auto* number = node->args[0].get<Value>();
    const Arg value =
        number ? Arg(Value(kept(GraphValueRef(&ir::as_graph_value(*number)), joint))) : node->args[0];
    ir::Node& made = joint.backward->insert_node(front_, ir::NodeKind::kOperator);
    made.op = define;
    made.args.push_back(value);
    made.args.push_back(node->args[1]);
    made.location = node->location;
    return true;
  }
  return false;
}

/// A size that the backward names is known to it by a value that has it.
void JointWriter::keep_sizes(const Arg& arg, Joint& joint) {
  auto* dims = arg.get<Dims>();
  if (!dims) return;
  const auto names = [](const GraphValue& value, Dim size) {
    for (const Dim known : value.shape) {
      if (known == size) return true;
    }
    return false;
  };
  std::vector<Dim> wanted;
  const auto add = [&](const auto& self, Dim dim) -> void {
    if (dim.known()) return;
    const DimParts parts = parts_of(dim);
    if (parts.kind == DimParts::Kind::kNamed) {
      wanted.push_back(dim);
    } else {
      self(self, parts.left);
      self(self, parts.right);
    }
  };
  for (const Dim dim : *dims) add(add, dim);
  for (const Dim size : wanted) {
    bool known = false;
    for (const auto& param : joint.backward->params) known = known || names(*param, size);
    for (const auto& seed : seeds_) known = known || names(*seed, size);
    known = known || defined_again(size, joint);
    if (known) continue;
    for (const auto& param : params_) {
      if (param && !known && names(*param, size)) {
        handed_over(param, joint);
        known = true;
      }
    }
    for (const auto& node : scope_->function->nodes) {
      for (const auto& result : node->results) {
        if (known || result->kind != Kind::kTensor || !names(*result, size)) continue;
        handed_over(result, joint);
        known = true;
      }
    }
    if (!known) {
      capture_error("graph: the gradient of @", function_.name, " needs the size ", size,
                    ", which no Tensor of it has; make the sizes known");
    }
  }
}

void JointWriter::split(Joint& joint) {
  ir::Function& forward = *scope_->function;
  ir::Function& backward = tracer_.module_->add_function(cat(function_.name, "_backward"));
  joint.scope = scope_;
  joint.forward = &forward;
  joint.backward = &backward;

  auto late = forward.nodes.begin();
  std::advance(late, early_);
  backward.nodes.splice(backward.nodes.begin(), forward.nodes, late, forward.nodes.end());
  front_ = backward.nodes.begin();

  // The forward has the parameters and results of the function.
  GraphValueRef token_param;
  for (const CapturedVariable& what : scope_->captured) {
    DYAD_ASSERT(what.kind == CapturedVariable::Kind::kToken);
    token_param = what.param;
  }
  forward.params.clear();
  forward.state.clear();
  for (size_t i = 0; i < function_.params.size(); ++i) {
    if (is_token(*function_.params[i])) {
      if (token_param) {
        if (!token_) token_ = token_param;  // only the backward acts
        forward.params.push_back(token_param);
        forward.state.push_back(false);
      } else {
        forward.add_param(Kind::kToken, DType::kBool, {});
        token_ = forward.params.back();
      }
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

  for (const auto& seed : seeds_) kept_[seed.get()] = seed;
  std::vector<GraphValueRef> gradients;
  bool acts = false;
  for (const auto& node : backward.nodes) {
    node->function = &backward;
    for (const auto& result : node->results) {
      result->function = &backward;
      acts = acts || is_token(*result);
    }
    if (node->kind == ir::NodeKind::kConstant) continue;
    for (Arg& arg : node->args) {
      keep_sizes(arg, joint);
      if (auto* value = arg.get<Value>()) {
        arg = Value(kept(GraphValueRef(&ir::as_graph_value(*value)), joint));
      } else if (auto* list = arg.get<ValueList>()) {
        ValueList members;
        for (const Value& value : *list) {
          members.push_back(value ? Value(kept(GraphValueRef(&ir::as_graph_value(value)), joint)) : Value());
        }
        arg = std::move(members);
      }
    }
  }
  for (const auto& gradient : gradients_) gradients.push_back(kept(gradient, joint));
  backward.results = std::move(gradients);

  // Residuals, gradients, token.
  std::vector<GraphValueRef> params;
  std::vector<GraphValueRef> tokens;
  for (const auto& param : backward.params) (is_token(*param) ? tokens : params).push_back(param);
  for (const auto& seed : seeds_) params.push_back(seed);
  params.insert(params.end(), tokens.begin(), tokens.end());
  backward.params = std::move(params);
  backward.state.assign(backward.params.size(), false);
  for (size_t i = 0; i < backward.params.size(); ++i) {
    backward.params[i]->index = static_cast<uint32_t>(i);
    backward.params[i]->function = &backward;
  }
  if (acts) backward.results.push_back(scope_->token);
  // Nobody adds to the function any more.
  scope_->constants.clear();
  scope_->views.clear();
  scope_->held.clear();
}

}  // namespace dyad::tracing
