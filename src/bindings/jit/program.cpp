#include "bindings/jit/program.h"

#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>

#include <set>

#include "base/error.h"
#include "bindings/jit/module.h"
#include "bindings/op/arguments.h"
#include "bindings/op/called_name.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "codegen/loops/kernel.h"
#include "ir/printer.h"
#include "types/agreement.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

struct CompiledGraph {
  CompiledGraph() = default;
  CompiledGraph(CompiledGraph&&) = default;

  Ref<program::Program> program;
  std::vector<Object> payloads;
  std::vector<BoundInput> bound;  ///< in the order of their inputs
  compile::Report report;
};

/// Calls the Python functions of host nodes, and remembers where a step failed.
class PythonHost final : public program::Host {
 public:
  /// `program` is the object that owns the payloads.
  PythonHost(PyObject* program, const std::vector<Object>& payloads)
      : program_(program), payloads_(payloads) {}

  void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) override {
    Object given = check(PyTuple_New(static_cast<Py_ssize_t>(args.size())));
    for (size_t i = 0; i < args.size(); ++i) {
      PyTuple_SET_ITEM(given.get(), static_cast<Py_ssize_t>(i), check(arg_object(args[i])).release());
    }
    DYAD_ASSERT(node.payload >= 0 && static_cast<size_t>(node.payload) < payloads_.size());
    PyObject* callable = payloads_[static_cast<size_t>(node.payload)].get();
    const Object made = check(PyObject_CallObject(callable, given.get()));
    const size_t wanted = node.results.size() - 1;
    if (wanted == 0) return;
    if (wanted == 1 && !PyTuple_Check(made.get())) return take(node, 0, made.get(), results);
    const bool fits =
        PyTuple_Check(made.get()) && PyTuple_GET_SIZE(made.get()) == static_cast<Py_ssize_t>(wanted);
    if (!fits) {
      type_error(node.host, ": the host function gave ", describe(made.get()),
                 "; the graph needs a tuple of ", wanted, " results");
    }
    for (size_t i = 0; i < wanted; ++i) {
      take(node, i, PyTuple_GET_ITEM(made.get(), static_cast<Py_ssize_t>(i)), results);
    }
  }

  void failed_at(const ir::Location& location) override { place_ = &location; }
  void records_each_operator(const std::string& name, const std::string& reason) override {
    const Object log = check(PyImport_ImportModule("dyad.log"));
    check(PyObject_CallMethod(log.get(), "warning", "sss",
                              "jit: each operator of %s is recorded by itself, which is slower than one step "
                              "on the tape, because %s",
                              name.c_str(), reason.c_str()));
  }
  const ir::Location* place() const { return place_; }
  Ref<program::Runner> runner() override;

 private:
  static void take(const ir::Node& node, size_t i, PyObject* object, std::vector<Arg>& results) {
    const ir::GraphValue& expected = *node.results[i + 1];
    Scalar number;
    if (expected.kind == ir::GraphValue::Kind::kNumber && number_from(object, number)) {
      results.emplace_back(number);
      return;
    }
    if (expected.kind == ir::GraphValue::Kind::kTensor && is_tensor(object) &&
        tensor_of(object)->dtype == expected.dtype && may_agree(tensor_of(object)->shape, expected.shape)) {
      results.emplace_back(Value(tensor_of(object)));
      return;
    }
    type_error(node.host, ": the host function gave ", describe(object), "; the graph needs ",
               ir::type_text(expected));
  }

  PyObject* program_;
  const std::vector<Object>& payloads_;
  const ir::Location* place_ = nullptr;
};

/// Adds the line of the user's program to the exception that is set.
void note_place(const ir::Location& place) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value) {
    const Object note =
        Object::take(PyUnicode_FromFormat("  File \"%s\", line %d", place.file.c_str(), place.line));
    if (note) Object::take(PyObject_CallMethod(value, "add_note", "O", note.get()));
    PyErr_Clear();  // an exception without notes is raised all the same
  }
  PyErr_Restore(type, value, traceback);
}

