#include "compile/put_aside.h"

#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::compile {

/// One by one: a loop may have put a hundred thousand values aside.
PutAside::~PutAside() {
  while (below && below->owners() == 1) below = std::move(static_cast<PutAside&>(*below).below);
}

Builder& PutAside::builder() const { return eager::builder(); }

Value put_aside(const Value& below, const Value& top) {
  Ref<PutAside> made(new PutAside);
  made->top = top;
  made->below = below;
  return made;
}

std::pair<Value, Value> taken_out(const Value& history, const ir::GraphValue& like) {
  const auto& known = static_cast<const PutAside&>(*history);
  if (known.top) return {known.top, known.below};
  if (like.kind == ir::GraphValue::Kind::kHistory) return {Value(new PutAside), history};
  static const OpName zeros{"zeros"};
  return {zeros(eager::builder(), like.shape, like.dtype), history};
}

}  // namespace dyad::compile
