#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "transforms/batching.h"
#include "transforms/dependence.h"
#include "transforms/residual_stack.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::Node;
using Kind = GraphValue::Kind;
using Slot = Batching::Slot;

namespace {

DYAD_USE(any, where);

std::vector<bool> flags_of(std::span<const Slot> slots) {
  std::vector<bool> flags;
  for (const Slot& slot : slots) flags.push_back(differs(slot));
  return flags;
}

/// Results of a node that are values, not tokens.
std::vector<const GraphValue*> values_among(std::span<const ir::GraphValueRef> all) {
  std::vector<const GraphValue*> values;
  for (const auto& value : all) {
    if (!is_token(*value)) values.push_back(value.get());
  }
  return values;
}

std::vector<Slot> without_tokens(const ir::Function& function, std::vector<Slot> results) {
  std::vector<Slot> left;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_token(*function.results[i])) left.push_back(std::move(results[i]));
  }
  return left;
}

}  // namespace

TypeSpec Batching::type_spec_of(const GraphValue& value, bool mapped) const {
  TypeSpec spec = transforms::type_spec_of(value);
  spec.shape = sizes_(value.shape);
  if (!mapped) return spec;
  spec.number = false;  // one that differs between slices is a tensor
  spec.shape.insert(0, builder_.count());
  return spec;
}

Item Batching::item_of(const Slot& slot, bool mapped, const GraphValue& spec) {
  if (!mapped || (spec.kind == Kind::kResidualStack && differs(slot))) return given(slot).item;
  if (spec.kind == Kind::kResidualStack)
    return new_residual_stack(tracer_, spec.dtype, type_spec_of(spec, true).shape);
  const Value value =
      std::holds_alternative<Item>(slot) ? as_tensor_slot(slot, spec.dtype) : std::get<Value>(slot);
  return tensor_of(builder_.whole(value));
}

Slot Batching::slot_from(const Item& item, bool mapped) {
  if (mapped) return builder_.mapped(std::get<Tensor>(item));
  return common(item);
}

void Batching::visit_if(const Node& node) {
  const Slot condition = slot_of(node.args[0]);
  const std::vector<Slot> args = slots_of(std::span(node.args).subspan(1));
  if (differs(condition)) return select(node, std::get<Value>(condition), args);
  const Item truth = std::get<Item>(condition);
  const std::vector<const GraphValue*> results = values_among(node.results);
  Scope* arms[2];
  std::vector<Slot> given[2];
  for (int i = 0; i < 2; ++i) {
    const ir::Function& function = *node.functions[static_cast<size_t>(i)];
    FunctionScope arm(tracer_, function.name, {});
    given[i] = without_tokens(function, walk(function, args));
    arms[i] = arm.end();
  }
  std::vector<bool> mapped;
  for (size_t i = 0; i < results.size(); ++i) mapped.push_back(differs(given[0][i]) || differs(given[1][i]));
  std::vector<Item> items[2];
  for (int arm = 0; arm < 2; ++arm) {
    const ResumedFunctionScope resumed(tracer_, *arms[arm]);
    for (size_t i = 0; i < results.size(); ++i) {
      items[arm].push_back(item_of(given[arm][i], mapped[i], *results[i]));
    }
  }
  const std::vector<Item> made = tracer_.add_if(truth, *arms[0], items[0], *arms[1], items[1], std::nullopt);
  for (size_t i = 0; i < results.size(); ++i) define(*results[i], slot_from(made[i], mapped[i]));
  for (const auto& result : node.results) {
    if (is_token(*result)) define(*result, std::monostate());
  }
}

