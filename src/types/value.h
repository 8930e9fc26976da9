#pragma once

#include "base/intrusive.h"
#include "types/device.h"
#include "types/dtype.h"
#include "types/shape.h"

namespace dyad {

class Builder;

/// What an operator takes and gives: something with a dtype and a shape. An eager tensor is one whose data
/// exists; a node of a graph is one whose data will exist when the graph runs. Operator rules are written
/// against this type and cannot tell the difference.
class ValueImpl : public RefCounted {
 public:
  DType dtype = DType::kFloat32;
  Device device;
  Shape shape;
  /// Where the first element lies, and the strides in elements; null and empty for a node of a graph.
  void* data = nullptr;
  Strides strides;
  /// A tensor of a program that is being captured: it has a storage and strides, and data only when the graph
  /// runs.
  bool symbolic = false;

  /// The builder that carries out (or records) operators on this value.
  virtual Builder& builder() const = 0;

  /// Whether it is a tensor, with data or symbolic, and not a description or a node of a graph.
  bool is_tensor() const { return data || symbolic; }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const { return numel(shape); }
  bool contiguous() const { return is_contiguous(shape, strides); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// Shared handle to a value.
using Value = Ref<ValueImpl>;

}  // namespace dyad
