#include "autograd/in_place.h"
#include "capture/tracing/control_node.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using autograd::Edge;
using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool may_vary(const GraphValue& value) {
  return value.kind == Kind::kResidualStack ||
         (value.kind == Kind::kTensor && (is_float(value.dtype) || is_complex(value.dtype)));
}

}  // namespace

namespace {

/// A gradient flows through whole numbers too, as the operators that made them let it.
bool may_carry(const GraphValue& value) {
  return value.kind == Kind::kResidualStack || (value.kind == Kind::kTensor && !is_bool(value.dtype));
}

}  // namespace

Reach reach(const ir::Node& node, const std::vector<bool>& leads) {
  Reach found{leads, std::vector<bool>(node.results.size(), false)};
  if (node.kind == ir::NodeKind::kCall) {  // one gradient for every call, by everything
    for (size_t i = 0; i < leads.size(); ++i) found.by[i] = may_vary(*node.functions[0]->params[i]);
    for (size_t i = 0; i < found.of.size(); ++i) found.of[i] = may_vary(*node.results[i]);
    return found;
  }
  const auto join = [&](const std::vector<bool>& more) {
    for (size_t i = 0; i < found.of.size(); ++i) {
      found.of[i] = found.of[i] || (more[i] && may_carry(*node.results[i]));
    }
  };
  if (node.kind == ir::NodeKind::kIf) {
    const std::vector<bool> params(leads.begin() + 1, leads.end());
    for (const ir::Function* arm : node.functions) join(varying_results(*arm, params, Varying::kAll));
    return found;
  }
  for (bool grown = true; grown;) {
    grown = false;
    join(varying_results(*node.functions[1], found.by, Varying::kAll));
    for (size_t i = 0; i < found.of.size(); ++i) {
      found.of[i] = found.of[i] || found.by[i];
      if (found.of[i] && !found.by[i]) grown = found.by[i] = true;
    }
  }
  return found;
}

namespace {}  // namespace

void GraphTracer::record(Scope& here, ir::Node& node, std::span<const Item> given,
                         const std::vector<CapturedVariable>& passed, std::span<const Item> results,
                         const std::vector<CapturedVariable>& changed) {
  if (!autograd::state().enabled) return;
  const size_t first = node.kind == ir::NodeKind::kIf ? 1 : 0;
  std::vector<Tensor> tensors(first);
  for (const Item& item : given) {
    auto* tensor = std::get_if<Tensor>(&item);
    tensors.push_back(tensor ? *tensor : Tensor());
  }
  for (const CapturedVariable& what : passed) tensors.push_back(what.tensor);
  std::vector<Edge> edges;
  std::vector<bool> leads;
  for (const Tensor& tensor : tensors) {
    Edge edge = tensor ? autograd::edge_of(*tensor) : Edge();
    leads.push_back(static_cast<bool>(edge));
    if (edge) edges.push_back(std::move(edge));
  }
  if (edges.empty()) return;
  const auto is_state_of = [&](const CapturedVariable& what) {
    return what.kind == CapturedVariable::Kind::kStorage && memory(*what.storage).state;
  };
  std::vector<bool> state(first + given.size(), false);
  for (const CapturedVariable& what : passed) state.push_back(is_state_of(what));

  Reach found = reach(node, leads);
  const size_t own = results.size();
  for (size_t i = 0; i < changed.size(); ++i) {
    const Tensor& target = changed[i].tensor;
    if (target && found.of[own + i]) found.of[own + i] = !is_state_of(changed[i]);
    if (target && found.of[own + i]) autograd::require_rewritable("graph", *target);
  }
  std::vector<Tensor> outputs;
  for (const Item& item : results) {
    auto* tensor = std::get_if<Tensor>(&item);
    outputs.push_back(tensor ? *tensor : Tensor());
  }
  const Ref<ControlNode> made = ControlNode::make(*this, here, node, std::move(state), std::move(leads),
                                                  std::move(edges), found.by, found.of);
  made->give_source(outputs);
  uint32_t output = 0;
  for (size_t i = 0; i < found.of.size(); ++i) {
    if (!found.of[i]) continue;
    const Edge edge{Ref<autograd::Node>(made), output++};
    if (i >= own && changed[i - own].tensor) autograd::rewrite(*changed[i - own].tensor, edge);
  }
  // What was written and varies no more is a constant.
  for (size_t i = 0; i < changed.size(); ++i) {
    const Tensor& target = changed[i].tensor;
    if (found.of[own + i] || !target || is_state_of(changed[i]) ||
        changed[i].kind != CapturedVariable::Kind::kStorage)
      continue;
    if (autograd::requires_grad(*target)) autograd::rewrite(*target, {});
  }
}

