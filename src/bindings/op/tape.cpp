#include "bindings/op/module.h"

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/forward.h"
#include "autograd/in_place.h"
#include "autograd/reads.h"
#include "autograd/state.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "bindings/op/function_node.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "eager/dispatch.h"
#include "ops/placeholder.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace dyad::python {

namespace {

using autograd::Edge;

const Tensor& need_tensor(const char* function, nb::handle object) {
  if (!is_tensor(object.ptr())) type_error(function, ": got ", describe(object.ptr()), "; need a Tensor");
  return tensor_of(object.ptr());
}

ValueList tensors_from(const char* function, nb::handle sequence, bool holes = false) {
  ValueList values;
  for (nb::handle object : sequence) {
    const bool hole = holes && object.is_none();
    values.push_back(hole ? Value() : Value(need_tensor(function, object)));
  }
  return values;
}

nb::object wrapped(Value value) { return nb::steal(wrap(std::move(value))); }

uint64_t tape_enter() {
  autograd::enter_transform();
  return autograd::next_sequence();
}

uint64_t tape_recording() { return autograd::state().recording; }
int tape_depth() { return autograd::state().depth; }
bool grad_enabled() { return autograd::state().enabled; }
bool set_grad_enabled(bool enabled) { return std::exchange(autograd::state().enabled, enabled); }
bool set_pushes(bool pushes) { return std::exchange(autograd::state().pushes, pushes); }
bool set_each_operator(bool each) { return std::exchange(autograd::state().each_operator, each); }

bool set_constant(bool constant) { return std::exchange(autograd::state().constant, constant); }

/// The graph of a trace has the operators only: what Python does in a gradient is not among them.
void note_own_gradient() {
  tracing::GraphTracer* graph = tracing::current();
  if (graph && graph->tracing()) graph->note_own_gradient();
}

/// The same where nothing is recorded now, if it may be in a later call that the trace would serve.
void note_unrecorded_gradient() {
  if (eager::reasons_to_record.load(std::memory_order_relaxed) > 0) note_own_gradient();
}

nb::object as_input(nb::handle object) {
  const Tensor& tensor = need_tensor("as_input", object);
  tracing::GraphTracer* graph = tracing::current();
  if (graph && graph->tracing()) graph = nullptr;
  return wrapped(autograd::as_input(tensor, graph ? graph->stand_for(tensor) : Tensor()));
}
void track(nb::handle object) { autograd::track(*need_tensor("track", object)); }
void untrack(nb::handle object) { autograd::untrack(*need_tensor("untrack", object)); }
nb::object detach(nb::handle object) {
  const Tensor& tensor = need_tensor("detach", object);
  if (!tensor->symbolic && !tracing::current()) return wrapped(alias_of(*tensor));
  static const Op& stop = OpTable::instance().get("stop_gradient");
  const Arg args[] = {Value(tensor)};
  const autograd::RecordingSwitch off(false);
  return wrapped(eager::call_one(stop, args));
}
bool is_recorded(nb::handle object) {
  return autograd::state().enabled && autograd::requires_grad(*need_tensor("is_recorded", object));
}

nb::list differentiate(nb::handle outputs, nb::handle seeds, nb::handle inputs, uint64_t mark, bool keep) {
  const ValueList ends = tensors_from("differentiate", outputs);
  const ValueList begins = tensors_from("differentiate", inputs);
  const ValueList given = tensors_from("differentiate", seeds, true);
  if (given.size() != ends.size()) {
    value_error("differentiate: ", given.size(), " seeds were given for ", ends.size(), " outputs");
  }
  nb::list found;
  for (Value& gradient : autograd::differentiate(ends, given, begins, mark, keep)) {
    found.append(wrapped(std::move(gradient)));
  }
  return found;
}

autograd::Pushforward pushforward(nb::handle inputs, nb::handle tangents, uint64_t mark) {
  const ValueList begins = tensors_from("Pushforward", inputs);
  const ValueList given = tensors_from("Pushforward", tangents, true);
  if (given.size() != begins.size()) {
    value_error("Pushforward: ", given.size(), " tangents were given for ", begins.size(), " inputs");
  }
  return {begins, given, mark};
}

nb::list push(autograd::Pushforward& forward, nb::handle outputs) {
  nb::list found;
  for (Value& tangent : forward(tensors_from("Pushforward", outputs))) {
    found.append(wrapped(std::move(tangent)));
  }
  return found;
}

nb::list record(std::string name, nb::sequence inputs, nb::sequence outputs, nb::handle callable,
                bool materialize, bool pass_outputs) {
  const ValueList given = tensors_from("record", inputs);
  ValueList results = tensors_from("record", outputs);
  std::vector<Edge> edges;
  bool wanted = false;
  for (const Value& input : given) {
    edges.push_back(autograd::state().enabled ? autograd::edge_of(*input) : Edge());
    wanted = wanted || edges.back();
  }
  nb::list attached;
  if (!wanted) {
    note_unrecorded_gradient();
    for (nb::handle output : outputs) attached.append(output);
    return attached;
  }
  note_own_gradient();
  ValueList descriptions;
  for (const Value& input : given) descriptions.push_back(placeholder(input->dtype, input->shape));
  // Where a result lies in memory that others know (an input handed on, a view of one), writes must reach
  // them.
  const ValueList known = std::exchange(results, {});
  for (const Value& result : known) results.push_back(alias_of(as_tensor(result)));
  const Ref<autograd::Node> node(new FunctionNode(std::move(name), std::move(edges), std::move(descriptions),
                                                  results, callable.ptr(), {materialize, pass_outputs}));
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor output = alias_of(as_tensor(results[i]));
    const autograd::AutogradMeta* meta = autograd::autograd_meta_of(*known[i]);
    const bool handed_on = std::find(given.begin(), given.end(), known[i]) != given.end();
    if (handed_on || (meta && meta->base)) autograd::link_alias(*output, as_tensor(known[i]));
    autograd::set_source(*output, {node, static_cast<uint32_t>(i)});
    attached.append(wrapped(output));
  }
  return attached;
}

