#include "capture/tracing/scope.h"

namespace dyad::tracing {

using ir::GraphValueRef;

bool is_changed(const Scope& scope, const CapturedVariable& what) {
  if (what.kind == CapturedVariable::Kind::kToken) return true;
  if (what.kind == CapturedVariable::Kind::kNumber) return false;
  auto found = scope.held.find(what.storage);
  return found != scope.held.end() && found->second.written;
}

bool is_overwritten(const Scope& scope, const Storage& storage) {
  const auto found = scope.held.find(&storage);
  return found != scope.held.end() && found->second.overwritten;
}

void give_results(Scope& scope, std::span<const GraphValueRef> items,
                  const std::vector<CapturedVariable>& changed) {
  auto& results = scope.function->results;
  results.assign(items.begin(), items.end());
  for (const CapturedVariable& what : changed) {
    results.push_back(what.kind == CapturedVariable::Kind::kToken ? scope.token
                                                                  : scope.held.at(what.storage).value);
  }
}

Shape with_fresh_sizes(Shape shape) {
  for (Dim& size : shape) {
    if (!size.known()) size = Dim::fresh("size");
  }
  return shape;
}

}  // namespace dyad::tracing