Value Batching::chosen(const Value& condition, const Slot& yes, const Slot& no, const GraphValue& spec) {
  if (spec.kind == Kind::kResidualStack) {
    capture_error(
        "vmap: the gradient of a loop that ends after another number of turns for every slice is taken "
        "inside of the function; take it outside, grad(vmap(fn))",
        place_text(tracer_.location));
  }
  const auto tensor = [&](const Slot& slot) {
    return std::holds_alternative<Item>(slot) ? as_tensor_slot(slot, spec.dtype) : std::get<Value>(slot);
  };
  const Value a = tensor(yes);
  const Value b = tensor(no);
  if (!(a->shape == b->shape)) {
    runtime_error("vmap: a branch that is taken for some slices only gives a Tensor of shape ", a->shape,
                  " on one path and of shape ", b->shape, " on the other; all slices need one shape",
                  place_text(tracer_.location));
  }
  return where(condition, a, b);
}

/// Some slices take one path and some the other: both are computed.
void Batching::select(const Node& node, const Value& condition, std::span<const Slot> args) {
  const ir::Location location = node.location;
  ++undecided_;
  std::vector<Slot> given[2];
  for (size_t i = 0; i < 2; ++i) given[i] = walk(*node.functions[i], args);
  --undecided_;
  tracer_.location = location;
  for (size_t i = 0; i < node.results.size(); ++i) {
    const GraphValue& result = *node.results[i];
    define(result, is_token(result) ? Slot() : Slot(chosen(condition, given[0][i], given[1][i], result)));
  }
}

/// A loop while it is written, with the variables differing between slices that are known to do so.
struct Batching::Loop {
  const Node& node;
  std::span<const Slot> initial;
  std::span<const Slot> constants;
  std::vector<bool> mapped;

  const ir::Function& condition() const { return *node.functions[0]; }
  const ir::Function& body() const { return *node.functions[1]; }
  const GraphValue& variable(size_t i) const { return *body().params[i]; }

  /// Lets all variables differ; whether that is new.
  bool map_all() {
    bool more = false;
    for (size_t i = 0; i < mapped.size(); ++i) {
      more = more || (!mapped[i] && !is_token(variable(i)));
      mapped[i] = true;
    }
    return more;
  }
  /// Lets those differ that do after a turn; whether that is new.
  bool map_differing(std::span<const Slot> after) {
    bool more = false;
    for (size_t i = 0; i < mapped.size(); ++i) {
      if (!differs(after[i]) || mapped[i]) continue;
      mapped[i] = true;
      more = true;
    }
    return more;
  }
};

void Batching::visit_while(const Node& node) {
  const std::vector<Slot> all = slots_of(node.args);
  const std::span<const Slot> initial = std::span(all).first(node.variables());
  Loop loop{node, initial, std::span(all).subspan(node.variables()), flags_of(initial)};
  while (!try_while(loop)) {
  }
}

/// What a function of the loop is walked with.
std::vector<Slot> Batching::loop_slots(const Loop& loop, const std::vector<Item>& params) {
  std::vector<Slot> slots;
  auto next = params.begin();
  for (size_t i = 0; i < loop.mapped.size(); ++i) {
    slots.push_back(is_token(loop.variable(i)) ? Slot() : slot_from(*next++, loop.mapped[i]));
  }
  slots.insert(slots.end(), loop.constants.begin(), loop.constants.end());
  return slots;
}

/// The variables of the loop from what they are for the slices.
std::vector<Item> Batching::loop_items(const Loop& loop, std::span<const Slot> slots) {
  std::vector<Item> items;
  for (size_t i = 0; i < loop.mapped.size(); ++i) {
    if (!is_token(loop.variable(i))) items.push_back(item_of(slots[i], loop.mapped[i], loop.variable(i)));
  }
  return items;
}

