#include "autograd/tangent.h"

#include "autograd/rule.h"
#include "eager/dispatch.h"
#include "ops/call.h"
#include "ops/placeholder.h"

namespace dyad::autograd {

namespace {

DYAD_USE(broadcast_to, cast, zeros);

void add_to(Value& sum, Value tangent) { sum = sum ? sum + tangent : std::move(tangent); }

Value in_dtype(const Value& value, DType dtype) { return value->dtype == dtype ? value : cast(value, dtype); }

bool is_linear(const Op& op, size_t argument) { return (op.linear >> argument) & 1; }

Value zeros_for(const ValueImpl& value) { return zeros(eager::builder(), value.shape, value.dtype); }

/// The argument with zeros in place of every tensor.
Arg zeros_for(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return zeros_for(**value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& member : *list) members.push_back(member ? zeros_for(*member) : member);
    return members;
  }
  return arg;
}

void place(std::vector<Arg>& args, const Inputs::Slot& slot, const Value& tangent) {
  if (slot.member < 0) {
    args[slot.argument] = tangent;
    return;
  }
  ValueList members = *args[slot.argument].get<ValueList>();
  members[static_cast<size_t>(slot.member)] = tangent;
  args[slot.argument] = std::move(members);
}

void apply_to_tangents(const Op& op, std::span<const Arg> given, std::span<const Inputs::Slot> slots,
                       Push& push) {
  std::vector<Arg> args(given.begin(), given.end());
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_linear(op, i)) args[i] = zeros_for(args[i]);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (push.arrived[i]) place(args, slots[i], push.arrived[i]);
  }
  const ValueList tangents = apply(eager::builder(), op, args);
  for (size_t i = 0; i < tangents.size(); ++i) push.leaving[i] = tangents[i];
}

void sum_over_inputs(const Op& op, std::span<const Arg> given, std::span<const Inputs::Slot> slots,
                     Push& push) {
  Value sum;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!push.arrived[i]) continue;
    std::vector<Arg> args(given.begin(), given.end());
    place(args, slots[i], push.arrived[i]);
    add_to(sum, apply_one(eager::builder(), op, args));
  }
  push.leaving[0] = sum;
}

/// The operand as it takes part in each element of the result, so that the rule has no broadcasting and no
/// promotion to undo.
Arg taking_part(const Arg& arg, const ValueImpl& result) {
  auto* operand = arg.get<Value>();
  if (!operand || !*operand) return arg;
  Value value = *operand;
  const bool widened = is_float(value->dtype) && itemsize(value->dtype) < itemsize(result.dtype);
  const DType dtype = widened ? result.dtype : value->dtype;
  if (!value->is_tensor()) return placeholder(dtype, result.shape, eager::builder());
  value = in_dtype(value, dtype);
  return value->shape == result.shape ? value : broadcast_to(value, result.shape);
}

void run_rule_on_tangents(const Op& op, std::span<const Arg> given, std::span<const Value> results,
                          std::span<const Inputs::Slot> slots, Push& push) {
  const ValueImpl& result = *results[0];
  std::vector<Arg> args;
  for (const Arg& arg : given) args.push_back(taking_part(arg, result));
  Value sum;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!push.arrived[i]) continue;
    Value tangent = in_dtype(push.arrived[i], result.dtype);
    if (!(tangent->shape == result.shape)) tangent = broadcast_to(tangent, result.shape);
    const size_t argument = slots[i].argument;
    const auto found =
        run_gradient_rule(eager::builder(), op, args, results, {&tangent, 1}, ArgumentMask{1} << argument);
    if (found[argument].value) add_to(sum, in_dtype(found[argument].value, result.dtype));
  }
  push.leaving[0] = sum;
}

}  // namespace

TangentForm tangent_form(const Op& op, std::span<const Arg> args, std::span<const Value> results,
                         std::span<const Inputs::Slot> slots) {
  if (!op.grad) return TangentForm::kNone;  // differentiating it is an error that says why
  bool linear = true;
  bool diagonal = op.elementwise && results.size() == 1 && !is_complex(results[0]->dtype);
  for (const Inputs::Slot& slot : slots) {
    linear = linear && is_linear(op, slot.argument);
    const Value* operand = args[slot.argument].get<Value>();
    diagonal = diagonal && operand && !is_complex((*operand)->dtype);
  }
  if (linear) return op.linear_apart ? TangentForm::kMultilinear : TangentForm::kLinear;
  return diagonal ? TangentForm::kDiagonal : TangentForm::kNone;
}

void push_through(TangentForm form, const Op& op, std::span<const Arg> args, std::span<const Value> results,
                  std::span<const Inputs::Slot> slots, Push& push) {
  switch (form) {
    case TangentForm::kNone:
      break;
    case TangentForm::kLinear:
      return apply_to_tangents(op, args, slots, push);
    case TangentForm::kMultilinear:
      return sum_over_inputs(op, args, slots, push);
    case TangentForm::kDiagonal:
      return run_rule_on_tangents(op, args, results, slots, push);
  }
}

}  // namespace dyad::autograd
