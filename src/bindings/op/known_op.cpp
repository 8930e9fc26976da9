#include "bindings/op/known_op.h"

#include "runtime/context.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {
KnownOp cast_op{"cast"}, copy_op{"copy"};
}

Tensor converted(const Tensor& tensor, DType dtype) {
  return tensor->dtype == dtype ? tensor : cast_op(Value(tensor), dtype);
}

Tensor on_chosen_device(Tensor tensor) {
  const Context& context = Context::process();
  if (!context.uses_devices() || tensor->device == context.device() || tensor->symbolic) return tensor;
  return on_device(*tensor, context.device());
}

Tensor duplicated(const Tensor& tensor) { return copy_op(Value(tensor)); }

}  // namespace dyad::python
