#include "bindings/tensor/bool_bytes.h"

#include <algorithm>

namespace dyad::python {

namespace {

/// Calls `visit` with the address of each byte from dimension `d` on, in row-major order.
template <class Visit>
void for_each_byte(const TensorImpl& tensor, size_t d, uint8_t* at, const Visit& visit) {
  if (d == tensor.shape.size()) return visit(at);
  for (int64_t i = 0; i < tensor.shape[d].value(); ++i)
    for_each_byte(tensor, d + 1, at + i * tensor.strides[d], visit);
}

template <class Visit>
void for_each_byte(const TensorImpl& tensor, const Visit& visit) {
  auto* first = static_cast<uint8_t*>(tensor.data);
  if (!tensor.contiguous()) return for_each_byte(tensor, 0, first, visit);
  std::for_each(first, first + tensor.size(), [&](uint8_t& byte) { visit(&byte); });
}

}  // namespace

Tensor with_plain_bools(Tensor tensor) {
  if (!is_bool(tensor->dtype)) return tensor;
  uint8_t most = 0;
  for_each_byte(*tensor, [&](const uint8_t* byte) { most = std::max(most, *byte); });
  if (most <= 1) return tensor;
  if (tensor->storage->writable()) {
    for_each_byte(*tensor, [](uint8_t* byte) { *byte = *byte != 0; });
    return tensor;
  }
  Tensor plain = empty(DType::kBool, tensor->shape);
  auto* next = static_cast<uint8_t*>(plain->data);
  for_each_byte(*tensor, [&](const uint8_t* byte) { *next++ = *byte != 0; });
  return plain;
}

}  // namespace dyad::python
