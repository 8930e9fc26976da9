#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "bindings/python.h"
#include "capture/tracing/graph_tracer.h"

namespace dyad::python {

/// A number of a captured program that is known when the graph runs, as a Python object. Python's operators
/// on it give another one; what needs its value now is a CaptureError.
struct GraphNumber {
  Ref<tracing::GraphTracer> tracer;
  tracing::Number number;
};

bool is_graph_number(PyObject* object);
const GraphNumber& graph_number_of(PyObject* object);
/// The Python form of what a graph holds: Tensor, GraphNumber or plain number.
PyObject* item_object(const Ref<tracing::GraphTracer>& tracer, const tracing::Item& item);
/// Reads a Tensor, a GraphNumber or a number; false for anything else.
bool item_from(PyObject* object, tracing::Item& out);
/// A size as Python sees it: an int, or a GraphNumber of the graph that this thread captures.
PyObject* size_object(Dim size);
/// Reads a GraphNumber, or a symbolic tensor of one integer, as a size; false for anything else.
bool symbolic_dim_from(PyObject* object, Dim& out);

/// A stand-in for a number among the arguments of an operator, until `settle_numbers` knows its dtype.
Value number_operand(const GraphNumber& number);
/// Gives numbers among the arguments the dtype in which they meet the tensors: as any Python number, they do
/// not decide it.
void settle_numbers(const Op& op, std::span<Arg> args);
inline void apply_graph_numbers(const Op& op, std::span<Arg> args) {
  if (Storage::captures.load(std::memory_order_relaxed) != 0) [[unlikely]]
    settle_numbers(op, args);
}

}  // namespace dyad::python