/// Sets the Python error for the exception in flight; an error of an operator speaks of it as the program
/// does.
void set_error_as_called(const ir::Location* place) {
  try {
    try {
      throw;
    } catch (const Error& error) {
      if (!place || place->called.empty()) throw;
      raise_as_called(place->called, error);
    }
  } catch (...) {
    set_error();
  }
}

/// Raises the exception in flight as Python's, with the place that the host was told.
[[noreturn]] void raise_at(const ir::Location* place) {
  set_error_as_called(place);
  if (place && place->line > 0) note_place(*place);
  throw PythonError{};
}

CompiledGraph& graph_in(PyObject* program) { return *nb::inst_ptr<CompiledGraph>(nb::handle(program)); }

/// Runs gradients of a program: with its payloads, and with errors that name the place.
class PythonRunner final : public program::Runner {
 public:
  explicit PythonRunner(PyObject* program) : program_(Object::share(program)) {}

  void run(const program::Program& program, std::vector<Arg> inputs, std::vector<Arg>& outputs,
           int transforms) override {
    const Object kept = Object::share(program_.get());
    PythonHost host(kept.get(), graph_in(kept.get()).payloads);
    try {
      program.run_consuming(std::move(inputs), outputs, host, transforms);
    } catch (...) {
      raise_at(host.place());
    }
  }
  bool holds_functions() const override { return !graph_in(program_.get()).payloads.empty(); }

 private:
  Object program_;
};

Ref<program::Runner> PythonHost::runner() { return Ref<program::Runner>(new PythonRunner(program_)); }

Arg input_from(PyObject* object, size_t index) {
  Scalar number;
  if (is_tensor(object)) return Value(tensor_of(object));
  if (number_from(object, number)) return number;
  type_error("Program: input ", index, " is ", describe(object), "; it must be a Tensor or a number");
}

nb::list run_on_list(nb::handle self, nb::list inputs) {
  std::vector<Arg> given;
  for (size_t i = 0; i < inputs.size(); ++i) given.push_back(input_from(inputs[i].ptr(), i));
  const size_t expected = given_count(self.ptr());
  if (given.size() != expected) {
    type_error("Program: ", given.size(), " inputs were given; it takes ", expected);
  }
  std::vector<Arg> results;
  run_program(self.ptr(), given, results);
  nb::list out;
  for (const Arg& result : results) out.append(nb::steal(check(arg_object(result)).release()));
  return out;
}

nb::dict report_of(nb::handle self) {
  const CompiledGraph& graph = graph_in(self.ptr());
  const program::Figures& figures = graph.program->figures();
  nb::dict milliseconds;
  nb::list stages;
  for (const auto& stage : graph.report.stages) {
    milliseconds[stage.name.c_str()] = stage.milliseconds;
    stages.append(nb::make_tuple(stage.name, stage.milliseconds, stage.nodes));
  }
  nb::dict report;
  report["nodes_before"] = graph.report.nodes_before;
  report["nodes_after"] = graph.report.nodes_after;
  report["milliseconds"] = milliseconds;
  report["stages"] = stages;
  report["planned_bytes"] = figures.planned_bytes;
  report["least_bytes"] = figures.least_bytes;
  report["unplanned_bytes"] = figures.unplanned_bytes;
  report["steps"] = figures.steps;
  nb::list without_code;
  for (const std::string& name : figures.without_code) without_code.append(name);
  report["without_code"] = without_code;
  report["code_generator"] = codegen::available();
  return report;
}

nb::list derived_of(nb::handle self) {
  nb::list all;
  for (const program::DerivedFigures& figures : graph_in(self.ptr()).program->derived_figures()) {
    nb::list wanted;
    for (const bool flag : figures.wanted) wanted.append(flag);
    nb::dict made;
    made["wanted"] = wanted;
    made["refusal"] = figures.refusal;
    made["forward_nodes"] = figures.forward_nodes;
    made["backward_nodes"] = figures.backward_nodes;
    made["residuals"] = figures.residuals;
    made["residual_bytes"] = figures.residual_bytes;
    all.append(made);
  }
  return all;
}

