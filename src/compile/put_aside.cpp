#include "compile/put_aside.h"

#include "eager/dispatch.h"

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

}  // namespace dyad::compile
