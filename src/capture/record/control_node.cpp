#include "capture/record/control_node.h"

#include <algorithm>

#include "autograd/engine.h"
#include "autograd/history.h"
#include "autograd/in_place.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"
#include "ops/number_operator.h"

namespace dyad::record {

using autograd::Edge;
using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(add)

bool is_token(const GraphValue& value) { return value.kind == Kind::kToken; }

Tensor tensor_in(const Item& item) { return std::get<Tensor>(item); }

ir::Function::Nodes::iterator place_of(ir::Node& node) {
  auto& nodes = node.function->nodes;
  return std::find_if(nodes.begin(), nodes.end(), [&](const auto& known) { return known.get() == &node; });
}

GraphValueRef copied_param(ir::Function& function, const GraphValue& like) {
  return GraphValueRef(&function.add_param(like.kind, like.dtype, like.shape, like.name));
}

}  // namespace

Item nothing(Recording& recording, const Like& like) {
  if (like.history) return recording.new_history(like.dtype, like.shape);
  static const Op& zeros = OpTable::instance().get("zeros");
  std::vector<Arg> args;
  args.emplace_back(like.shape);
  args.emplace_back(like.dtype);
  for (size_t i = args.size(); i < zeros.signature.params.size(); ++i) {
    args.push_back(zeros.signature.params[i].default_value);
  }
  return Tensor(&as_tensor(eager::call_one(zeros, args)));
}

ControlNode::ControlNode(Recording& recording, Scope& home, ir::Node& node, std::vector<Item> operands,
                         std::vector<bool> state, std::vector<bool> leads, std::vector<bool> by,
                         std::vector<bool> of)
    : Node(static_cast<size_t>(std::count(of.begin(), of.end(), true))),
      recording_(&recording),
      home_(home),
      node_(node),
      functions_(node.functions),
      operands_(std::move(operands)),
      state_(std::move(state)),
      leads_(std::move(leads)),
      by_(std::move(by)),
      of_(std::move(of)) {}

