#include "transforms/items.h"

#include "eager/dispatch.h"
#include "ops/number_operator.h"
#include "transforms/residual_stack.h"

namespace dyad::transforms {

using Kind = ir::GraphValue::Kind;

TypeSpec type_spec_of(const ir::GraphValue& value) {
  TypeSpec spec;
  spec.number = value.kind == Kind::kNumber;
  spec.residual_stack = value.kind == Kind::kResidualStack;
  if (spec.number) spec.kind = number_kind(value.dtype);
  spec.dtype = value.dtype;
  spec.shape = value.shape;
  return spec;
}

TypeSpec type_spec_of(const Tensor& tensor) {
  TypeSpec spec;
  spec.dtype = tensor->dtype;
  spec.shape = tensor->shape;
  return spec;
}

std::vector<TypeSpec> type_specs_of(std::span<const ir::GraphValueRef> values) {
  std::vector<TypeSpec> specs;
  for (const auto& value : values) {
    if (!is_token(*value)) specs.push_back(type_spec_of(*value));
  }
  return specs;
}

Item zeros_of(GraphTracer& tracer, const TypeSpec& spec) {
  if (spec.residual_stack) return new_residual_stack(tracer, spec.dtype, spec.shape);
  static const Op& zeros = OpTable::instance().get("zeros");
  std::vector<Arg> args = args_of(spec.shape, spec.dtype);
  for (size_t i = args.size(); i < zeros.signature.params.size(); ++i) {
    args.push_back(zeros.signature.params[i].default_value);
  }
  return tensor_of(eager::call_one(zeros, args));
}

Item apply_number(GraphTracer& tracer, std::string_view op, Item a, Item b) {
  const Item operands[] = {std::move(a), std::move(b)};
  return tracer.apply(op, operands);
}

}  // namespace dyad::transforms
