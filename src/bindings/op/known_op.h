#pragma once

#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::python {

/// An operator that the bindings call by name; found once. Calls are made with the interpreter's lock held,
/// which guards the first one.
class KnownOp {
 public:
  explicit constexpr KnownOp(const char* name) : name_(name) {}
  const Op& get() {
    if (!op_) op_ = &OpTable::instance().get(name_);
    return *op_;
  }
  /// Runs it on arguments in the order of its signature; those left out take their defaults.
  template <class... Args>
  Tensor operator()(const Args&... args) {
    const Arg given[] = {Arg(args)...};
    const bool complete = get().signature.params.size() == sizeof...(Args);
    Value result = complete ? eager::call_one(get(), given) : apply_one(eager::builder(), get(), given);
    return Tensor::adopt(static_cast<TensorImpl*>(result.detach()));
  }

 private:
  const char* name_;
  const Op* op_ = nullptr;
};

/// The tensor with another dtype; the same data if it has that dtype already.
Tensor converted(const Tensor& tensor, DType dtype);
/// The tensor on the device that new tensors are made on.
Tensor on_chosen_device(Tensor tensor);
/// The data in contiguous memory of its own.
Tensor duplicated(const Tensor& tensor);

}  // namespace dyad::python
