#include "bindings/jit/graph_object.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "bindings/jit/graph_number.h"
#include "bindings/jit/module.h"
#include "bindings/jit/program.h"
#include "bindings/jit/type_specs.h"
#include "bindings/op/arguments.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tensor/writes.h"
#include "transforms/batching.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace dyad::python {

namespace {

using tracing::GraphTracer;
using tracing::Item;
using tracing::TypeSpec;

/// A function of a graph that is begun and suspended.
struct GraphFunction {
  Ref<GraphTracer> tracer;
  tracing::Scope* scope;
};

/// The Python object of a tracer: it keeps the Python objects that the graph refers to.
struct Graph {
  explicit Graph(const std::string& name) : tracer(new GraphTracer(name)) {}

  Ref<GraphTracer> tracer;
  std::vector<nb::object> payloads;
  /// Bound tensors and their stand-ins, by the tensor inside.
  std::unordered_map<const TensorImpl*, std::pair<nb::object, nb::object>> bound;
};

std::vector<nb::object>& active_graphs() {
  thread_local std::vector<nb::object> graphs;
  return graphs;
}

void activate(nb::handle self, bool execute) {
  const Ref<GraphTracer>& tracer = nb::cast<Graph&>(self).tracer;
  if (execute) tracer->trace();
  tracing::push(tracer);
  active_graphs().push_back(nb::borrow(self));
}

void deactivate(nb::handle self) {
  tracing::pop(*nb::cast<Graph&>(self).tracer);
  active_graphs().pop_back();
}

nb::object current_graph() { return active_graphs().empty() ? nb::none() : active_graphs().back(); }

std::vector<Item> items_from(const char* function, nb::handle objects) {
  std::vector<Item> items;
  for (nb::handle object : objects) {
    items.emplace_back(Scalar());
    if (!item_from(object.ptr(), items.back())) {
      type_error(function, ": got ", describe(object.ptr()), "; need Tensors and numbers");
    }
  }
  return items;
}

Item item_of(const char* function, nb::handle object) {
  return items_from(function, nb::make_tuple(nb::borrow(object)))[0];
}

nb::list objects_of(const Graph& graph, const std::vector<Item>& items) {
  nb::list objects;
  for (const Item& item : items) objects.append(nb::steal(item_object(graph.tracer, item)));
  return objects;
}

nb::object add_input(Graph& self, nb::handle spec, std::string name, nb::object open) {
  const TypeSpec wanted = type_spec_from("add_input", spec);
  if (wanted.number) {
    const tracing::Number number = self.tracer->add_number_input(wanted.kind, std::move(name));
    return nb::steal(item_object(self.tracer, number));
  }
  Shape shape = wanted.shape;
  symbolic_dims("add_input", open, shape);
  const bool has_strides = is_tensor(spec.ptr()) && !pending_of(spec.ptr());
  const Strides strides = has_strides ? tensor_of(spec.ptr())->strides : Strides();
  Tensor made = self.tracer->add_input(wanted.dtype, shape, strides, std::move(name));
  if (has_strides && tracing::is_state(*tensor_of(spec.ptr()))) self.tracer->note_state(*made);
  if (has_strides && !all_known(shape) && !tensor_of(spec.ptr())->contiguous())
    self.tracer->note_any_layout(*made);
  return nb::steal(is_tensor(spec.ptr()) ? stand_in_for(spec.ptr(), std::move(made)) : wrap(std::move(made)));
}

void trace_input(Graph& self, nb::handle object, nb::object open) {
  if (!is_tensor(object.ptr())) type_error("trace_input: got ", describe(object.ptr()), "; need a Tensor");
  const Tensor& tensor = tensor_of(object.ptr());
  Shape shape = tensor->shape;
  symbolic_dims("trace_input", open, shape);
  self.tracer->trace_input(tensor, shape);
}

bool holds(const Graph& self, nb::handle object) {
  if (!is_tensor(object.ptr()) || pending_of(object.ptr())) return false;
  return self.tracer->holds(*tensor_of(object.ptr()));
}

nb::object bind(Graph& self, nb::handle object, std::string name) {
  if (!is_tensor(object.ptr())) type_error("bind: got ", describe(object.ptr()), "; need a Tensor");
  const Tensor& tensor = tensor_of(object.ptr());
  if (tensor->symbolic) return nb::borrow(object);
  Tensor made = self.tracer->bind(tensor, std::move(name));
  auto& [bound, stand_in] = self.bound[tensor.get()];
  if (!bound.is_valid()) bound = nb::borrow(object);
  if (!stand_in.is_valid()) stand_in = nb::steal(stand_in_for(object.ptr(), std::move(made)));
  return stand_in;
}

/// The objects of the tensors bound by reference, in order. Where an operator met a Parameter, that one.
nb::list bound(Graph& self) {
  nb::list objects;
  for (const Tensor& tensor : self.tracer->bound()) {
    nb::object& object = self.bound[tensor.get()].first;
    if (!object.is_valid()) {
      PyObject* owner = owner_of(*tensor);
      object = owner ? nb::borrow(owner) : nb::steal(wrap(tensor));
    }
    objects.append(object);
  }
  return objects;
}

void finish(Graph& self, nb::object outs, const std::vector<size_t>& input_order) {
  self.tracer->finish(items_from("finish", outs), input_order);
  for (auto& [tensor, objects] : self.bound) objects.second.reset();
}

/// A Parameter that the program makes is one of the graph: each run begins with what it holds now.
void own_state(Graph& self, nb::handle object) {
  if (!is_tensor(object.ptr())) type_error("own_state: got ", describe(object.ptr()), "; need a Tensor");
  const Tensor tensor = tensor_of(object.ptr());
  if (!tensor->symbolic) {
    if (!self.tracer->born_here(*tensor)) capture_error("graph: memory of a new Parameter was there before");
    set_tensor(object.ptr(), self.tracer->adopt(tensor));
  }
  self.tracer->note_state(*tensor_of(object.ptr()));
}

nb::object compile(Graph& self, bool verify, nb::object dump, bool optimise) {
  if (!self.tracer->finished()) runtime_error("compile: the graph is not finished; call finish() first");
  std::vector<Object> payloads;
  for (const nb::object& payload : self.payloads) payloads.push_back(Object::share(payload.ptr()));
  std::vector<BoundInput> inputs;
  auto input = static_cast<uint32_t>(self.tracer->input_count());
  for (nb::handle object : bound(self)) inputs.push_back({input++, Object::share(object.ptr())});
  return nb::steal(compile_graph(self.tracer->module(), std::move(payloads), std::move(inputs),
                                 {.verify = verify, .optimise = optimise, .dump = dump.ptr()}));
}

tracing::Scope& scope_of(const Graph& graph, const GraphFunction& function, const char* what) {
  if (!(function.tracer == graph.tracer)) value_error(what, ": the function belongs to another graph");
  return *function.scope;
}

nb::list begin(Graph& self, const std::string& name, nb::object specs) {
  const std::vector<TypeSpec> wanted = type_specs_from("begin", specs);
  return objects_of(self, self.tracer->begin(name, wanted));
}

nb::list add_if(Graph& self, nb::handle condition, const GraphFunction& yes, nb::object yes_outs,
                const GraphFunction& no, nb::object no_outs, std::optional<int> dead) {
  if (dead && *dead != 0 && *dead != 1) value_error("add_if: dead is ", *dead, "; it must be 0, 1 or None");
  return objects_of(self, self.tracer->add_if(item_of("add_if", condition), scope_of(self, yes, "add_if"),
                                              items_from("add_if", yes_outs), scope_of(self, no, "add_if"),
                                              items_from("add_if", no_outs), dead));
}

nb::list add_while(Graph& self, const GraphFunction& condition, nb::handle truth, const GraphFunction& body,
                   nb::object outs, nb::object initial) {
  return objects_of(
      self, self.tracer->add_while(scope_of(self, condition, "add_while"), item_of("add_while", truth),
                                   scope_of(self, body, "add_while"), items_from("add_while", outs),
                                   items_from("add_while", initial)));
}

GraphFunction declare(Graph& self, const std::string& name, nb::object specs, nb::object result_specs) {
  return {self.tracer, self.tracer->declare(name, type_specs_from("declare", specs),
                                            type_specs_from("declare", result_specs))};
}

nb::list open(Graph& self, const GraphFunction& function) {
  return objects_of(self, self.tracer->open(scope_of(self, function, "open")));
}

void close(Graph& self, const GraphFunction& function, nb::object outs) {
  self.tracer->close(scope_of(self, function, "close"), items_from("close", outs));
}

nb::list add_call(Graph& self, const GraphFunction& function, nb::object args) {
  return objects_of(
      self, self.tracer->add_call(scope_of(self, function, "add_call"), items_from("add_call", args)));
}

nb::list add_custom(Graph& self, const GraphFunction& forward, nb::object outs, const GraphFunction& backward,
                    nb::object gradients, nb::object args) {
  return objects_of(
      self, self.tracer->add_custom(scope_of(self, forward, "add_custom"), items_from("add_custom", outs),
                                    scope_of(self, backward, "add_custom"),
                                    items_from("add_custom", gradients), items_from("add_custom", args)));
}

bool add_hook(Graph& self, nb::handle tensor, nb::handle hooked) {
  return self.tracer->add_hook(tensor_of(tensor.ptr()), tensor_of(hooked.ptr()));
}

nb::list add_host(Graph& self, std::string what, nb::callable payload, nb::object args, nb::object specs) {
  const auto number = static_cast<int>(self.payloads.size());
  const std::vector<TypeSpec> wanted = type_specs_from("add_host", specs);
  const std::vector<Item> given = items_from("add_host", args);
  self.payloads.push_back(payload);
  return objects_of(self, self.tracer->add_host(std::move(what), number, given, wanted));
}

/// (value, whether the slices differ) per result.
nb::list add_batched(Graph& self, const GraphFunction& function, nb::object outs, nb::object args,
                     nb::handle count, bool draws_alike, nb::object replaced) {
  Dims slices;
  if (!dims_from(count.ptr(), slices) || slices.size() != 1) {
    type_error("add_batched: count is ", describe(count.ptr()), "; it must be an int");
  }
  std::vector<std::pair<Tensor, Tensor>> wholes;
  for (nb::handle pair : replaced) {
    wholes.emplace_back(tensor_of(nb::object(pair[0]).ptr()), tensor_of(nb::object(pair[1]).ptr()));
  }
  nb::list results;
  for (const transforms::BatchedItem& given : transforms::vmap(
           *self.tracer, scope_of(self, function, "add_batched"), items_from("add_batched", outs),
           items_from("add_batched", args), slices[0], draws_alike, wholes)) {
    results.append(nb::make_tuple(nb::steal(item_object(self.tracer, given.item)), given.mapped));
  }
  return results;
}

bool is_symbolic(nb::handle object) {
  if (is_graph_number(object.ptr())) return true;
  if (!is_tensor(object.ptr()) || pending_of(object.ptr())) return false;
  const Tensor& tensor = tensor_of(object.ptr());
  return tensor->symbolic || tensor->storage->taken();
}

nb::object storage_key(const Storage& storage) { return nb::int_(reinterpret_cast<uintptr_t>(&storage)); }

nb::tuple writes_since(uint64_t moment) {
  const Writes::Listed writes = Writes::since(moment);
  if (!writes.complete) return nb::make_tuple(writes.until, nb::none());
  nb::list keys;
  for (const Storage* storage : writes.storages) keys.append(storage_key(*storage));
  return nb::make_tuple(writes.until, keys);
}

int graph_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Graph& graph = *nb::inst_ptr<Graph>(self);
  for (const nb::object& payload : graph.payloads) Py_VISIT(payload.ptr());
  for (const auto& [tensor, objects] : graph.bound) {
    Py_VISIT(objects.first.ptr());
    Py_VISIT(objects.second.ptr());
  }
  return 0;
}

