#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <vector>

#include "bindings/python.h"
#include "compile/compile.h"

namespace dyad::python {

/// A tensor that a graph holds by reference: the object is the input of that number at every run.
struct BoundInput {
  uint32_t input;
  Object tensor;
};

/// How Python asks for a graph to be compiled (compile::Options).
struct CompileRequest {
  bool verify = false;
  bool optimise = true;
  PyObject* dump = nullptr;  ///< a callable that is given number, name and text of each stage; or None
};

/// Compiles a graph into a `_core.Program`. `payloads` are the callables of host nodes, by
/// `ir::Node::payload`.
PyObject* compile_graph(std::shared_ptr<ir::Module> module, std::vector<Object> payloads,
                        std::vector<BoundInput> bound, const CompileRequest& request);

bool is_program(PyObject* object);
/// Number of inputs that a run is given: all but the bound ones and tokens.
size_t given_count(PyObject* program);
/// Number of results.
size_t result_count(PyObject* program);
/// Runs it: `given` are the inputs that are not bound, in order. An exception gets a note with the file and
/// line of the step that raised it. Passes NotRecordable on.
void run_program(PyObject* program, std::span<const Arg> given, std::vector<Arg>& results);

}  // namespace dyad::python
