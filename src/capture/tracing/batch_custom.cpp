#include <algorithm>

#include "base/error.h"
#include "capture/tracing/batching.h"
#include "capture/tracing/replay.h"
#include "ops/call.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::Node;
using Slot = Batching::Slot;

namespace {

DYAD_USE(sum)

}  // namespace

/// Writes a function of one slice down as one of all slices: its own parameters, then what it takes from
/// around.
std::vector<Slot> Batching::walk_inside(const ir::Function& function, const std::vector<Item>& params,
                                        const std::vector<bool>& mapped, std::span<const Slot> around) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < params.size(); ++i) slots.push_back(slot_from(params[i], mapped[i]));
  slots.insert(slots.end(), around.begin(), around.end());
  return walk(function, slots);
}

/// The gradient by an argument that all slices have in common is the sum of what each of them says.
Item Batching::gathered(const Slot& gradient, bool mapped, bool slices_differ, const GraphValue& spec) {
  if (mapped || !slices_differ) return item_of(gradient, mapped, spec);
  const Item whole = item_of(gradient, true, spec);
  return Tensor(&as_tensor(sum(Value(std::get<Tensor>(whole)), Dims{0})));
}

/// A function with a gradient of its own stays one: both are written for all slices.
void Batching::visit_custom(const Node& node) {
  const ir::Function& forward = *node.functions[0];
  const ir::Function& gradient = *node.functions[1];
  const auto own = static_cast<size_t>(std::count_if(gradient.results.begin(), gradient.results.end(),
                                                     [](const auto& result) { return !is_token(*result); }));
  const size_t taken = forward.params.size() - own;
  const size_t outputs = (gradient.params.size() - own - taken) / 2;
  if (std::count_if(node.results.begin(), node.results.end(), [](const auto& r) { return !is_token(*r); }) !=
      static_cast<std::ptrdiff_t>(outputs)) {
    runtime_error(
        "vmap: ", forward.name,
        " has a gradient of its own and writes to a Tensor from outside of it; return the new value instead",
        place_text(node.location));
  }
  const std::vector<Slot> args = slots_of(node.args);
  const std::span<const Slot> around = std::span(args).subspan(own);
  std::vector<bool> mapped;
  std::vector<TypeSpec> specs;
  std::vector<Item> given;
  for (size_t i = 0; i < own; ++i) {
    mapped.push_back(differs(args[i]));
    specs.push_back(type_spec_of(*forward.params[i], mapped[i]));
    given.push_back(item_of(args[i], mapped[i], *forward.params[i]));
  }
  FunctionScope first(tracer_, forward.name, specs);
  const std::vector<Slot> results = walk_inside(forward, first.params(), mapped, around);
  std::vector<Item> made;
  bool slices_differ = false;
  std::vector<bool> passed = mapped;
  for (size_t i = 0; i < outputs; ++i) {
    const bool apart = differs(results[i]);
    slices_differ = slices_differ || apart;
    passed.push_back(apart);
    specs.push_back(type_spec_of(*forward.results[i], apart));
    made.push_back(item_of(results[i], apart, *forward.results[i]));
  }
  Scope* one = first.end();
  for (size_t i = 0; i < outputs; ++i) {
    passed.push_back(passed[own + i]);
    specs.push_back(specs[own + i]);
  }
  FunctionScope second(tracer_, gradient.name, specs);
  const std::vector<Slot> found = walk_inside(gradient, second.params(), passed, around);
  std::vector<Item> gradients;
  for (size_t i = 0; i < own; ++i) {
    gradients.push_back(gathered(found[i], mapped[i], slices_differ, *gradient.results[i]));
  }
  Scope* other = second.end();
  const std::vector<Item> items = tracer_.add_custom(*one, made, *other, gradients, given);
  tracer_.record_custom(*tracer_.current_->function->nodes.back(), tracer_.with_captured(given, *one), items,
                        own);
  size_t next = 0;
  for (const auto& result : node.results) {
    define(*result, is_token(*result) ? Slot() : slot_from(items[next], passed[own + next]));
    if (!is_token(*result)) ++next;
  }
}

/// Arguments, followed by what a function takes from around it.
std::vector<Item> GraphTracer::with_captured(std::vector<Item> args, const Scope& function) {
  for (const CapturedVariable& what : function.captured) {
    if (what.kind == CapturedVariable::Kind::kNumber) {
      args.emplace_back(Number{number_kind(what.number->dtype), what.number, {}});
    } else if (what.kind == CapturedVariable::Kind::kStorage) {
      args.emplace_back(what.tensor ? what.tensor : alias_of(*memory(*what.storage).whole));
    }
  }
  return args;
}

}  // namespace dyad::tracing
