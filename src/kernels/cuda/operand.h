#pragma once

// Operands and results as kernels and NVIDIA's libraries want them.

#include <optional>

#include "runtime/cuda/memory.h"
#include "types/value.h"

namespace dyad::cuda {

/// Contiguous memory on a device, described like a tensor; goes back to the cache with the object.
class DeviceScratch final : public ValueImpl {
 public:
  DeviceScratch(Device on, DType of, const Shape& sized);
  Builder& builder() const override;

 private:
  DeviceWorkspace memory_;
};

/// A strided window on memory of a device that it does not own, described like a tensor.
class DeviceWindow final : public ValueImpl {
 public:
  DeviceWindow(Device on, void* at, DType of, const Shape& sized, const Strides& stepped);
  Builder& builder() const override;
};

/// An operand as a kernel wants it: the tensor itself where it fits, otherwise a converted or contiguous
/// copy.
class Operand {
 public:
  enum Layout { kAnyStrides, kContiguous };
  Operand(const Value& given, DType wanted, Layout layout = kContiguous);
  Operand(const ValueImpl& given, DType wanted) : Operand(Value(const_cast<ValueImpl*>(&given)), wanted) {}
  explicit Operand(const ValueImpl& given) : Operand(given, given.dtype) {}
  template <class T = void>
  const T* as() const {
    return static_cast<const T*>(value_->data);
  }
  const ValueImpl& operator*() const { return *value_; }
  const ValueImpl* operator->() const { return value_.get(); }

 private:
  Value value_;
};

/// A result that a kernel writes in row-major order; `store` brings it to where it belongs.
class Result {
 public:
  explicit Result(ValueImpl& value);
  template <class T = void>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void store();

 private:
  ValueImpl& value_;
  void* data_;
  std::optional<DeviceWorkspace> copy_;
};

/// A result in the dtype of the computation: the tensor's own memory, or memory that is converted to it.
class ComputedResult {
 public:
  ComputedResult(ValueImpl& out, DType computed);
  char* data() const { return scratch_ ? scratch_->as<char>() : out_.as<char>(); }
  /// The same in the form of a tensor.
  ValueImpl& value() const { return scratch_ ? *scratch_ : out_; }
  void store() const;

 private:
  ValueImpl& out_;
  Ref<DeviceScratch> scratch_;
};

/// Writes a value's elements, converted, into another one of its shape on the same device.
void convert_elements(const Value& from, ValueImpl& to);

/// Copies elements of one dtype between two strided places of one shape on a device; strides are in elements.
void move_elements(int device, DType dtype, const Shape& shape, const void* from, const Strides& from_strides,
                   void* to, const Strides& to_strides);

/// Changes the sign of the imaginary parts of `count` numbers; real numbers stay as they are.
void conjugate_elements(int device, DType dtype, void* at, int64_t count);

/// Sets memory of a device to zeros.
void fill_zeros(int device, void* to, int64_t bytes);

}  // namespace dyad::cuda
