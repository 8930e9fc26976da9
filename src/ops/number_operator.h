#pragma once

#include <span>
#include <string_view>

#include "ir/operator.h"
#include "types/scalar.h"

namespace dyad {

/// An operator on Python numbers that are known when the graph runs: `number_add`, `number_floordiv`,
/// `number_lt`. It does what Python does, on ints of 64 bits and floats of 64 bits; a result that needs more
/// bits is an OverflowError. An operand is a number of the graph or a known one.
///
///     number_add sub mul truediv floordiv mod pow lshift rshift and or xor lt le gt ge eq ne min max
///                                                                                (input, other)
///     number_neg pos invert abs not bool int float                               (input)
///     number_round                                                               (input, digits)
class NumberOperator final : public Operator {
 public:
  using Evaluate = Scalar (*)(std::span<const Scalar> operands);
  using InferKind = Scalar::Kind (*)(std::span<const Arg> args, std::span<const Scalar::Kind> kinds);

  /// What operands of the right kinds make it raise: none; those whose result needs more than 64 bits; a
  /// second one that is zero, or that is negative; a first one that is not finite.
  enum class Failing : uint8_t { kNever, kOverflow, kZero, kNegative, kNotFinite };

  NumberOperator(std::string_view name, size_t operands, InferKind infer, Evaluate evaluate, Failing failing);

  size_t parameter_count() const override { return operands_; }
  std::string_view parameter_name(size_t i) const override;
  /// The kind of the result as a dtype: bool, int64 or float64. Operands that Python refuses are a TypeError
  /// in Python's words.
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override;
  bool gives_number() const override { return true; }

  /// The result; `digits` of `number_round` may be left out. Raises what Python raises.
  Scalar evaluate(std::span<const Scalar> operands) const { return evaluate_(operands); }
  /// Whether some operands of the right kinds make it raise; such a node is never dropped.
  bool may_raise() const { return failing_ != Failing::kNever; }
  /// Whether Python would raise for some values of these operands, as far as they are known.
  bool may_raise_in_python(std::span<const Arg> operands) const;

 private:
  size_t operands_;
  InferKind infer_;
  Evaluate evaluate_;
  Failing failing_;
};

/// Operators between tensors, numbers and sizes, the write through a window, and what a loop puts aside for
/// its gradient. They have no kernel: the program carries them out itself.
class Intrinsic final : public Operator {
 public:
  enum class Task : uint8_t {
    /// `number_of(input: tensor)`: its only element as a number; more than one is a ValueError.
    kNumberOf,
    /// `tensor_of(input: number, dtype)`: a tensor without dimensions.
    kTensorOf,
    /// `dim(size: [d])`: a size as an int.
    kDim,
    /// `define_symbol(value: number, name: text)`: from here on the symbol of that name has this value. No
    /// result.
    kDefineSymbol,
    /// `write_view(base, value, window)`: `base` with the part that `window`, a view of it, shows replaced by
    /// `value`. Consumes `base`; `window` may have been consumed, for only its place matters. Nothing is done
    /// where `value` was written in that place.
    kWriteView,
    /// `new_residual_stack(dtype, shape)`: nothing is put aside yet.
    kNewStack,
    /// `push(residual stack, value)`: the residual stack with the value on top.
    kPush,
    /// `pop(residual stack)`: the residual stack without what is on top, and that, a tensor;
    /// `pop_residual_stack`: a residual stack. Out
    /// of an empty residual stack come zeros.
    kPop,
    kPopStack,
  };

  Intrinsic(std::string_view name, Task task, std::vector<std::string_view> params);

  size_t parameter_count() const override { return params_.size(); }
  std::string_view parameter_name(size_t i) const override { return params_[i]; }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override;
  bool gives_number() const override { return task == Task::kNumberOf || task == Task::kDim; }
  bool gives_residual_stack(size_t result) const override {
    return task == Task::kNewStack || task == Task::kPush || task == Task::kPopStack ||
           (task == Task::kPop && result == 0);
  }
  bool consumes(size_t argument) const override { return task == Task::kWriteView && argument == 0; }
  bool reads(size_t argument) const override { return task != Task::kWriteView || argument == 1; }

  const Task task;

 private:
  std::vector<std::string_view> params_;
};

/// The operator of that name that a graph knows besides the table's, or null.
const NumberOperator* find_number_operator(std::string_view name);
const Intrinsic* find_intrinsic(std::string_view name);
/// Any operator that may stand in a graph: of the table, on numbers, or between the two; null if there is
/// none. What the parser looks names up with.
const Operator* find_graph_operator(std::string_view name);

/// The dtype that a number of this kind has in a graph (bool, int64, float64), and back.
DType number_dtype(Scalar::Kind kind);
Scalar::Kind number_kind(DType dtype);

}  // namespace dyad
