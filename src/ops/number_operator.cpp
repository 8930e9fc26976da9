#include "ops/number_operator.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/error.h"
#include "ir/graph.h"
#include "ops/number_arithmetic.h"
#include "ops/op.h"

namespace dyad {

namespace {

using Kind = Scalar::Kind;
using Kinds = std::span<const Kind>;
using Args = std::span<const Arg>;

std::string_view python_name(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kComplex:
      return "complex";
  }
  return "?";
}

/// Ints and bools give an int, a float among them a float.
Kind arithmetic(Args, Kinds kinds) {
  return std::max(Kind::kInt, *std::max_element(kinds.begin(), kinds.end()));
}
Kind always_float(Args, Kinds) { return Kind::kFloat; }
Kind always_int(Args, Kinds) { return Kind::kInt; }
Kind always_bool(Args, Kinds) { return Kind::kBool; }

/// A power of ints is an int unless the exponent is known to be negative.
Kind power(Args args, Kinds kinds) {
  if (arithmetic(args, kinds) == Kind::kFloat) return Kind::kFloat;
  auto* exponent = args[1].get<Scalar>();
  return exponent && exponent->to_int() < 0 ? Kind::kFloat : Kind::kInt;
}

[[noreturn]] void refuse(std::string_view sign, Kinds kinds) {
  type_error("unsupported operand type(s) for ", sign, ": '", python_name(kinds[0]), "' and '",
             python_name(kinds[1]), "'");
}
Kind bits(std::string_view sign, Kinds kinds) {
  const Kind wider = std::max(kinds[0], kinds[1]);
  if (wider > Kind::kInt) refuse(sign, kinds);
  return wider;
}
Kind bit_and(Args, Kinds kinds) { return bits("&", kinds); }
Kind bit_or(Args, Kinds kinds) { return bits("|", kinds); }
Kind bit_xor(Args, Kinds kinds) { return bits("^", kinds); }
Kind shift_left(Args, Kinds kinds) { return std::max(Kind::kInt, bits("<<", kinds)); }
Kind shift_right(Args, Kinds kinds) { return std::max(Kind::kInt, bits(">>", kinds)); }
Kind invert(Args, Kinds kinds) {
  if (kinds[0] > Kind::kInt) type_error("bad operand type for unary ~: '", python_name(kinds[0]), "'");
  return Kind::kInt;
}
Kind round(Args args, Kinds kinds) {
  if (args.size() < 2 || args[1].none()) return Kind::kInt;
  if (kinds[1] > Kind::kInt) {
    type_error("'", python_name(kinds[1]), "' object cannot be interpreted as an integer");
  }
  return arithmetic(args, kinds.first(1));
}
/// Python gives one of the two as it is; its type must be known before the graph runs.
template <bool Least>
Kind choice(Args, Kinds kinds) {
  if (kinds[0] != kinds[1]) {
    type_error(Least ? "min" : "max", ": the operands are of the types ", python_name(kinds[0]), " and ",
               python_name(kinds[1]), ", so that of the result is not known; both must be of one type");
  }
  return kinds[0];
}

Kind kind_of(const Arg& arg) {
  if (auto* number = arg.get<Scalar>()) return number->kind();
  if (auto* value = arg.get<Value>()) return number_kind((*value)->dtype);
  return Kind::kInt;  // digits left out
}

using Table = std::unordered_map<std::string_view, const NumberOperator*>;

Table& table() {
  namespace number = number_arithmetic;
  using Failing = NumberOperator::Failing;
  static const NumberOperator all[] = {
      {"number_add", 2, arithmetic, number::add, Failing::kOverflow},
      {"number_sub", 2, arithmetic, number::subtract, Failing::kOverflow},
      {"number_mul", 2, arithmetic, number::multiply, Failing::kOverflow},
      {"number_truediv", 2, always_float, number::divide, Failing::kZero},
      {"number_floordiv", 2, arithmetic, number::floor_divide, Failing::kZero},
      {"number_mod", 2, arithmetic, number::modulo, Failing::kZero},
      {"number_pow", 2, power, number::power, Failing::kNegative},
      {"number_lshift", 2, shift_left, number::shift_left, Failing::kNegative},
      {"number_rshift", 2, shift_right, number::shift_right, Failing::kNegative},
      {"number_and", 2, bit_and, number::bit_and, Failing::kNever},
      {"number_or", 2, bit_or, number::bit_or, Failing::kNever},
      {"number_xor", 2, bit_xor, number::bit_xor, Failing::kNever},
      {"number_lt", 2, always_bool, number::less, Failing::kNever},
      {"number_le", 2, always_bool, number::less_equal, Failing::kNever},
      {"number_gt", 2, always_bool, number::greater, Failing::kNever},
      {"number_ge", 2, always_bool, number::greater_equal, Failing::kNever},
      {"number_eq", 2, always_bool, number::equal, Failing::kNever},
      {"number_ne", 2, always_bool, number::not_equal, Failing::kNever},
      {"number_min", 2, choice<true>, number::least, Failing::kNever},
      {"number_max", 2, choice<false>, number::greatest, Failing::kNever},
      {"number_neg", 1, arithmetic, number::negate, Failing::kOverflow},
      {"number_pos", 1, arithmetic, number::keep, Failing::kNever},
      {"number_invert", 1, invert, number::invert, Failing::kNever},
      {"number_abs", 1, arithmetic, number::absolute, Failing::kOverflow},
      {"number_not", 1, always_bool, number::logical_not, Failing::kNever},
      {"number_bool", 1, always_bool, number::to_bool, Failing::kNever},
      {"number_int", 1, always_int, number::to_int, Failing::kNotFinite},
      {"number_float", 1, always_float, number::to_float, Failing::kNever},
      {"number_round", 2, round, number::round, Failing::kNotFinite},
  };
  static Table& index = *[] {
    auto* made = new Table;
    for (const NumberOperator& op : all) made->emplace(op.name, &op);
    return made;
  }();
  return index;
}

DType number_result(const Arg& arg) {
  auto* value = arg.get<Value>();
  return value ? number_dtype(number_kind((*value)->dtype)) : number_dtype(kind_of(arg));
}

}  // namespace

