#pragma once

#include <memory>
#include <string>

#include "kernels/cpu/window.h"
#include "runtime/cuda/memory.h"
#include "types/scalar.h"
#include "types/value.h"

namespace dyad::kernels {

/// Names of kernels that differ in the dtype: the prefix and the dtype's name in device code.
std::string_view device_dtype_name(DType dtype);

/// Copies `from`, broadcast to the shape of `to`, into `to` on the same device, converting the dtype; strides
/// on both sides are free.
void copy_on_device(const ValueImpl& from, ValueImpl& to);

/// The elements of a value on a device one after another in row-major order, in a given dtype: its own memory
/// where that is how they lie, else a copy that lives as long as this object.
class DeviceContiguous {
 public:
  explicit DeviceContiguous(const ValueImpl& value) : DeviceContiguous(value, value.dtype) {}
  DeviceContiguous(const ValueImpl& value, DType dtype);
  template <class T = char>
  const T* as() const {
    return static_cast<const T*>(data_);
  }

 private:
  std::unique_ptr<cuda::DeviceWorkspace> copied_;
  const void* data_;
};

/// Writes one number to every element of a contiguous value on a device.
void fill_on_device(ValueImpl& out, Scalar number);

}  // namespace dyad::kernels
