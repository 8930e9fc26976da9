#include "dyad/tensor.h"

#include <cstring>

#include "api/held.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"
#include "tensor/tensor.h"

namespace dyad::api {

namespace {
DYAD_USE(contiguous);
}  // namespace

Tensor wrap(Value value) {
  if (!value) return {};
  return Tensor(std::make_shared<const Tensor::Held>(Tensor::Held{std::move(value)}));
}

const Value& unwrap(std::string_view op, const Tensor& tensor) {
  if (!tensor) value_error(op, ": the tensor is an empty handle; need one with elements");
  return tensor.held()->value;
}

DType dtype_named(std::string_view op, std::string_view name) {
  std::string known;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype_name(dtype) == name) return dtype;
    known += cat(i == 0 ? "" : ", ", dtype_name(dtype));
  }
  value_error(op, ": no dtype is named '", name, "'; there are ", known);
}

std::string_view Tensor::dtype() const { return dtype_name(unwrap("dtype", *this)->dtype); }

std::vector<int64_t> Tensor::shape() const {
  const Shape& shape = unwrap("shape", *this)->shape;
  return {sizes(shape), sizes(shape) + shape.size()};
}

int64_t Tensor::size() const { return unwrap("size", *this)->size(); }

Tensor Tensor::copy_in(const void* values, size_t count, std::string_view dtype,
                       std::span<const int64_t> shape) {
  eager::initialise();
  const Shape dims(shape.begin(), shape.end());
  dyad::Tensor tensor = empty(dtype_named("Tensor::from", dtype), dims);
  if (tensor->size() != static_cast<int64_t>(count)) {
    value_error("Tensor::from: ", count, " values do not fill the shape ", dims, "; need ", tensor->size());
  }
  std::memcpy(tensor->data, values, count * static_cast<size_t>(itemsize(tensor->dtype)));
  return wrap(tensor);
}

void Tensor::copy_out(void* values, std::string_view dtype) const {
  const Value& value = unwrap("Tensor::values", *this);
  if (dtype_name(value->dtype) != dtype) {
    type_error("Tensor::values: elements are ", value->dtype, ", asked for ", dtype,
               "; cast the tensor first");
  }
  const Value dense = value->contiguous() ? value : contiguous(value);
  std::memcpy(values, dense->data, static_cast<size_t>(dense->size() * itemsize(dense->dtype)));
}

}  // namespace dyad::api