Ref<ControlNode> ControlNode::make(Recording& recording, Scope& home, ir::Node& node, std::vector<bool> state,
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
      operands.emplace_back(recording.new_tensor(home, std::move(value), shape, nullptr));
    }
  }
  Ref<ControlNode> made;
  if (node.kind == ir::NodeKind::kIf) {
    made = Ref<ControlNode>(new IfNode(recording, home, node, std::move(operands), std::move(state),
                                       std::move(leads), std::move(by), std::move(of)));
  } else if (node.kind == ir::NodeKind::kWhile) {
    made = Ref<ControlNode>(new WhileNode(recording, home, node, std::move(operands), std::move(state),
                                          std::move(leads), std::move(by), std::move(of)));
  } else {
    made = Ref<ControlNode>(new CallNode(recording, home, node, std::move(operands), std::move(state),
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
    make(*recording_, home_, node_, std::move(state), std::move(leads), edges, std::move(found.by),
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
  return std::get<Tensor>(nothing(*recording_, like_of(*node_.results[place])));
}

std::vector<Item> ControlNode::arrived(std::span<Value> gradients) const {
  std::vector<Item> items;
  size_t next = 0;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    const Value& gradient = gradients[next++];
    if (!gradient) {
      items.push_back(nothing(*recording_, like_of(*node_.results[i])));
      continue;
    }
    Tensor seed(&as_tensor(gradient));
    if (!seed->symbolic) {  // a function inside would take it for a constant, whatever it was made from
      Edge edge = autograd::edge_of(*seed);
      seed = recording_->separate(seed);
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

Item ControlNode::add_result(const GraphValue& like) {
  GraphValue& result = node_.add_result(like.kind, like.dtype, with_fresh_sizes(like.shape));
  return recording_->item_result(home_, result);
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
        JointWriter(*recording_, *arm, {by_.begin() + 1, by_.end()}, of_, {state_.begin() + 1, state_.end()})
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
      other.results.push_back(recording_->never_given(*joints_[1 - arm].scope, *value));
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
    Opened opened(*recording_, joints_[arm].backward->name, {});
    given[arm] = Replay(*recording_).run(*joints_[arm].backward, args);
    arms[arm] = opened.end();
  }
  give(recording_->add_if(operands_[0], *arms[0], given[0], *arms[1], given[1], std::nullopt), inputs);
}

/// The body puts aside what its gradient needs, and the rounds are counted.
void WhileNode::split() {
  const ir::Function& condition = *node_.functions[0];
  const ir::Function& body = *node_.functions[1];
  const size_t variables = node_.results.size();
  joint_ = JointWriter(*recording_, body, by_, of_, state_).write();
  ir::Module& module = *recording_->module_;
  ir::Function& round = module.add_function(cat(body.name, "_putting_aside"));
  ir::Function& test = module.add_function(cat(condition.name, "_putting_aside"));

  std::vector<const GraphValue*> aside;  // values of the forward, in its own terms
  {
    size_t next = variables;
    for (const int param : joint_.residuals) {
      const bool differs = param < static_cast<int>(variables);
      put_aside_.push_back(differs);
      const GraphValue* value = param >= 0 ? joint_.forward->params[static_cast<size_t>(param)].get()
                                           : joint_.forward->results[next++].get();
      if (differs) aside.push_back(value);
    }
  }
  const auto put = [](const GraphValue& value) {  // numbers are put aside as tensors
    return std::pair(value.dtype, value.shape);
  };
  // Parameters of both: the variables, the count, the histories, what does not change.
  for (ir::Function* function : {&round, &test}) {
    for (size_t i = 0; i < variables; ++i) copied_param(*function, *body.params[i]);
    function->add_param(Kind::kNumber, DType::kInt64, {}, "rounds");
    for (const GraphValue* value : aside) {
      const auto [dtype, shape] = put(*value);
      function->add_param(Kind::kHistory, dtype, shape);
    }
    for (size_t i = variables; i < body.params.size(); ++i) copied_param(*function, *body.params[i]);
  }
  const size_t added = 1 + aside.size();
  const auto outer_args = [&](const ir::Function& function) {
    std::vector<Arg> args;
    for (size_t i = 0; i < function.params.size(); ++i) {
      if (i < variables || i >= variables + added) args.emplace_back(Value(function.params[i]));
    }
    return args;
  };

  ir::Node& asks = test.add_node(ir::NodeKind::kCall);
  asks.functions = {node_.functions[0]};
  asks.args = outer_args(test);
  const GraphValue& truth = *condition.results[0];
  test.results = {GraphValueRef(&asks.add_result(truth.kind, truth.dtype, truth.shape))};

  ir::Node& runs = round.add_node(ir::NodeKind::kCall);
  runs.functions = {joint_.forward};
  runs.args = outer_args(round);
  for (const auto& result : joint_.forward->results)
    runs.add_result(result->kind, result->dtype, result->shape);
  round.results.assign(runs.results.begin(), runs.results.begin() + static_cast<std::ptrdiff_t>(variables));
  ir::Node& counts = round.add_node(ir::NodeKind::kOperator);
  counts.op = find_number_operator("number_add");
  counts.args.emplace_back(Value(round.params[variables]));
  counts.args.emplace_back(1);
  round.results.emplace_back(&counts.add_result(Kind::kNumber, DType::kInt64, {}));
  size_t next = variables;
  size_t slot = variables + 1;
  for (size_t i = 0; i < joint_.residuals.size(); ++i) {
    const int param = joint_.residuals[i];
    GraphValueRef value = param >= 0
                              ? (put_aside_[i] ? round.params[static_cast<size_t>(param)] : GraphValueRef())
                              : runs.results[next++];
    if (!put_aside_[i]) continue;
    if (value->kind == Kind::kNumber) {
      ir::Node& converts = round.add_node(ir::NodeKind::kOperator);
      converts.op = find_bridge_operator("tensor_of");
      converts.args.emplace_back(Value(value));
      converts.args.emplace_back(value->dtype);
      value = GraphValueRef(&converts.add_result(Kind::kTensor, value->dtype, {}));
    }
    ir::Node& pushes = round.add_node(ir::NodeKind::kOperator);
    pushes.op = find_bridge_operator("push");
    pushes.args.emplace_back(Value(round.params[slot]));
    pushes.args.emplace_back(Value(value));
    round.results.emplace_back(&pushes.add_result(Kind::kHistory, value->dtype, value->shape));
    ++slot;
  }

  // The node itself.
  ir::Function& outer = *node_.function;
  const auto here = place_of(node_);
  std::vector<Arg> initial;
  ir::Node& zero = outer.insert_node(here, ir::NodeKind::kConstant);
  zero.args.emplace_back(0);
  initial.emplace_back(Value(GraphValueRef(&zero.add_result(Kind::kNumber, DType::kInt64, {}))));
  for (const GraphValue* value : aside) {
    const auto [dtype, shape] = put(*value);
    ir::Node& begins = outer.insert_node(here, ir::NodeKind::kOperator);
    begins.op = find_bridge_operator("new_history");
    begins.args.emplace_back(dtype);
    begins.args.emplace_back(shape);
    initial.emplace_back(Value(GraphValueRef(&begins.add_result(Kind::kHistory, dtype, shape))));
  }
  node_.args.insert(node_.args.begin() + static_cast<std::ptrdiff_t>(variables), initial.begin(),
                    initial.end());
  node_.functions = {&test, &round};
  rounds_ = recording_->item_result(home_, node_.add_result(Kind::kNumber, DType::kInt64, {}));
  for (const GraphValue* value : aside) {
    const auto [dtype, shape] = put(*value);
    further_.push_back(recording_->item_result(home_, node_.add_result(Kind::kHistory, dtype, shape)));
  }
}

void WhileNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  if (!joint_.forward) {
    for (const auto& param : node_.functions[1]->params) {
      if (all_known(param->shape)) continue;
      capture_error(
          "graph: the gradient of a loop whose variables change their size is not captured; the one of "
          "shape ",
          param->shape, " must keep it");
    }
    split();
  }
  const std::vector<Item> all = operands(recorded);
  Recording& recording = *recording_;
  const std::vector<Item> seeds = arrived(gradients);
  const size_t variables = of_.size();

  // What goes round: the count, the gradients of the variables, the sums for what does not change or is read
  // as a leaf in every round, histories.
  std::vector<Item> initial{rounds_};
  std::vector<Like> likes(1);
  likes[0].number = true;
  std::vector<size_t> place(by_.size(), 0);  // of each parameter's gradient among what goes round
  for (size_t i = 0; i < variables; ++i) {
    if (!of_[i]) continue;
    place[i] = likes.size();
    initial.push_back(seeds[likes.size() - 1]);
    likes.push_back(like_of(*joint_.forward->params[i]));
  }
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i] || place[i] != 0) continue;
    place[i] = likes.size();
    likes.push_back(like_of(*joint_.forward->params[i]));
    initial.push_back(nothing(recording, likes.back()));
  }
  const size_t sums = likes.size();
  for (const Item& history : further_) {
    const Tensor& tensor = std::get<Tensor>(history);
    Like like;
    like.history = true;
    like.dtype = tensor->dtype;
    like.shape = tensor->shape;
    likes.push_back(like);
    initial.push_back(history);
  }

  Opened test(recording, "loop_backward_condition", likes);
  const Item more[] = {test.params()[0], Scalar(0)};
  const Item truth = recording.apply("gt", more);
  Scope* condition = test.end();

  Opened round(recording, "loop_backward", likes);
  const std::vector<Item>& params = round.params();
  const Item less[] = {params[0], Scalar(1)};
  std::vector<Item> given{recording.apply("sub", less)};
  std::vector<Item> below;
  std::vector<Item> args;
  size_t slot = sums;
  for (size_t i = 0; i < joint_.residuals.size(); ++i) {
    const int param = joint_.residuals[i];
    if (!put_aside_[i]) {
      args.push_back(all[static_cast<size_t>(param)]);
      continue;
    }
    const Kind kind = joint_.backward->params[i]->kind;
    const auto [rest, top] = recording.pop(tensor_in(params[slot++]), kind == Kind::kHistory);
    below.emplace_back(rest);
    const bool number = kind == Kind::kNumber;
    args.push_back(number ? Item(recording.number_of(top)) : Item(top));
  }
  for (size_t i = 1; i <= seeds.size(); ++i) args.push_back(params[i]);
  const std::vector<Item> found = Replay(recording).run(*joint_.backward, args);
  given.resize(sums, given[0]);
  size_t taken = 0;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i]) continue;
    const Item& gradient = found[taken++];
    if (place[i] <= seeds.size()) {
      given[place[i]] = gradient;
    } else {
      const Value sum = add(Value(tensor_in(params[place[i]])), Value(tensor_in(gradient)));
      given[place[i]] = Tensor(&as_tensor(sum));
    }
  }
  given.insert(given.end(), below.begin(), below.end());
  Scope* body = round.end();
  const std::vector<Item> results = recording.add_while(*condition, truth, *body, given, initial);

  std::vector<Item> ordered;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (by_[i]) ordered.push_back(results[place[i]]);
  }
  give(ordered, inputs);
}

