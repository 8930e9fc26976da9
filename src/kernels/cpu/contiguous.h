#pragma once

#include <memory>

#include "runtime/allocator.h"
#include "types/value.h"

namespace dyad::kernels {

/// The elements of a value one after another in row-major order, in a given dtype: its own memory where that
/// is how they lie, else a copy that lives as long as this object.
class Contiguous {
 public:
  explicit Contiguous(const ValueImpl& value) : Contiguous(value, value.dtype) {}
  Contiguous(const ValueImpl& value, DType dtype);
  template <class T = char>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  std::unique_ptr<Workspace> copied_;
  const char* data_;
};

/// Copies elements of one dtype between two strided places of the same shape.
void copy_elements(DType dtype, const Shape& shape, const void* from, const Strides& from_strides, void* to,
                   const Strides& to_strides);

}  // namespace dyad::kernels
