#include <algorithm>
#include <span>

#include "capture/tracing/graph_tracer.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool uses(const ir::Node& node, const GraphValue& value) {
  bool found = false;
  for (const Arg& arg : node.args)
    ir::for_each_value(arg, [&](const Value& used) { found = found || used.get() == &value; });
  return found;
}

const GraphValue& hooked_by(const ir::Node& node) { return ir::as_graph_value(*node.args[0].get<Value>()); }

/// Right behind the last node that makes an argument of `node`, the order of effects aside.
ir::Function::Nodes::iterator earliest_place(ir::Function& function, const ir::Node& node) {
  auto place = function.nodes.begin();
  for (auto at = function.nodes.begin(); at != function.nodes.end(); ++at) {
    const auto needs = [&](const GraphValueRef& made) {
      return made->kind != Kind::kToken && uses(node, *made);
    };
    if (std::ranges::any_of((*at)->results, needs)) place = std::next(at);
  }
  return place;
}

/// The token among these values, or null.
GraphValueRef token_among(std::span<const GraphValueRef> values) {
  const auto found =
      std::ranges::find_if(values, [](const GraphValueRef& value) { return value->kind == Kind::kToken; });
  return found == values.end() ? GraphValueRef() : *found;
}

/// The argument that is the token, or null.
Arg* token_argument(ir::Node& node) {
  const auto found = std::ranges::find_if(
      node.args, [](const Arg& arg) { return ir::as_graph_value(*arg.get<Value>()).kind == Kind::kToken; });
  return found == node.args.end() ? nullptr : &*found;
}

void replace_token(Scope& scope, const GraphValueRef& old, const GraphValueRef& by) {
  scope.function->replace_uses(*old, by);
  if (scope.token.get() == old.get()) scope.token = by;
}

/// The node, which acts in its gradient alone, is left out of the order of effects.
void take_token_past(Scope& scope, ir::Node& node) {
  const GraphValueRef given = token_among(node.results);
  if (!given) return;
  replace_token(scope, given, GraphValueRef(&ir::as_graph_value(*token_argument(node)->get<Value>())));
}

/// And takes part in it where it stands.
void give_token_at(Scope& scope, ir::Node& node) {
  const GraphValueRef given = token_among(node.results);
  if (!given) return;
  GraphValueRef taken = token_among(scope.function->params);
  for (const auto& before : scope.function->nodes) {
    if (before.get() == &node) break;
    if (const GraphValueRef made = token_among(before->results)) taken = made;
  }
  replace_token(scope, taken, given);
  *token_argument(node) = Value(taken);
}

}  // namespace

bool GraphTracer::made_here(const Tensor& tensor) const {
  const auto found = memories_.find(tensor->storage.get());
  return found != memories_.end() && found->second.home == current_;
}

bool GraphTracer::is_used(const Tensor& tensor) {
  Scope& home = *memory(*tensor->storage).home;
  const GraphValueRef value = value_of(home, *tensor);
  return std::ranges::any_of(home.function->nodes, [&](const auto& node) { return uses(*node, *value); });
}

bool GraphTracer::add_hook(const Tensor& tensor, const Tensor& hooked) {
  Scope& here = scope();
  const GraphValueRef after = value_of(here, *hooked);
  ir::Node& node = *after->producer;
  ir::Function& function = *here.function;
  const bool rewires = made_here(tensor);
  // The gradient comes from behind: what sees it last stands first.
  const GraphValue* first = &hooked_by(node);
  const GraphValue* next = nullptr;
  for (auto known = hooks_.find(first); known != hooks_.end(); known = hooks_.find(first)) {
    next = first;
    first = &hooked_by(*next->producer);
  }
  const GraphValueRef seen(const_cast<GraphValue*>(first));
  node.args[0] = Value(seen);
  const auto own = std::prev(function.nodes.end());
  const auto place = earliest_place(function, node);
  if (rewires || next) {
    const bool early =
        std::any_of(function.nodes.begin(), place, [&](const auto& before) { return uses(*before, *seen); });
    if (early || own->get() != &node) return false;
    function.replace_uses(*seen, after);
    node.args[0] = Value(seen);
    take_token_past(here, node);
    function.nodes.splice(place, function.nodes, own);
    give_token_at(here, node);
  }
  if (rewires && !next) rename(here, *tensor, *seen, after);
  hooks_[after.get()] = {after, tensor};
  return true;
}

bool GraphTracer::remove_hook(const Tensor& hooked) {
  Scope& here = scope();
  const auto found = here.held.find(hooked->storage.get());
  if (found == here.held.end()) return false;
  const auto known = hooks_.find(found->second.value.get());
  if (known == hooks_.end() || known->first->function != here.function) return false;
  const auto [after, tensor] = known->second;
  const GraphValueRef before(const_cast<GraphValue*>(&hooked_by(*after->producer)));
  here.function->replace_uses(*after, before);
  rename(here, *tensor, *after, before);
  take_token_past(here, *after->producer);
  std::erase_if(here.function->nodes, [&](const auto& node) { return node.get() == after->producer; });
  hooks_.erase(known);
  return true;
}

/// What the tensor stands for, where that was `old`, is `by` from now on: the same contents.
void GraphTracer::rename(Scope& here, const TensorImpl& tensor, const GraphValue& old,
                         const GraphValueRef& by) {
  if (!tensor.window) {
    Held& whole = held(here, *tensor.storage);
    if (whole.value.get() == &old) whole.value = by;
    return;
  }
  const auto view = here.views.find(static_cast<const Window*>(tensor.window.get()));
  if (view != here.views.end() && view->second.value.get() == &old) view->second.value = by;
}

}  // namespace dyad::tracing
