#pragma once

#include <vector>

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// One part of `x[part, part, …]`.
struct KeyPart {
  enum class Kind {
    kPosition,  ///< an integer: takes one place of a dimension and drops it
    kSlice,     ///< start, stop, step of a Python slice
    kNewAxis,   ///< None: a new dimension of size 1
    kEllipsis,  ///< as many full dimensions as are left
    kTruth,     ///< a single bool: a new dimension of size 1 (True) or 0 (False), by NumPy's rules
    kIndices,   ///< a tensor of integers
    kMask,      ///< a tensor of bools over as many dimensions as it has
  };
  Kind kind = Kind::kPosition;
  int64_t position = 0;
  bool truth = false;
  Py_ssize_t start = 0, stop = 0, step = 1;  ///< as PySlice_Unpack gives them
  Tensor tensor;
  bool from_host = false;  ///< the tensor was made of a list or an array, and may lie wherever it is needed
  /// A position, or bounds of a slice, that are known only when a graph runs; empty where they are known now.
  Object open_position, open_start, open_stop;

  /// Whether the part picks elements one by one, so that the result is a copy.
  bool advanced() const { return kind >= Kind::kTruth; }
  /// Dimensions of the tensor that the part speaks of.
  size_t consumes() const;
};

using Key = std::vector<KeyPart>;

/// Reads a subscript. What NumPy would not take is an IndexError.
Key read_key(PyObject* key);

}  // namespace dyad::python
