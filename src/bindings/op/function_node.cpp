#include "bindings/op/function_node.h"

#include "autograd/autograd_meta.h"
#include "base/error.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "ops/call.h"

namespace dyad::python {

namespace {

DYAD_USE(cast, zeros_like);

/// A Python object that a node shares.
struct Held : RefCounted {
  explicit Held(PyObject* object) : object(Object::share(object)) {}
  Object object;
};

class PythonHook final : public autograd::Hook {
 public:
  explicit PythonHook(PyObject* callable) : callable_(Object::share(callable)) {}
  Value operator()(const Value& gradient) override {
    Object argument = check(wrap(gradient));
    Object given = check(PyObject_CallOneArg(callable_.get(), argument.get()));
    if (given.get() == Py_None) return {};
    if (!is_tensor(given.get())) {
      type_error("register_hook: the hook returned ", describe(given.get()), "; need a Tensor or None");
    }
    return Value(tensor_of(given.get()));
  }
  PyObject* callable() const { return callable_.get(); }

 private:
  Object callable_;
};

/// The leaf shares the hooks of its metadata; without another owner it does not count.
bool owns_hooks(const autograd::AutogradMeta& meta) {
  if (!meta.hooks) return false;
  const bool leaf_is_own = meta.leaf && meta.leaf->owners() == 1;
  return meta.hooks.use_count() == (leaf_is_own ? 2 : 1);
}

int traverse_hook(const Ref<autograd::Hook>& hook, visitproc visit, void* arg) {
  auto* own = hook->owners() == 1 ? dynamic_cast<PythonHook*>(hook.get()) : nullptr;
  if (own) Py_VISIT(own->callable());
  return 0;
}

}  // namespace

int traverse_hooks(const autograd::AutogradMeta& meta, visitproc visit, void* arg) {
  if (owns_hooks(meta)) {
    for (const Ref<autograd::Hook>& hook : *meta.hooks) {
      if (const int stop = traverse_hook(hook, visit, arg)) return stop;
    }
  }
  const Ref<autograd::Node>& node = meta.source.node;
  if (node && node->owners() == 1) {
    for (const auto& [output, hook] : node->hooks()) {
      if (const int stop = traverse_hook(hook, visit, arg)) return stop;
    }
  }
  return 0;
}

void clear_hooks(autograd::AutogradMeta& meta) {
  if (owns_hooks(meta)) const autograd::Hooks gone = std::exchange(*meta.hooks, {});
  if (meta.source.node && meta.source.node->owners() == 1) meta.source.node->drop_hooks();
}

Ref<autograd::Hook> python_hook(PyObject* callable) { return Ref<autograd::Hook>(new PythonHook(callable)); }

FunctionNode::FunctionNode(std::string name, std::vector<autograd::Edge> inputs, ValueList descriptions,
                           ValueList outputs, PyObject* callable, Options options)
    : Node(outputs.size()),
      name_(std::move(name)),
      inputs_(std::move(descriptions)),
      outputs_(std::move(outputs)),
      options_(options),
      callable_(new Held(callable)) {
  close_with_recording();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    positions_.push_back(i);
    edges.push_back(std::move(inputs[i]));
  }
}

FunctionNode::~FunctionNode() {
  if (callable_) autograd::bury(std::move(callable_));
}

void FunctionNode::free_saved() {
  released = true;
  if (callable_) autograd::bury(std::move(callable_));
  outputs_.clear();
}

Object FunctionNode::arguments(std::span<Value> gradients, bool recorded) const {
  const size_t first = options_.pass_outputs ? 1 : 0;
  Object args = check(PyTuple_New(static_cast<Py_ssize_t>(gradients.size() + first)));
  if (options_.pass_outputs) {
    Object outputs = check(PyTuple_New(static_cast<Py_ssize_t>(outputs_.size())));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Tensor output = alias_of(as_tensor(outputs_[i]));
      if (recorded) {
        Ref<Node> self(const_cast<FunctionNode*>(this));
        autograd::set_source(*output, {std::move(self), static_cast<uint32_t>(i)});
      }
      PyTuple_SET_ITEM(outputs.get(), static_cast<Py_ssize_t>(i), wrap(std::move(output)));
    }
    PyTuple_SET_ITEM(args.get(), 0, outputs.release());
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    PyObject* item = nullptr;
    if (gradients[i]) {
      item = wrap(gradients[i]);
    } else {
      item = options_.materialize ? wrap(zeros_like(outputs_[i])) : Py_NewRef(Py_None);
    }
    PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i + first), item);
  }
  return args;
}

Value FunctionNode::checked(PyObject* given, const Value& input, size_t position) const {
  if (given == Py_None) return {};
  if (!is_tensor(given)) {
    type_error(name_, ": the gradient for input ", position, " is ", describe(given),
               "; need a Tensor or None");
  }
  Value gradient(tensor_of(given));
  if (!(gradient->shape == input->shape)) {
    runtime_error(name_, ": the gradient for input ", position, " has shape ", gradient->shape,
                  "; the input has shape ", input->shape);
  }
  return gradient->dtype == input->dtype ? gradient : cast(gradient, input->dtype);
}

void FunctionNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  const Object args = arguments(gradients, recorded);
  // The callable may drop the last outside reference to this node.
  const Ref<RefCounted> callable = callable_;
  Object given = check(PyObject_Call(static_cast<Held&>(*callable).object.get(), args.get(), nullptr));
  Object items = check(PySequence_Tuple(given.get()));
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(items.get()));
  if (count < inputs_.size()) {
    runtime_error(name_, ": the backward function returned ", count, " gradients for ", inputs_.size(),
                  " inputs; one per input is needed, None where there is none");
  }
  for (size_t i = 0; i < positions_.size(); ++i) {
    const size_t at = positions_[i];
    inputs[i] = checked(PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(at)), inputs_[at], at);
  }
}

std::vector<ResultSpec> FunctionNode::output_specs() const {
  std::vector<ResultSpec> specs;
  for (const Value& output : outputs_) specs.push_back({output->dtype, output->shape});
  return specs;
}

Value FunctionNode::nothing_at(uint32_t output) const {
  Value zeros = Node::nothing_at(output);
  tracing::GraphTracer* graph = tracing::current();
  if (!zeros || !graph || graph->tracing()) return zeros;
  // Branches and loops of the callable would take a tensor with data for a constant.
  return graph->snapshot(Tensor(&as_tensor(zeros)));
}

}  // namespace dyad::python