namespace {

/// `push` on the tape: the gradient of the residual stack has the value's on top.
class PushNode final : public autograd::Node {
 public:
  PushNode(GraphTracer& tracer, const Tensor& stack, bool of_stacks)
      : Node(1), tracer_(&tracer), of_stacks_(of_stacks) {
    spec_.dtype = stack->dtype;
    spec_.shape = stack->shape;
  }
  std::string_view name() const override { return "push"; }
  void free_saved() override {}
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    if (!gradients[0]) return;
    const auto [below, top] = tracer_->pop(Tensor(&as_tensor(gradients[0])), of_stacks_);
    const Value both[] = {below, top};
    for (size_t i = 0, next = 0; i < 2; ++i) {
      if (leads[i]) inputs[next++] = both[i];
    }
  }
  /// The tangent of the residual stack has the value's on top.
  void forward(autograd::Push& push) override {
    Tensor both[2];
    for (size_t i = 0, next = 0; i < 2; ++i) {
      const Value arrived = leads[i] ? push.arrived[next++] : Value();
      spec_.residual_stack = i == 0 || of_stacks_;
      both[i] = arrived ? Tensor(&as_tensor(arrived)) : std::get<Tensor>(nothing(*tracer_, spec_));
    }
    push.leaving[0] = tracer_->push(both[0], both[1]);
  }
  bool leads[2] = {false, false};

 private:
  const Ref<GraphTracer> tracer_;
  const bool of_stacks_;
  TypeSpec spec_;
};

/// `pop` on the tape.
class PopNode final : public autograd::Node {
 public:
  PopNode(GraphTracer& tracer, const Tensor& stack, bool of_stacks)
      : Node(2), tracer_(&tracer), of_stacks_(of_stacks) {
    spec_.dtype = stack->dtype;
    spec_.shape = stack->shape;
  }
  std::string_view name() const override { return "pop"; }
  void free_saved() override {}
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    spec_.residual_stack = true;
    const Item below = gradients[0] ? Item(Tensor(&as_tensor(gradients[0]))) : nothing(*tracer_, spec_);
    spec_.residual_stack = of_stacks_;
    const Item top = gradients[1] ? Item(Tensor(&as_tensor(gradients[1]))) : nothing(*tracer_, spec_);
    inputs[0] = tracer_->push(std::get<Tensor>(below), std::get<Tensor>(top));
  }
  void forward(autograd::Push& push) override {
    const auto [below, top] = tracer_->pop(Tensor(&as_tensor(push.arrived[0])), of_stacks_);
    push.leaving[0] = below;
    push.leaving[1] = top;
  }

 private:
  const Ref<GraphTracer> tracer_;
  const bool of_stacks_;
  TypeSpec spec_;
};

}  // namespace

GraphValueRef GraphTracer::empty_residual_stack(Scope& here, DType dtype, const Shape& shape) {
  std::vector<Arg> args;
  args.emplace_back(dtype);
  args.emplace_back(shape);
  return add_operator(here, *find_intrinsic("new_residual_stack"), std::move(args)).results[0];
}

Tensor GraphTracer::new_residual_stack(DType dtype, const Shape& shape) {
  Scope& here = scope();
  return tensor_result(here, *empty_residual_stack(here, dtype, shape));
}

Tensor GraphTracer::push(const Tensor& stack, const Tensor& value) {
  Scope& here = scope();
  std::vector<Arg> args;
  args.emplace_back(Value(value_of(here, *stack)));
  args.emplace_back(Value(value_of(here, *value)));
  const bool of_stacks = ir::as_graph_value(*args[1].get<Value>()).kind == Kind::kResidualStack;
  Tensor made = tensor_result(here, *add_operator(here, *find_intrinsic("push"), std::move(args)).results[0]);
  if (!autograd::state().enabled) return made;
  const Edge edges[] = {autograd::edge_of(*stack), autograd::edge_of(*value)};
  if (!edges[0] && !edges[1]) return made;
  Ref<PushNode> node(new PushNode(*this, stack, of_stacks));
  for (size_t i = 0; i < 2; ++i) {
    node->leads[i] = static_cast<bool>(edges[i]);
    if (edges[i]) node->edges.push_back(edges[i]);
  }
  autograd::set_source(*made, {Ref<autograd::Node>(node), 0});
  return made;
}

std::pair<Tensor, Tensor> GraphTracer::pop(const Tensor& stack, bool of_stacks) {
  Scope& here = scope();
  std::vector<Arg> args;
  args.emplace_back(Value(value_of(here, *stack)));
  const Operator& op = *find_intrinsic(of_stacks ? "pop_residual_stack" : "pop");
  const ir::Node& node = add_operator(here, op, std::move(args));
  Tensor below = tensor_result(here, *node.results[0]);
  Tensor top = tensor_result(here, *node.results[1]);
  Edge edge = autograd::state().enabled ? autograd::edge_of(*stack) : Edge();
  if (edge) {
    const Ref<autograd::Node> step(new PopNode(*this, stack, of_stacks));
    step->edges.push_back(std::move(edge));
    autograd::set_source(*below, {step, 0});
    autograd::set_source(*top, {step, 1});
  }
  return {below, top};
}

}  // namespace dyad::tracing
