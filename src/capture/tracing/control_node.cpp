#include "capture/tracing/control_node.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/in_place.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using autograd::Edge;
using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

Tensor tensor_in(const Item& item) { return std::get<Tensor>(item); }

}  // namespace

Item nothing(GraphTracer& tracer, const TypeSpec& spec) {
  if (spec.residual_stack) return tracer.new_residual_stack(spec.dtype, spec.shape);
  static const Op& zeros = OpTable::instance().get("zeros");
  std::vector<Arg> args;
  args.emplace_back(spec.shape);
  args.emplace_back(spec.dtype);
  for (size_t i = args.size(); i < zeros.signature.params.size(); ++i) {
    args.push_back(zeros.signature.params[i].default_value);
  }
  return Tensor(&as_tensor(eager::call_one(zeros, args)));
}

ControlNode::ControlNode(GraphTracer& tracer, Scope& home, ir::Node& node, std::vector<Item> operands,
                         std::vector<bool> state, std::vector<bool> leads, std::vector<bool> by,
                         std::vector<bool> of)
    : Node(static_cast<size_t>(std::count(of.begin(), of.end(), true))),
      tracer_(&tracer),
      home_(home),
      node_(node),
      functions_(node.functions),
      operands_(std::move(operands)),
      state_(std::move(state)),
      leads_(std::move(leads)),
      by_(std::move(by)),
      of_(std::move(of)) {}

Ref<ControlNode> ControlNode::make(GraphTracer& tracer, Scope& home, ir::Node& node, std::vector<bool> state,
                                   std::vector<bool> leads, std::vector<Edge> edges, std::vector<bool> by,
                                   std::vector<bool> of) {
  std::vector<Item> operands;
  for (const Arg& arg : node.args) {
    GraphValueRef value(&ir::as_graph_value(*arg.get<Value>()));
    if (value->kind == Kind::kToken) {
      operands.emplace_back(Scalar(0));
    } else if (value->kind == Kind::kNumber) {
      operands.emplace_back(Number{number_kind(value->dtype), value, {}});
    } else {
      const Shape shape = value->shape;
      operands.emplace_back(tracer.new_tensor(home, std::move(value), shape, nullptr));
    }
  }
  Ref<ControlNode> made;
  if (node.kind == ir::NodeKind::kIf) {
    made = Ref<ControlNode>(new IfNode(tracer, home, node, std::move(operands), std::move(state),
                                       std::move(leads), std::move(by), std::move(of)));
  } else if (node.kind == ir::NodeKind::kWhile) {
    made = Ref<ControlNode>(new WhileNode(tracer, home, node, std::move(operands), std::move(state),
                                          std::move(leads), std::move(by), std::move(of)));
  } else {
    made = Ref<ControlNode>(new CallNode(tracer, home, node, std::move(operands), std::move(state),
                                         std::move(leads), std::move(by), std::move(of)));
  }
  made->edges = std::move(edges);
  return made;
}

void ControlNode::give_source(std::span<const Tensor> results) {
  uint32_t output = 0;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    const Edge edge{Ref<autograd::Node>(this), output++};
    if (i < results.size() && results[i]) autograd::set_source(*results[i], edge);
  }
}

std::vector<Item> ControlNode::operands(bool recorded) {
  std::vector<Item> items = operands_;
  if (!recorded) return items;
  size_t next = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!leads_[i]) continue;
    const Tensor tracked = alias_of(*tensor_in(items[i]));
    autograd::set_source(*tracked, edges[next++]);
    items[i] = tracked;
  }
  if (!std::exchange(further_recorded_, true) && !further_.empty()) {
    // Now that the node gives more, it is another one for the tape.
    const size_t added = node_.args.size() - operands_.size();
    std::vector<bool> leads = leads_;
    leads.insert(leads.begin() + static_cast<std::ptrdiff_t>(added > 0 ? of_.size() : leads.size()), added,
                 false);
    std::vector<bool> state = state_;
    state.insert(state.begin() + static_cast<std::ptrdiff_t>(added > 0 ? of_.size() : state.size()), added,
                 false);
    Reach found = reach(node_, leads);
    std::vector<Tensor> results(node_.results.size() - further_.size());
    for (const Item& item : further_) {
      auto* tensor = std::get_if<Tensor>(&item);
      results.push_back(tensor ? *tensor : Tensor());
    }
    make(*tracer_, home_, node_, std::move(state), std::move(leads), edges, std::move(found.by),
         std::move(found.of))
        ->give_source(results);
  }
  return items;
}