/// The lines of a file that nodes of the graph come from.
std::set<int> source_lines_of(const CompiledGraph& graph, const std::string& file) {
  std::set<int> lines;
  for (const auto& function : graph.program->module().functions) {
    for (const auto& node : function->nodes) {
      if (node->location.file == file) lines.insert(node->location.line);
    }
  }
  return lines;
}

/// A dict for each kernel that was generated: its name, the fused function, loops, LLVM's IR and assembly.
nb::list generated_code_of(nb::handle self) {
  nb::list all;
  for (const program::GeneratedCode& code : graph_in(self.ptr()).program->generated_code()) {
    nb::dict made;
    made["name"] = code.name;
    made["function"] = code.function;
    made["loops"] = code.listing.loops;
    made["llvm"] = code.listing.llvm;
    made["assembly"] = code.listing.assembly;
    all.append(made);
  }
  return all;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const CompiledGraph& graph = graph_in(self);
  for (const Object& payload : graph.payloads) Py_VISIT(payload.get());
  for (const BoundInput& bound : graph.bound) Py_VISIT(bound.tensor.get());
  return 0;
}

int clear(PyObject* self) {
  graph_in(self).payloads.clear();
  graph_in(self).bound.clear();
  return 0;
}

}  // namespace

PyObject* compile_graph(std::shared_ptr<ir::Module> module, std::vector<Object> payloads,
                        std::vector<BoundInput> bound, const CompileRequest& request) {
  compile::Options options;
  options.verify = request.verify;
  options.optimise = request.optimise;
  if (PyObject* dump = request.dump; dump && dump != Py_None) {
    options.dump = [dump](int number, const std::string& stage, const std::string& text) {
      check(PyObject_CallFunction(dump, "iss", number, stage.c_str(), text.c_str()));
    };
  }
  CompiledGraph graph;
  graph.program = compile::compile(std::move(module), options, &graph.report);
  graph.payloads = std::move(payloads);
  graph.bound = std::move(bound);
  return nb::cast(std::move(graph)).release().ptr();
}

bool is_program(PyObject* object) { return nb::isinstance<CompiledGraph>(nb::handle(object)); }

size_t given_count(PyObject* program) {
  const CompiledGraph& graph = graph_in(program);
  return graph.program->input_count() - graph.bound.size();
}

size_t result_count(PyObject* program) { return graph_in(program).program->output_count(); }

void run_program(PyObject* program, std::span<const Arg> given, std::vector<Arg>& results) {
  const CompiledGraph& graph = graph_in(program);
  std::vector<Arg> inputs;
  inputs.reserve(given.size() + graph.bound.size());
  auto bound = graph.bound.begin();
  for (auto next = given.begin(); next != given.end() || bound != graph.bound.end();) {
    if (bound != graph.bound.end() && bound->input == inputs.size()) {
      inputs.emplace_back(Value(tensor_of((bound++)->tensor.get())));
    } else {
      DYAD_ASSERT(next != given.end());
      inputs.push_back(*next++);
    }
  }
  PythonHost host(program, graph.payloads);
  try {
    graph.program->run(inputs, results, host);
  } catch (const program::NotRecordable&) {
    throw;
  } catch (...) {
    raise_at(host.place());
  }
}

void add_program(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                {0, nullptr}};
  nb::class_<CompiledGraph>(module, "Program", nb::type_slots(slots), nb::is_weak_referenceable())
      .def("run", run_on_list, nb::arg("inputs"))
      .def_prop_ro("report", report_of)
      .def("generated_code", generated_code_of)
      .def_prop_ro("derived", derived_of,
                   "What recorded runs have derived: one dict for each choice of inputs to differentiate.")
      .def("text", [](const CompiledGraph& graph) { return ir::print(graph.program->module()); })
      .def("source_lines", source_lines_of, nb::arg("file"),
           "Numbers of the lines in a file that nodes come from.");
}

}  // namespace dyad::python
