#pragma once

#include <optional>

#include "runtime/allocator.h"
#include "types/value.h"

namespace dyad::kernels {

/// Contiguous memory of a kernel that is described like a tensor; goes back to the cache when it leaves
/// scope.
class Scratch final : public ValueImpl {
 public:
  Scratch(DType of, const Shape& sized);
  Builder& builder() const override;

 private:
  Workspace memory_;
};

/// A strided window on memory that it does not own, described like a tensor.
class Borrowed final : public ValueImpl {
 public:
  Borrowed(void* at, DType of, const Shape& sized, const Strides& stepped);
  Builder& builder() const override;
};

/// An operand as a kernel wants it: the tensor itself where it fits, otherwise a converted or contiguous
/// copy.
class Prepared {
 public:
  enum Layout { kAnyStrides, kContiguous };
  Prepared(const ValueImpl& given, DType wanted, Layout layout = kContiguous);
  const ValueImpl& operator*() const { return *value_; }
  const ValueImpl* operator->() const { return value_; }

 private:
  std::optional<Scratch> copy_;
  const ValueImpl* value_;
};

}  // namespace dyad::kernels
