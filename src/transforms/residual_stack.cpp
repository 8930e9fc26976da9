#include "transforms/residual_stack.h"

#include "autograd/autograd_meta.h"
#include "ops/number_operator.h"

namespace dyad::transforms {

using autograd::Edge;
using Kind = ir::GraphValue::Kind;

namespace {

/// What both steps know: the type of the stack and of what lies on it.
class StackNode : public autograd::Node {
 public:
  StackNode(size_t outputs, GraphTracer& tracer, const Tensor& stack, bool of_stacks)
      : Node(outputs), tracer_(&tracer), of_stacks_(of_stacks), spec_(type_spec_of(stack)) {}
  void free_saved() override {}

 protected:
  Tensor stack_or_zeros(const Value& given) const { return given_or_zeros(given, true); }
  Tensor top_or_zeros(const Value& given) const { return given_or_zeros(given, of_stacks_); }

  const Ref<GraphTracer> tracer_;
  const bool of_stacks_;

 private:
  Tensor given_or_zeros(const Value& given, bool stack) const {
    if (given) return tensor_of(given);
    TypeSpec spec = spec_;
    spec.residual_stack = stack;
    return tensor_in(zeros_of(*tracer_, spec));
  }

  const TypeSpec spec_;
};

/// The gradient of the stack has the value's on top, and so has its tangent.
class PushNode final : public StackNode {
 public:
  PushNode(GraphTracer& tracer, const Tensor& stack, bool of_stacks)
      : StackNode(1, tracer, stack, of_stacks) {}
  std::string_view name() const override { return "push"; }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    if (!gradients[0]) return;
    const auto [below, top] = pop_residual(*tracer_, tensor_of(gradients[0]), of_stacks_);
    const Value both[] = {below, top};
    for (size_t i = 0, next = 0; i < 2; ++i) {
      if (leads[i]) inputs[next++] = both[i];
    }
  }
  void forward(autograd::Push& push) override {
    size_t next = 0;
    const Tensor below = stack_or_zeros(leads[0] ? push.arrived[next++] : Value());
    const Tensor top = top_or_zeros(leads[1] ? push.arrived[next++] : Value());
    push.leaving[0] = push_residual(*tracer_, below, top);
  }
  bool leads[2] = {false, false};  ///< the stack, the value: it has an edge
};

class PopNode final : public StackNode {
 public:
  PopNode(GraphTracer& tracer, const Tensor& stack, bool of_stacks)
      : StackNode(2, tracer, stack, of_stacks) {}
  std::string_view name() const override { return "pop"; }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    const Tensor below = stack_or_zeros(gradients[0]);
    const Tensor top = top_or_zeros(gradients[1]);
    inputs[0] = push_residual(*tracer_, below, top);
  }
  void forward(autograd::Push& push) override {
    const auto [below, top] = pop_residual(*tracer_, tensor_of(push.arrived[0]), of_stacks_);
    push.leaving[0] = below;
    push.leaving[1] = top;
  }
};

}  // namespace

Tensor new_residual_stack(GraphTracer& tracer, DType dtype, const Shape& shape) {
  Scope& here = tracer.scope();
  const ir::Node& node =
      tracer.add_operator(here, *find_intrinsic("new_residual_stack"), args_of(dtype, shape));
  return tensor_in(tracer.item_of(here, *node.results[0]));
}

Tensor push_residual(GraphTracer& tracer, const Tensor& stack, const Tensor& value) {
  Scope& here = tracer.scope();
  const ir::GraphValueRef below = tracer.value_of(here, *stack);
  const ir::GraphValueRef top = tracer.value_of(here, *value);
  const ir::Node& added =
      tracer.add_operator(here, *find_intrinsic("push"), args_of(Value(below), Value(top)));
  Tensor made = tensor_in(tracer.item_of(here, *added.results[0]));
  if (!autograd::state().enabled) return made;
  const Edge edges[] = {autograd::edge_of(*stack), autograd::edge_of(*value)};
  if (!edges[0] && !edges[1]) return made;
  Ref<PushNode> node(new PushNode(tracer, stack, top->kind == Kind::kResidualStack));
  for (size_t i = 0; i < 2; ++i) {
    node->leads[i] = static_cast<bool>(edges[i]);
    if (edges[i]) node->edges.push_back(edges[i]);
  }
  autograd::set_source(*made, {Ref<autograd::Node>(node), 0});
  return made;
}

std::pair<Tensor, Tensor> pop_residual(GraphTracer& tracer, const Tensor& stack, bool of_stacks) {
  Scope& here = tracer.scope();
  const Operator& op = *find_intrinsic(of_stacks ? "pop_residual_stack" : "pop");
  const ir::Node& added = tracer.add_operator(here, op, args_of(Value(tracer.value_of(here, *stack))));
  Tensor below = tensor_in(tracer.item_of(here, *added.results[0]));
  Tensor top = tensor_in(tracer.item_of(here, *added.results[1]));
  Edge edge = autograd::state().enabled ? autograd::edge_of(*stack) : Edge();
  if (edge) {
    const Ref<autograd::Node> node(new PopNode(tracer, stack, of_stacks));
    node->edges.push_back(std::move(edge));
    autograd::set_source(*below, {node, 0});
    autograd::set_source(*top, {node, 1});
  }
  return {below, top};
}

}  // namespace dyad::transforms
