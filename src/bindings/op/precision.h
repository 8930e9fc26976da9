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

inline bool some_thread_in_other_precision() {
  return threads_in_other_precision.load(std::memory_order_relaxed) != 0;
}

/// Casts the float tensors among the arguments as the precision of this thread wants it: all to one dtype, or
/// by a rule of autocast what the operator is to compute in. What an operator writes to is left alone.
void cast_operands(const Op& op, std::span<Arg> args);
/// A result in the dtype that the precision of this thread wants.
Value cast_result(const Op& op, Value result);

inline void apply_precision(const Op& op, std::span<Arg> args) {
  if (some_thread_in_other_precision()) [[unlikely]]
    cast_operands(op, args);
}

inline Value in_result_precision(const Op& op, Value result) {
  if (some_thread_in_other_precision()) [[unlikely]]
    return cast_result(op, std::move(result));
  return result;
}

/// The dtype that this thread computes in; none if that of the tensors.
std::optional<DType> compute_dtype_of_thread();
/// The number of the rule of autocast that this thread follows where it has no such dtype; 0 for none.
int64_t autocast_of_thread();

/// `set_compute_dtype(dtype or None)`: what operators called on this thread compute in; returns the former
/// one.
PyObject* set_compute_dtype(PyObject* module, PyObject* dtype);
/// `autocast_rule(dtype, operators or None)`: the number of a rule. Without operators each does what its
/// entry in the table says; with them, those compute in the dtype and give float32, and all others are left
/// alone.
PyObject* autocast_rule(PyObject* module, PyObject* args);
/// `set_autocast(number)`: the rule for this thread, 0 for none; returns the former one.
PyObject* set_autocast(PyObject* module, PyObject* number);

}  // namespace dyad::python
