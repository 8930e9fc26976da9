#include "execute/residual_stack.h"

#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::execute {

/// One by one: a loop may have put a hundred thousand values aside.
ResidualStack::~ResidualStack() {
  while (below && below->owners() == 1) below = std::move(static_cast<ResidualStack&>(*below).below);
}

Builder& ResidualStack::builder() const { return eager::builder(); }

Value push_residual(const Value& below, const Value& top) {
  Ref<ResidualStack> made(new ResidualStack);
  made->top = top;
  made->below = below;
  return made;
}

std::pair<Value, Value> pop_residual(const Value& stack, const ir::GraphValue& like) {
  const auto& known = static_cast<const ResidualStack&>(*stack);
  if (known.top) return {known.top, known.below};
  if (like.kind == ir::GraphValue::Kind::kResidualStack) return {Value(new ResidualStack), stack};
  static const OpName zeros{"zeros"};
  return {zeros(eager::builder(), like.shape, like.dtype), stack};
}

}  // namespace dyad::execute