NumberOperator::NumberOperator(std::string_view operator_name, size_t operands, InferKind infer,
                               Evaluate evaluate, Failing failing)
    : operands_(operands), infer_(infer), evaluate_(evaluate), failing_(failing) {
  name = operator_name;
}

bool NumberOperator::may_raise_in_python(std::span<const Arg> operands) const {
  const Scalar* second = operands.size() > 1 ? operands[1].get<Scalar>() : nullptr;
  switch (failing_) {
    case Failing::kNever:
    case Failing::kOverflow:
      return false;
    case Failing::kZero:
      return !second || second->to_double() == 0;
    case Failing::kNegative:
      return !second || second->to_double() < 0;
    case Failing::kNotFinite:
      return kind_of(operands[0]) == Kind::kFloat;
  }
  return true;
}

std::string_view NumberOperator::parameter_name(size_t i) const {
  if (i == 0) return "input";
  return name == "number_round" ? "digits" : "other";
}

std::vector<ResultSpec> NumberOperator::infer_results(std::span<const Arg> args) const {
  std::array<Kind, 2> kinds{Kind::kInt, Kind::kInt};
  for (size_t i = 0; i < args.size(); ++i) kinds[i] = kind_of(args[i]);
  return {{number_dtype(infer_(args, std::span(kinds).first(args.size()))), {}}};
}

Intrinsic::Intrinsic(std::string_view operator_name, Task task, std::vector<std::string_view> params)
    : task(task), params_(std::move(params)) {
  name = operator_name;
}

std::vector<ResultSpec> Intrinsic::infer_results(std::span<const Arg> args) const {
  switch (task) {
    case Task::kNumberOf:
      return {{number_result(args[0]), {}}};
    case Task::kTensorOf:
      return {{*args[1].get<DType>(), {}}};
    case Task::kDim:
      return {{DType::kInt64, {}}};
    case Task::kDefineSymbol:
      return {};
    case Task::kWriteView: {
      const Value& base = *args[0].get<Value>();
      return {{base->dtype, base->shape}};
    }
    case Task::kNewStack:
      return {{*args[0].get<DType>(), *args[1].get<Dims>()}};
    case Task::kPush: {
      const Value& stack = *args[0].get<Value>();
      return {{stack->dtype, stack->shape}};
    }
    case Task::kPop:
    case Task::kPopStack: {
      const Value& stack = *args[0].get<Value>();
      return {{stack->dtype, stack->shape}, {stack->dtype, stack->shape}};
    }
  }
  return {};
}

const NumberOperator* find_number_operator(std::string_view name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

const Intrinsic* find_intrinsic(std::string_view name) {
  using Task = Intrinsic::Task;
  static const Intrinsic all[] = {
      {"number_of", Task::kNumberOf, {"input"}},
      {"tensor_of", Task::kTensorOf, {"input", "dtype"}},
      {"dim", Task::kDim, {"size"}},
      {"define_symbol", Task::kDefineSymbol, {"value", "name"}},
      {"write_view", Task::kWriteView, {"base", "value", "window"}},
      {"new_residual_stack", Task::kNewStack, {"dtype", "shape"}},
      {"push", Task::kPush, {"residual_stack", "value"}},
      {"pop", Task::kPop, {"residual_stack"}},
      {"pop_residual_stack", Task::kPopStack, {"residual_stack"}},
  };
  for (const Intrinsic& op : all) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

const Operator* find_graph_operator(std::string_view name) {
  if (const Operator* op = OpTable::instance().find(name)) return op;
  if (const Operator* op = find_number_operator(name)) return op;
  return find_intrinsic(name);
}

DType number_dtype(Scalar::Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return DType::kBool;
    case Kind::kInt:
      return DType::kInt64;
    case Kind::kFloat:
      return DType::kFloat64;
    case Kind::kComplex:
      break;
  }
  type_error("a complex number is not supported where it is known only when the graph runs");
}

Scalar::Kind number_kind(DType dtype) {
  if (is_bool(dtype)) return Kind::kBool;
  if (is_complex(dtype)) return Kind::kComplex;
  return is_float(dtype) ? Kind::kFloat : Kind::kInt;
}

}  // namespace dyad
