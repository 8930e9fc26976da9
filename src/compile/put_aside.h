#pragma once

#include "types/value.h"

namespace dyad::compile {

/// What a loop has put aside: a value, and what was put aside before it. It never changes, so that several
/// may share what lies below.
class PutAside final : public ValueImpl {
 public:
  PutAside() = default;
  ~PutAside() override;
  Builder& builder() const override;

  Value top;    ///< empty where nothing is put aside
  Value below;  ///< a `PutAside`
};

Value put_aside(const Value& below, const Value& top);

}  // namespace dyad::compile