/// A Python function has written to `tensor` in place; its history is now that of `result`, which it
/// recorded.
void rebase_history(nb::handle object, nb::handle result) {
  TensorImpl& tensor = *need_tensor("rebase_history", object);
  autograd::require_rewritable("mark_dirty", tensor);
  autograd::rewrite(tensor, autograd::edge_of(*need_tensor("rebase_history", result)));
}

uint32_t version_of(nb::handle object) { return need_tensor("version_of", object)->storage->version(); }

/// `function(*args, **kwargs)` without recording: (its result, the recorded tensors it read).
nb::tuple call_noting_reads(nb::handle function, nb::args args, nb::kwargs kwargs) {
  autograd::Reads reads;
  nb::object result;
  {
    const autograd::RecordingSwitch off(false);
    struct Noting {
      explicit Noting(autograd::Reads* reads) : before(std::exchange(autograd::state().reads, reads)) {}
      ~Noting() { autograd::state().reads = before; }
      autograd::Reads* before;
    } const noting(&reads);
    result = function(*args, **kwargs);
  }
  nb::list found;
  for (const Tensor& tensor : reads.tensors()) found.append(wrapped(tensor));
  return nb::make_tuple(result, found);
}

bool is_same_tensor(nb::handle a, nb::handle b) {
  return need_tensor("is_same_tensor", a) == need_tensor("is_same_tensor", b);
}

autograd::StandIn stand_in(nb::handle object) { return autograd::StandIn(need_tensor("stand_in", object)); }

/// A hook that was added to a tensor; removing it takes effect at once.
struct HookHandle {
  Ref<autograd::HookSwitch> status;
  void remove() { status->removed = true; }
};

HookHandle add_hook(nb::handle object, nb::handle callable) {
  note_own_gradient();
  Ref<autograd::Hook> hook = python_hook(callable.ptr());
  autograd::add_hook(*need_tensor("register_hook", object), hook);
  return {hook->status};
}

void ask_gradient(nb::handle object, bool asked) {
  autograd::ask_gradient(*need_tensor("requires_grad_", object), asked);
}
bool is_leaf(nb::handle object) {
  const autograd::AutogradMeta* meta = autograd::autograd_meta_of(*need_tensor("is_leaf", object));
  return !meta || meta->is_leaf() || !autograd::requires_grad(*tensor_of(object.ptr()));
}
nb::object get_gradient(nb::handle object) {
  const autograd::AutogradMeta* meta = autograd::autograd_meta_of(*need_tensor("grad", object));
  if (!meta || !meta->gradient) return nb::none();
  return wrapped(meta->gradient);
}
void set_gradient(nb::handle object, nb::handle gradient) {
  const Tensor& tensor = need_tensor("grad", object);
  if (gradient.is_none()) {
    if (autograd::AutogradMeta* meta = autograd::autograd_meta_of(*tensor)) meta->gradient = Tensor();
    return;
  }
  const Tensor& given = need_tensor("grad", gradient);
  if (!(given->shape == tensor->shape)) {
    value_error("grad: a gradient of shape ", given->shape, " was given to a tensor of shape ",
                tensor->shape);
  }
  // An alias: a tensor with a history could own the one it becomes the gradient of.
  autograd::need_autograd_meta(*tensor).gradient = alias_of(*given);
}
void backward(nb::handle object, nb::handle gradient, bool keep) {
  const Value seed = gradient.is_none() ? Value() : Value(need_tensor("backward", gradient));
  autograd::backward(need_tensor("backward", object), seed, keep);
}

}  // namespace

