#include "bindings/precision.h"

#include <algorithm>

#include "base/error.h"
#include "bindings/convert.h"
#include "bindings/dtype_object.h"
#include "bindings/errors.h"
#include "bindings/known_op.h"

namespace dyad::python {

std::atomic<int> threads_in_other_precision{0};

namespace {

thread_local std::optional<DType> compute_dtype_here;

/// State is updated in place: a cast copy would take the update and be lost.
bool is_state(const Op& op, size_t argument) {
  return op.signature.params[argument].name.starts_with("running_") ||
         std::ranges::find(op.updates, static_cast<int>(argument)) != op.updates.end();
}

void cast_value(Value& value) {
  if (!is_float(value->dtype) || value->dtype == *compute_dtype_here) return;
  value = converted(Tensor(&as_tensor(value)), *compute_dtype_here);
}

}  // namespace

void cast_to_compute_dtype(const Op& op, std::span<Arg> args) {
  if (!compute_dtype_here || op.writes >= 0) return;
  for (size_t i = 0; i < args.size(); ++i) {
    Arg& arg = args[i];
    if (is_state(op, i)) continue;
    if (auto* held = arg.get<Value>()) {
      Value value = *held;
      cast_value(value);
      arg = Arg(std::move(value));
    } else if (auto* list = arg.get<ValueList>()) {
      ValueList values = *list;
      for (Value& value : values) {
        if (value) cast_value(value);
      }
      arg = Arg(std::move(values));
    }
  }
}

std::optional<DType> compute_dtype_of_thread() { return compute_dtype_here; }

PyObject* set_compute_dtype(PyObject*, PyObject* dtype) {
  return guarded([&] {
    if (dtype != Py_None && !(is_dtype(dtype) && is_float(dtype_of(dtype)))) {
      type_error("set_compute_dtype: dtype is ", describe(dtype), "; it must be a float dtype or None");
    }
    Object former = Object::take(compute_dtype_here ? dtype_object(*compute_dtype_here) : Py_NewRef(Py_None));
    const bool had = compute_dtype_here.has_value();
    compute_dtype_here = dtype == Py_None ? std::nullopt : std::optional(dtype_of(dtype));
    threads_in_other_precision += static_cast<int>(compute_dtype_here.has_value()) - static_cast<int>(had);
    return former.release();
  });
}

}  // namespace dyad::python
