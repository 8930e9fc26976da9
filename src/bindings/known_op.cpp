#include "bindings/known_op.h"

namespace dyad::python {

namespace {
KnownOp cast_op{"cast"}, copy_op{"copy"};
}

Tensor converted(const Tensor& tensor, DType dtype) {
  return tensor->dtype == dtype ? tensor : cast_op(Value(tensor), dtype);
}

Tensor duplicated(const Tensor& tensor) { return copy_op(Value(tensor)); }

}  // namespace dyad::python
