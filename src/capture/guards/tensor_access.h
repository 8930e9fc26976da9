#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace dyad::guards {

/// What is known of a Python tensor without touching its data.
struct TensorForm {
  DType dtype{};
  const Shape* shape = nullptr;
  const TensorImpl* tensor = nullptr;  ///< null while an initialiser has yet to fill it
};

/// How tensors are found in Python objects. The room above owns the Python type and says so once, at start.
struct TensorAccess {
  /// False for an object that is no tensor. Fills nothing and runs no Python.
  bool (*form)(PyObject* object, TensorForm& out);
  bool (*is_dtype)(PyObject* object);
};

const TensorAccess& tensor_access();
void set_tensor_access(const TensorAccess& access);

/// Whether the memory of two tensors has bytes in common, or may have: views that interleave count.
bool memory_overlaps(const TensorImpl& a, const TensorImpl& b);

}  // namespace dyad::guards