int graph_clear(PyObject* self) {
  Graph& graph = *nb::inst_ptr<Graph>(self);
  graph.payloads.clear();
  graph.bound.clear();
  return 0;
}

PyType_Slot graph_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(graph_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(graph_clear)},
    {0, nullptr},
};

void add_error(nb::module_& module) {
  const Object attributes = check(Py_BuildValue("{ss}", "kind", "unknown"));
  static PyObject* error = PyErr_NewExceptionWithDoc(
      "dyad._core.CaptureError",
      "A graph cannot hold the program as it stands; `kind` is one of `break_reasons`.", PyExc_RuntimeError,
      attributes.get());
  if (!error || PyModule_AddObjectRef(module.ptr(), "CaptureError", error) < 0) throw PythonError{};
  static PyObject* symbolic_dim = PyErr_NewExceptionWithDoc(
      "dyad._core.SymbolicDimError", "The program needs now a size that is known only when its graph runs.",
      error, nullptr);
  if (!symbolic_dim || PyModule_AddObjectRef(module.ptr(), "SymbolicDimError", symbolic_dim) < 0)
    throw PythonError{};
  set_capture_errors(error, symbolic_dim);
}

/// What a graph begins with: the thread that adds to it, inputs, places of the program.
void add_inputs(nb::class_<Graph>& graph) {
  graph
      .def("activate", activate, nb::arg("execute") = false,
           "Makes operators of this thread add to the graph; with `execute` they are run as well.")
      .def("trace_input", trace_input, nb::arg("tensor"), nb::arg("open") = nb::tuple(),
           "Makes a Tensor with data an input of a graph whose operators are run as well.")
      .def("holds", holds, nb::arg("tensor"), "Whether the graph decides the value of a Tensor.")
      .def("deactivate", deactivate, "Takes `activate` back.")
      .def("add_input", add_input, nb::arg("spec"), nb::arg("name") = "", nb::arg("open") = nb::tuple(),
           "A stand-in for an argument; `open` maps axes to the names of their sizes.")
      .def("own_state", own_state, nb::arg("parameter"),
           "Makes a Parameter that was made since the graph was begun one of the graph.")
      .def("bind", bind, nb::arg("tensor"), nb::arg("name") = "",
           "A stand-in for a tensor that the graph reads and writes by reference.")
      .def(
          "set_location",
          [](Graph& self, std::string file, int line, int column) {
            self.tracer->location = {std::move(file), line, column};
            note_progress("capture");
          },
          nb::arg("file"), nb::arg("line"), nb::arg("column") = 0, "The place that nodes come from.");
}