void add_tape(nb::module_& module) {
  autograd::initialise();
  module.def("tape_enter", tape_enter,
             "A transform begins on this thread; gives the mark that tells its steps from earlier ones.");
  module.def(
      "tape_exit", autograd::exit_transform, nb::arg("keep") = false,
      "The innermost transform of this thread ends; with keep, its steps can be differentiated later.");
  module.def("tape_recording", tape_recording,
             "The number of the outermost transform of this thread; 0 for none.");
  module.def("close_recording", autograd::close_recording, "Frees the steps of this transform.");
  module.def("tape_depth", tape_depth, "How many transforms are under way on this thread.");
  module.def("grad_enabled", grad_enabled, "Whether operators are recorded on this thread.");
  module.def("set_constant", set_constant,
             "Makes what a graph computes from here on constant in derivatives of the graph; gives "
             "what it was.");
  module.def("set_grad_enabled", set_grad_enabled, "Switches recording on this thread; gives what it was.");
  module.def("set_pushes", set_pushes,
             "Says that what is recorded on this thread will have tangents pushed along; gives what it was.");
  module.def(
      "set_each_operator", set_each_operator,
      "Whether compiled programs are recorded operator by operator on this thread; gives what it was.");
  module.def("as_input", as_input, "A tensor over the same memory that stands for an argument.");
  module.def("track", track, "Makes the tensor itself a leaf until untrack is called as often.");
  module.def("untrack", untrack, "Takes back one call of track.");
  module.def("detach", detach, "A tensor over the same memory without a meta.");
  module.def("is_recorded", is_recorded, "Whether operators on this tensor are recorded now.");
  module.def("note_unrecorded_gradient", note_unrecorded_gradient,
             "Lets a trace know of a backward in Python that is not recorded now.");
  module.def("differentiate", differentiate, nb::arg("outputs"), nb::arg("seeds"), nb::arg("inputs"),
             nb::arg("mark"), nb::arg("keep") = false,
             "Gradients of the inputs, summed over the outputs; a seed of None stands for ones.");
  nb::class_<autograd::Pushforward>(module, "Pushforward",
                                    "Tangents of what was recorded since a mark, from those of its inputs.")
      .def("__call__", push, "The tangents of these outputs; recorded if recording is on.");
  module.def("pushforward", pushforward, nb::arg("inputs"), nb::arg("tangents"), nb::arg("mark"),
             "Forward mode from these inputs; a tangent of None stands for zeros.");
  module.def("record", record, nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("backward"),
             nb::arg("materialize") = true, nb::arg("pass_outputs") = false,
             "Records a step whose backward is a Python function; gives the outputs attached to it.");
  module.def("call_noting_reads", call_noting_reads,
             "Calls a function without recording; gives its result and the recorded tensors that it read.");
  module.def("is_same_tensor", is_same_tensor, "Whether two objects stand for one tensor, memory and meta.");
  nb::class_<autograd::StandIn>(module, "StandIn", "A tensor that counts as a leaf for a while.")
      .def("end", &autograd::StandIn::end, "The tensor is again what it was.");
  module.def("stand_in", stand_in, "Makes a tensor count as a leaf until the result ends.");
  module.def("rebase_history", rebase_history,
             "Gives a tensor that was written in place the meta of another one.");
  module.def("version_of", version_of, "How often the memory of a tensor was written in place.");
  nb::class_<HookHandle>(module, "HookHandle", "A hook on a tensor's gradient.")
      .def("remove", &HookHandle::remove, "Takes the hook away.");
  module.def("add_hook", add_hook, "Calls a function with the gradient of a tensor when it arrives.");
  module.def("ask_gradient", ask_gradient, "Makes the tensor a leaf for backward(), or no longer.");
  module.def("is_leaf", is_leaf, "Whether no recorded operator made the tensor.");
  module.def("get_gradient", get_gradient, "What backward() has added up for the tensor, or None.");
  module.def("set_gradient", set_gradient, nb::arg("tensor"), nb::arg("gradient").none(),
             "Replaces what backward() has added up.");
  module.def("backward", backward, nb::arg("tensor"), nb::arg("gradient").none(), nb::arg("keep"),
             "Adds the gradients of a tensor to those of the leaves it was made from.");
}

}  // namespace dyad::python
