#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "bindings/python.h"
#include "ops/op.h"

namespace dyad::python {

/// How many threads compute in another precision than that of their tensors. Zero is the rule, so that a call
/// from Python pays one read of this number.
extern std::atomic<int> threads_in_other_precision;

/// Casts the float tensors among the arguments to the dtype that this thread computes in, if it has one. What
/// an operator writes to is left alone.
void cast_to_compute_dtype(const Op& op, std::span<Arg> args);

inline void apply_compute_dtype(const Op& op, std::span<Arg> args) {
  if (threads_in_other_precision.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    cast_to_compute_dtype(op, args);
  }
}

/// The dtype that this thread computes in; none if that of the tensors.
std::optional<DType> compute_dtype_of_thread();

/// `set_compute_dtype(dtype or None)`: what operators called on this thread compute in; returns the former
/// one.
PyObject* set_compute_dtype(PyObject* module, PyObject* dtype);

}  // namespace dyad::python
