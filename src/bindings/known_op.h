#pragma once

#include "eager/dispatch.h"

namespace dyad::python {

/// An operator that the bindings call by name; found once. Calls are made with the interpreter's lock held, which
/// guards the first one.
class KnownOp {
 public:
  explicit constexpr KnownOp(const char* name) : name_(name) {}
  const Op& get() {
    if (!op_) op_ = &OpTable::instance().get(name_);
    return *op_;
  }
  /// Runs it on all of its arguments, in the order of its signature.
  template <class... Args>
  Tensor operator()(const Args&... args) {
    const Arg given[] = {Arg(args)...};
    return Tensor::adopt(static_cast<TensorImpl*>(eager::call_one(get(), given).detach()));
  }

 private:
  const char* name_;
  const Op* op_ = nullptr;
};

/// The tensor with another dtype; the same data if it has that dtype already.
Tensor converted(const Tensor& tensor, DType dtype);
/// The data in contiguous memory of its own.
Tensor duplicated(const Tensor& tensor);

}  // namespace dyad::python