/// Functions: begun and suspended, or declared, called and written later.
void add_functions(nb::class_<Graph>& graph) {
  graph
      .def("begin", begin, nb::arg("name"), nb::arg("specs") = nb::tuple(),
           "Opens a function and returns its parameters.")
      .def(
          "suspend", [](Graph& self) { return GraphFunction{self.tracer, self.tracer->suspend()}; },
          "Closes the open function for now and returns it.")
      .def(
          "resume",
          [](Graph& self, const GraphFunction& function) {
            self.tracer->resume(scope_of(self, function, "resume"));
          },
          nb::arg("function"), "Goes on adding to a suspended function.")
      .def("declare", declare, nb::arg("name"), nb::arg("specs"), nb::arg("result_specs"),
           "A function that may be called before it is written, by itself too.")
      .def("open", open, nb::arg("function"), "Opens a declared function and returns its parameters.")
      .def("close", close, nb::arg("function"), nb::arg("outs"),
           "Ends a declared function with these results.")
      .def("add_call", add_call, nb::arg("function"), nb::arg("args"), "Calls a declared function.");
}

/// Nodes with functions, and calls of the host.
void add_nodes(nb::class_<Graph>& graph) {
  graph
      .def("add_if", add_if, nb::arg("condition"), nb::arg("yes"), nb::arg("yes_outs"), nb::arg("no"),
           nb::arg("no_outs"), nb::arg("dead") = nb::none(), "Runs one of two functions.")
      .def("add_while", add_while, nb::arg("condition"), nb::arg("truth"), nb::arg("body"), nb::arg("outs"),
           nb::arg("initial"), "Runs a function as long as another says so.")
      .def("add_custom", add_custom, nb::arg("forward"), nb::arg("outs"), nb::arg("backward"),
           nb::arg("gradients"), nb::arg("args"),
           "Runs a function whose gradient is another one: it takes arguments, results and their gradients.")
      .def(
          "is_local",
          [](Graph& self, nb::handle tensor) { return self.tracer->made_here(tensor_of(tensor.ptr())); },
          "Whether the function that is being written made this Tensor.")
      .def(
          "is_used",
          [](Graph& self, nb::handle tensor) { return self.tracer->is_used(tensor_of(tensor.ptr())); },
          "Whether a node of the function that made this Tensor takes it.")
      .def("add_hook", add_hook, nb::arg("tensor"), nb::arg("hooked"),
           "Lets all that uses a Tensor use what `add_custom` has just made of it; False where that is too "
           "late.")
      .def(
          "remove_hook",
          [](Graph& self, nb::handle hooked) { return self.tracer->remove_hook(tensor_of(hooked.ptr())); },
          "Takes out what `add_hook` has put in; False if another function has it.")
      .def("add_host", add_host, nb::arg("what"), nb::arg("payload"), nb::arg("args"),
           nb::arg("result_specs") = nb::tuple(), "Calls a Python function when the graph runs.")
      .def("add_batched", add_batched, nb::arg("function"), nb::arg("outs"), nb::arg("args"),
           nb::arg("count"), nb::arg("draws_alike") = true, nb::arg("replaced") = nb::tuple(),
           "Runs a suspended function on many slices at once.");
}

