#pragma once

#include <Python.h>

#include <span>

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

/// The bytes from the lowest to past the highest element of a tensor; empty for one without elements or data.
struct Extent {
  const char* begin = nullptr;
  const char* end = nullptr;

  explicit Extent(const TensorImpl& tensor);
  bool empty() const { return begin == end; }
};
/// Whether any two of the extents have bytes in common. Orders them.
bool overlap(std::span<Extent> extents);

}  // namespace dyad::guards
