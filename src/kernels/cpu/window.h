#pragma once

#include "base/error.h"
#include "types/value.h"

namespace dyad::kernels {

/// A part of a tensor's memory, or another way to look at it, for one kernel that hands it to a loop of
/// another. Lives on the stack and owns nothing.
class Window final : public ValueImpl {
 public:
  Window(const ValueImpl& base, Shape window_shape, Strides window_strides, int64_t offset = 0) {
    dtype = base.dtype;
    device = base.device;
    shape = std::move(window_shape);
    strides = std::move(window_strides);
    data = base.as<char>() + offset * itemsize(dtype);
  }
  Builder& builder() const override {
    raise_internal("no operator is applied to a window", __FILE__, __LINE__);
  }
};

}  // namespace dyad::kernels