/// Writes the loop with these variables differing between slices; false, and more of them, if that is too
/// few.
bool Batching::try_while(Loop& loop) {
  std::vector<TypeSpec> specs;
  for (size_t i = 0; i < loop.mapped.size(); ++i) {
    if (!is_token(loop.variable(i))) specs.push_back(type_spec_of(loop.variable(i), loop.mapped[i]));
  }
  FunctionScope asking(tracer_, loop.condition().name, specs);
  const Slot goes_on = walk(loop.condition(), loop_slots(loop, asking.params()))[0];
  const bool undecided = differs(goes_on);
  const Item truth =
      undecided ? Item(tensor_of(any(unbatched(std::get<Value>(goes_on))))) : std::get<Item>(goes_on);
  Scope* condition = asking.end();
  if (undecided && loop.map_all()) return false;

  FunctionScope turning(tracer_, loop.body().name, specs);
  const std::vector<Slot> before = loop_slots(loop, turning.params());
  undecided_ += undecided;
  std::vector<Slot> after = walk(loop.body(), before);
  undecided_ -= undecided;
  if (loop.map_differing(after)) return false;
  if (undecided) {  // slices that are through stay as they are
    const Value running = std::get<Value>(walk(loop.condition(), before)[0]);
    for (size_t i = 0; i < loop.mapped.size(); ++i) {
      if (!is_token(loop.variable(i))) after[i] = chosen(running, after[i], before[i], loop.variable(i));
    }
  }
  const std::vector<Item> next = loop_items(loop, after);
  Scope* body = turning.end();
  const std::vector<Item> start = loop_items(loop, loop.initial);
  tracer_.location = loop.node.location;
  const std::vector<Item> made = tracer_.add_while(*condition, truth, *body, next, start);
  const std::vector<Slot> results = loop_slots(loop, made);
  for (size_t i = 0; i < loop.mapped.size(); ++i) define(*loop.node.results[i], results[i]);
  return true;
}

/// A function that may call itself is written once for each choice of arguments that differ between slices;
/// any other in the place of its call.
void Batching::visit_call(const Node& node) {
  const ir::Function& callee = *node.functions[0];
  const std::vector<Slot> args = slots_of(node.args);
  if (!calls_itself(callee)) {
    const std::vector<Slot> results = walk(callee, args);
    for (size_t i = 0; i < node.results.size(); ++i) define(*node.results[i], results[i]);
    return;
  }
  if (undecided_ > 0) {
    runtime_error("vmap: whether ", callee.name,
                  " calls itself again differs between slices; the depth of a recursion must be one for all",
                  place_text(node.location));
  }
  const std::vector<bool> mapped = flags_of(args);
  const bool any_mapped = std::find(mapped.begin(), mapped.end(), true) != mapped.end();
  Scope& batched = batched_callee(callee, mapped, any_mapped);
  std::vector<Item> items;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_token(*callee.params[i])) items.push_back(item_of(args[i], mapped[i], *callee.params[i]));
  }
  tracer_.location = node.location;
  const std::vector<Item> made = tracer_.add_call(batched, items);
  auto result = made.begin();
  for (const auto& value : node.results) {
    define(*value, is_token(*value) ? Slot() : slot_from(*result++, any_mapped));
  }
}

/// The callee for all slices; all its results differ if any of its arguments does.
Scope& Batching::batched_callee(const ir::Function& callee, const std::vector<bool>& mapped,
                                bool any_mapped) {
  auto [found, added] = callees_.try_emplace({&callee, mapped}, nullptr);
  if (!added) return *found->second;
  std::vector<TypeSpec> params;
  std::vector<TypeSpec> results;
  for (size_t i = 0; i < mapped.size(); ++i) {
    if (!is_token(*callee.params[i])) params.push_back(type_spec_of(*callee.params[i], mapped[i]));
  }
  for (const GraphValue* value : values_among(callee.results))
    results.push_back(type_spec_of(*value, any_mapped));
  Scope* scope = tracer_.declare(callee.name, params, results);
  found->second = scope;
  DeclaredFunctionScope opened(tracer_, *scope);
  std::vector<Slot> slots;
  auto next = opened.params().begin();
  for (size_t i = 0; i < mapped.size(); ++i) {
    slots.push_back(is_token(*callee.params[i]) ? Slot() : slot_from(*next++, mapped[i]));
  }
  std::vector<Item> given;
  const std::vector<Slot> values = walk(callee, slots);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_token(*callee.results[i])) given.push_back(item_of(values[i], any_mapped, *callee.results[i]));
  }
  opened.close(given);
  return *scope;
}

}  // namespace dyad::transforms
