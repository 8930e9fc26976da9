#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace dyad::python {

/// The tensor, or a copy in host memory where it lies on a device. Other threads of Python run while the
/// device is waited for.
Tensor readable(const Tensor& tensor);

/// The only element; `reader` opens the message where there is not exactly one. Waits like `readable`.
Scalar read_item(const Tensor& tensor, std::string_view reader = "item");

}  // namespace dyad::python