/// The gradient of a function that calls itself, by all that `by` tells, of all that `of` tells.
Scope& CallNode::gradient() const {
  Recording& recording = *recording_;
  const ir::Function& callee = *node_.functions[0];
  if (auto found = recording.gradients_.find(&callee); found != recording.gradients_.end())
    return *found->second;
  std::vector<Like> params;
  std::vector<Like> results;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    if (is_token(*callee.params[i])) continue;
    params.push_back(like_of(*callee.params[i]));
    if (by_[i]) results.push_back(params.back());
  }
  const size_t own = params.size();
  for (size_t i = 0; i < callee.results.size(); ++i) {
    if (of_[i]) params.push_back(like_of(*callee.results[i]));
  }
  Scope* made = recording.declare(cat(callee.name, "_gradient"), std::move(params), std::move(results));
  recording.gradients_[&callee] = made;
  recording.copies_[made->function] = made;
  OpenedDeclared opened(recording, *made);
  const std::vector<Item>& items = opened.params();
  std::vector<Item> found;
  {
    const Transform transform;
    std::vector<Item> args;
    std::vector<Value> inputs;
    size_t next = 0;
    for (size_t i = 0; i < callee.params.size(); ++i) {
      if (is_token(*callee.params[i])) continue;
      Item item = items[next++];
      if (by_[i]) {
        item = autograd::as_input(tensor_in(item));
        inputs.emplace_back(tensor_in(item));
      }
      args.push_back(std::move(item));
    }
    const std::vector<Item> given = Replay(recording).run(callee, args);
    std::vector<Value> outputs;
    std::vector<Value> seeds;
    size_t result = 0;
    for (size_t i = 0; i < callee.results.size(); ++i) {
      if (is_token(*callee.results[i])) continue;
      const Item& item = given[result++];
      if (!of_[i]) continue;
      outputs.emplace_back(tensor_in(item));
      seeds.emplace_back(tensor_in(items[own + outputs.size() - 1]));
    }
    for (const Value& gradient : autograd::differentiate(outputs, seeds, inputs, transform.mark, false)) {
      found.emplace_back(Tensor(&as_tensor(gradient)));
    }
  }
  opened.close(found);
  return *made;
}

void CallNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  const std::vector<Item> all = operands(recorded);
  std::vector<Item> args;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_token(*node_.functions[0]->params[i])) args.push_back(all[i]);
  }
  for (Item& seed : arrived(gradients)) args.push_back(std::move(seed));
  give(recording_->add_call(gradient(), args), inputs);
}

}  // namespace dyad::record
