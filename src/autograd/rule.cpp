#include "autograd/rule.h"

#include "base/error.h"
#include "ops/call.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(sum_to);

void check_counts(const Op& op, std::span<const Arg> args, std::span<const Value> results,
                  std::span<const Value> gradients) {
  if (!op.grad)
    value_error(op.name, ": there is no gradient rule", op.no_grad.empty() ? "" : ": ", op.no_grad);
  if (args.size() != op.signature.params.size()) {
    value_error(op.name, ": ", args.size(), " arguments were given to the gradient rule; it takes ",
                op.signature.params.size());
  }
  if (results.size() != gradients.size()) {
    value_error(op.name, ": ", gradients.size(), " gradients were given for ", results.size(), " results");
  }
}

void check_shape(const Op& op, const Value& argument, const Value& gradient) {
  if (!gradient || (argument && may_agree(argument->shape, gradient->shape))) return;
  raise(ErrorKind::kInternal,
        cat("internal error: the gradient rule of ", op.name, " gives a gradient of shape ", gradient->shape,
            " for ",
            argument ? cat("an argument of shape ", argument->shape) : "an argument that is no tensor"));
}

/// Elements meet by broadcasting: an argument that was repeated has the sum of what each of its places has.
Value summed(const Op& op, const Value& argument, Value gradient) {
  if (!op.elementwise || !argument || may_agree(argument->shape, gradient->shape)) return gradient;
  return sum_to(gradient, argument);
}

}  // namespace

std::vector<ArgumentGradient> run_gradient_rule(Builder& builder, const Op& op, std::span<const Arg> args,
                                                std::span<const Value> results,
                                                std::span<const Value> gradients, ArgumentMask needed) {
  check_counts(op, args, results, gradients);
  const Arguments arguments(op.name, args);
  ValueList set(args.size());
  GradCall call(Call(arguments, builder), results, gradients, set, needed);
  op.grad(call);

  std::vector<ArgumentGradient> out(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (!set[i]) continue;
    const Value argument = arguments.is_value(i) ? arguments.value(i) : Value();
    out[i].value = summed(op, argument, std::move(set[i]));
    check_shape(op, argument, out[i].value);
  }
  for (const auto& [i, members] : call.lists()) {
    const ValueList& given = arguments.values(i);
    DYAD_ASSERT(members.size() == given.size());
    for (size_t m = 0; m < members.size(); ++m) check_shape(op, given[m], members[m]);
    out[i].members = members;
  }
  return out;
}

}  // namespace dyad
