#pragma once

#include "tensor/tensor.h"

namespace dyad::data {

/// The same elements in another dtype; the tensor itself where it has that dtype already. Floats become
/// integers by truncation, narrow integers wrap, anything becomes bool by comparison with zero, and complex
/// numbers lose their imaginary part. A float that no integer stands for becomes the least int32 or int64,
/// wrapped.
Tensor cast_to(const Tensor& tensor, DType dtype);

}  // namespace dyad::data
