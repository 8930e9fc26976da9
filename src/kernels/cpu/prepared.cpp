#include "kernels/cpu/prepared.h"

#include "base/error.h"
#include "kernels/cpu/convert.h"

namespace dyad::kernels {

Scratch::Scratch(DType of, const Shape& sized) : memory_(static_cast<size_t>(numel(sized) * itemsize(of))) {
  dtype = of;
  shape = sized;
  strides = contiguous_strides(sized);
  data = memory_.as<void>();
}

Builder& Scratch::builder() const { raise_internal("scratch memory takes no operators", __FILE__, __LINE__); }

Borrowed::Borrowed(void* at, DType of, const Shape& sized, const Strides& stepped) {
  dtype = of;
  shape = sized;
  strides = stepped;
  data = at;
}

Builder& Borrowed::builder() const {
  raise_internal("borrowed memory takes no operators", __FILE__, __LINE__);
}

Prepared::Prepared(const ValueImpl& given, DType wanted, Layout layout) : value_(&given) {
  if (given.dtype == wanted && (layout == kAnyStrides || given.contiguous())) return;
  copy_.emplace(wanted, given.shape);
  copy(given, *copy_);
  value_ = &*copy_;
}

}  // namespace dyad::kernels
