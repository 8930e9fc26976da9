#pragma once

#include "dyad/tensor.h"
#include "types/value.h"

namespace dyad::api {

/// The value behind a public handle.
struct Tensor::Held {
  Value value;
};

/// The public handle of a value; an empty value gives an empty handle.
Tensor wrap(Value value);
/// The value of a handle; an empty handle is an error that names `op`.
const Value& unwrap(std::string_view op, const Tensor& tensor);

/// The dtype of that name; an unknown name is an error that names `op` and lists the dtypes.
DType dtype_named(std::string_view op, std::string_view name);

}  // namespace dyad::api