std::string_view ControlNode::name() const {
  return node_.kind == ir::NodeKind::kIf ? "if" : node_.kind == ir::NodeKind::kWhile ? "while" : "call";
}

Value ControlNode::nothing_at(uint32_t output) const {
  size_t place = 0;
  for (uint32_t before = 0; !of_[place] || before < output; ++place) before += of_[place] ? 1 : 0;
  return std::get<Tensor>(nothing(*tracer_, type_spec_of(*node_.results[place])));
}

std::vector<Item> ControlNode::arrived(std::span<Value> gradients) const {
  std::vector<Item> items;
  size_t next = 0;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    const Value& gradient = gradients[next++];
    if (!gradient) {
      items.push_back(nothing(*tracer_, type_spec_of(*node_.results[i])));
      continue;
    }
    Tensor seed(&as_tensor(gradient));
    if (!seed->symbolic) {  // a function inside would take it for a constant, whatever it was made from
      Edge edge = autograd::edge_of(*seed);
      seed = tracer_->separate(seed);
      if (edge) autograd::set_source(*seed, std::move(edge));
    }
    items.emplace_back(std::move(seed));
  }
  return items;
}

/// `found` has a gradient for each operand of `by`; those that lead somewhere are wanted.
void ControlNode::give(std::span<const Item> found, std::span<Value> inputs) const {
  size_t next = 0;
  size_t edge = 0;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i]) continue;
    if (leads_[i]) inputs[edge++] = tensor_in(found[next]);
    ++next;
  }
}

Item ControlNode::add_result(const GraphValue& spec) {
  GraphValue& result = node_.add_result(spec.kind, spec.dtype, with_fresh_sizes(spec.shape));
  return tracer_->item_result(home_, result);
}

std::vector<Item> ControlNode::residuals(const Joint& joint, const std::vector<Item>& params,
                                         size_t& next) const {
  std::vector<Item> items;
  for (const int param : joint.residuals) {
    items.push_back(param >= 0 ? params[static_cast<size_t>(param)] : further_[next++]);
  }
  return items;
}

/// Each arm gives what its own gradient needs, and something in place of what the other's does.
void IfNode::split() {
  for (ir::Function* arm : node_.functions) {
    joints_.push_back(
        JointWriter(*tracer_, *arm, {by_.begin() + 1, by_.end()}, of_, {state_.begin() + 1, state_.end()})
            .write());
  }
  const size_t before = node_.results.size();
  std::vector<GraphValueRef> given[2];
  for (size_t arm = 0; arm < 2; ++arm) {
    auto& results = joints_[arm].forward->results;
    given[arm].assign(results.begin() + static_cast<std::ptrdiff_t>(before), results.end());
    results.resize(before);
  }
  for (size_t arm = 0; arm < 2; ++arm) {
    for (const GraphValueRef& value : given[arm]) {
      further_.push_back(add_result(*value));
      joints_[arm].forward->results.push_back(value);
      ir::Function& other = *joints_[1 - arm].forward;
      other.results.push_back(tracer_->never_given(*joints_[1 - arm].scope, *value));
    }
  }
  for (size_t arm = 0; arm < 2; ++arm) node_.functions[arm] = joints_[arm].forward;
}

void IfNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  if (joints_.empty()) split();
  const std::vector<Item> seeds = arrived(gradients);
  const std::vector<Item> all = operands(recorded);
  const std::vector<Item> params(all.begin() + 1, all.end());
  size_t next = 0;
  std::vector<Item> given[2];
  Scope* arms[2];
  for (size_t arm = 0; arm < 2; ++arm) {
    std::vector<Item> args = residuals(joints_[arm], params, next);
    args.insert(args.end(), seeds.begin(), seeds.end());
    FunctionScope opened(*tracer_, joints_[arm].backward->name, {});
    given[arm] = Replay(*tracer_).run(*joints_[arm].backward, args);
    arms[arm] = opened.end();
  }
  give(tracer_->add_if(operands_[0], *arms[0], given[0], *arms[1], given[1], std::nullopt), inputs);
}

}  // namespace dyad::tracing
