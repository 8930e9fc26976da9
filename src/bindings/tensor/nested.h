#pragma once

#include <optional>

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// A Python or NumPy number on its way into a tensor. Integers from 2^63 to 2^64 - 1 are kept, as uint64.
struct Number {
  Scalar value;
  bool beyond_int64 = false;  ///< `value` holds the bits of an unsigned integer

  /// dtype of a tensor made from the number alone.
  DType dtype() const { return beyond_int64 ? DType::kUInt64 : default_dtype(value); }
  void store(DType dtype, void* element) const;
};
/// False (and no Python error) for anything but a number. An integer beyond 64 bits is an OverflowError.
bool read_number(PyObject* object, Number& out);

/// A number of a graph as a tensor of the graph.
Tensor tensor_of_number(PyObject* number, std::optional<DType> dtype);

/// The tensor of nested lists and tuples whose leaves are numbers, NumPy arrays or Tensors of one shape.
/// Lists of unequal length and other leaves are a TypeError.
Tensor tensor_from_nested(PyObject* data, std::optional<DType> dtype);
/// The same as an operand. Where there are Tensors, or numbers of a graph, among the leaves it is their
/// stack: gradients reach them, and what a graph computes stays in it.
Value operand_from_nested(PyObject* data, std::optional<DType> dtype = std::nullopt);

}  // namespace dyad::python
