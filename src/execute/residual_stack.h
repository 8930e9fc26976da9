#pragma once

#include <utility>

#include "ir/graph.h"

namespace dyad::execute {

/// What a loop has kept for its gradient: the value of the last turn, and what was kept before it. It never
/// changes, so that several may share what lies below.
class ResidualStack final : public ValueImpl {
 public:
  ResidualStack() = default;
  ~ResidualStack() override;
  Builder& builder() const override;

  Value top;    ///< empty where nothing is kept
  Value below;  ///< a `ResidualStack`
};

Value push_residual(const Value& below, const Value& top);
/// What is on top of a residual stack, and what is below it. An empty one is a gradient that nothing was
/// added to: there are zeros in it, as many as one takes out; `like` is what is taken out.
std::pair<Value, Value> pop_residual(const Value& stack, const ir::GraphValue& like);

}  // namespace dyad::execute