/// What is asked of a graph, and its end.
void add_queries(nb::class_<Graph>& graph) {
  graph
      .def(
          "protect", [](Graph& self, nb::handle tensor) { self.tracer->protect(*tensor_of(tensor.ptr())); },
          nb::arg("tensor"), "Refuses writes to a tensor that may be another one too.")
      .def(
          "made_here",
          [](Graph& self, nb::handle tensor) { return self.tracer->born_here(*tensor_of(tensor.ptr())); },
          nb::arg("tensor"), "Whether a tensor with data was made while the graph was captured.")
      .def(
          "made_inside",
          [](Graph& self, const GraphFunction& function, nb::handle tensor) {
            return self.tracer->made_inside(scope_of(self, function, "made_inside"),
                                            *tensor_of(tensor.ptr()));
          },
          nb::arg("function"), nb::arg("tensor"), "Whether a function made the memory of a tensor.")
      .def("finish", finish, nb::arg("outs"), nb::arg("input_order") = std::vector<size_t>(),
           "Ends the graph with these results, its inputs in that order of their numbers.")
      .def("compile", compile, nb::arg("verify") = false, nb::arg("dump") = nb::none(),
           nb::arg("optimise") = true, "A Program that runs the graph, which belongs to it from then on.")
      .def_prop_ro("written_inputs", [](const Graph& self) { return self.tracer->written_inputs(); })
      .def_prop_ro("input_count", [](const Graph& self) { return self.tracer->input_count(); })
      .def_prop_ro("bound", bound)
      .def_prop_ro("has_own_gradients", [](const Graph& self) { return self.tracer->has_own_gradients(); })
      .def_prop_ro("node_count", [](const Graph& self) { return self.tracer->node_count(); })
      .def_prop_ro("checking_count", [](const Graph& self) { return self.tracer->checking_count(); })
      .def("text", [](const Graph& self) { return ir::print(*self.tracer->module()); })
      .def("verify", [](const Graph& self) { ir::verify(*self.tracer->module()); })
      .def("discard", [](Graph& self) {
        self.tracer->discard();
        self.payloads.clear();
        self.bound.clear();
      });
}

}  // namespace

