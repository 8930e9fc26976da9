#include "bindings/jit/module.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "bindings/jit/program.h"
#include "bindings/process/errors.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/number_operator.h"
#include "tensor/tensor.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

/// A graph that was read from text. What a graph refers to in Python, host functions and bound Tensors, has
/// no text: all parameters are inputs of its program, and host functions are refused.
struct ParsedGraph {
  std::shared_ptr<ir::Module> module;
};

Value constant_of(DType dtype, const Shape& shape, const std::vector<Scalar>& elements) {
  Tensor made = empty(dtype, shape);
  char* at = made->as<char>();
  for (const Scalar& element : elements) {
    store(element, dtype, at);
    at += itemsize(dtype);
  }
  return made;
}

ParsedGraph parse_graph(const std::string& text) {
  return {ir::parse(text, {find_graph_operator, constant_of})};
}

bool calls_the_host(const ir::Module& module) {
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      if (node->kind == ir::NodeKind::kHost) return true;
    }
  }
  return false;
}

nb::object compile(const ParsedGraph& self) {
  if (calls_the_host(*self.module)) {
    value_error(
        "compile: the text calls functions of Python, which it cannot hold; need a graph without them");
  }
  // The passes change the module that they compile: the text is read again so that this one stays as it was
  // read.
  const std::shared_ptr<ir::Module> read = parse_graph(ir::print(*self.module)).module;
  return nb::steal(compile_graph(read, {}, {}, {.verify = true}));
}

}  // namespace

void add_parsed_graph(nb::module_& module) {
  nb::class_<ParsedGraph>(module, "ParsedGraph", "A graph that was read from text.")
      .def("text", [](const ParsedGraph& self) { return ir::print(*self.module); })
      .def("verify", [](const ParsedGraph& self) { ir::verify(*self.module); })
      .def("compile", compile, "A Program that runs the graph; it is given every parameter.");
  module.def("parse_graph", parse_graph, nb::arg("text"), "Reads what `Graph.text` writes.");
}

}  // namespace dyad::python