OutsideGraphs::OutsideGraphs() { active_graphs().push_back(nb::none()); }
OutsideGraphs::~OutsideGraphs() { active_graphs().pop_back(); }

void add_graph(nb::module_& module) {
  add_error(module);
  add_graph_number(module);
  tracing::set_state_test([](const TensorImpl& tensor) { return owner_of(tensor) != nullptr; });
  const nb::class_<GraphFunction> function(module, "GraphFunction",
                                           "A function of a graph that is begun and suspended.");
  nb::class_<Graph> graph(module, "Graph", "A program that is being written down as a graph.",
                          nb::type_slots(graph_slots));
  graph.def(nb::init<std::string>(), nb::arg("name"));
  add_inputs(graph);
  add_functions(graph);
  add_nodes(graph);
  add_queries(graph);
  module.def("current_graph", current_graph, "The graph that this thread adds to, or None.");
  module.def(
      "shares_storage",
      [](nb::handle a, nb::handle b) {
        const auto* first = reinterpret_cast<const TensorObject*>(a.ptr());
        const auto* second = reinterpret_cast<const TensorObject*>(b.ptr());
        return first->tensor && second->tensor && first->tensor->storage == second->tensor->storage;
      },
      nb::arg("a"), nb::arg("b"),
      "Whether two Tensors are windows on one storage. One that has no data yet shares it with none.");
  module.def(
      "storage_key",
      [](nb::handle tensor) {
        const auto* object = reinterpret_cast<const TensorObject*>(tensor.ptr());
        return object->tensor ? storage_key(*object->tensor->storage) : nb::none();
      },
      nb::arg("tensor"),
      "A number for the storage of a Tensor, as long as that lives; None if it has no data yet.");
  module.def(
      "writes_since", writes_since, nb::arg("moment"),
      "The moment now, and the keys of the storages that were written since one, with repetitions. None in "
      "place of them if some may be missing: writes are listed while a graph is captured.");
  module.def("is_symbolic", is_symbolic, nb::arg("tensor").none(),
             "Whether the value of a Tensor is known only when a graph runs.");
}

}  // namespace dyad::python
