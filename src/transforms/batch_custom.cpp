#include <algorithm>

#include "ops/call.h"
#include "ops/number_operator.h"
#include "transforms/batching.h"
#include "transforms/custom_node.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::Node;
using Slot = Batching::Slot;

namespace {

DYAD_USE(sum);

/// Arguments, followed by what a function takes from around it.
std::vector<Item> with_captured(GraphTracer& tracer, std::vector<Item> args, const Scope& function) {
  for (const CapturedVariable& what : function.captured) {
    if (what.kind == CapturedVariable::Kind::kNumber) {
      args.emplace_back(Number{number_kind(what.number->dtype), what.number, {}});
    } else if (what.kind == CapturedVariable::Kind::kStorage) {
      args.emplace_back(tracer.captured_tensor(what));
    }
  }
  return args;
}

}  // namespace

/// A call of a function with a gradient of its own, and what is known of it for all slices.
struct Batching::Custom {
  const Node& node;
  CustomSignature signature;
  std::span<const Slot> captured;
  std::vector<bool> mapped;        ///< of the arguments, then of the results
  std::vector<TypeSpec> specs;     ///< the same
  std::vector<Item> results = {};  ///< of the function, inside it
  std::vector<Item> gradients = {};

  bool results_differ() const {
    return std::find(mapped.begin() + static_cast<std::ptrdiff_t>(signature.own), mapped.end(), true) !=
           mapped.end();
  }
};

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
Item Batching::gathered(const Slot& gradient, bool mapped, bool slices_differ, const GraphValue& like) {
  if (mapped || !slices_differ) return item_of(gradient, mapped, like);
  const Item whole = item_of(gradient, true, like);
  return tensor_of(sum(Value(tensor_in(whole)), Dims{0}));
}

Scope* Batching::batched_forward(Custom& call) {
  const ir::Function& forward = *call.node.functions[0];
  FunctionScope opened(tracer_, forward.name, call.specs);
  const std::vector<Slot> results = walk_inside(forward, opened.params(), call.mapped, call.captured);
  for (size_t i = 0; i < call.signature.outputs; ++i) {
    const bool apart = differs(results[i]);
    call.mapped.push_back(apart);
    call.specs.push_back(type_spec_of(*forward.results[i], apart));
    call.results.push_back(item_of(results[i], apart, *forward.results[i]));
  }
  return opened.end();
}

/// It takes arguments, results, and gradients like the results.
Scope* Batching::batched_gradient(Custom& call) {
  const ir::Function& gradient = *call.node.functions[1];
  const size_t own = call.signature.own;
  std::vector<bool> mapped = call.mapped;
  std::vector<TypeSpec> specs = call.specs;
  for (size_t i = 0; i < call.signature.outputs; ++i) {
    mapped.push_back(mapped[own + i]);
    specs.push_back(specs[own + i]);
  }
  FunctionScope opened(tracer_, gradient.name, specs);
  const std::vector<Slot> found = walk_inside(gradient, opened.params(), mapped, call.captured);
  for (size_t i = 0; i < own; ++i) {
    call.gradients.push_back(gathered(found[i], mapped[i], call.results_differ(), *gradient.results[i]));
  }
  return opened.end();
}

/// A function with a gradient of its own stays one: both are written for all slices.
void Batching::visit_custom(const Node& node) {
  const ir::Function& forward = *node.functions[0];
  const CustomSignature signature = custom_signature(node);
  const auto values = std::count_if(node.results.begin(), node.results.end(),
                                    [](const auto& result) { return !is_token(*result); });
  if (values != static_cast<std::ptrdiff_t>(signature.outputs)) {
    runtime_error(
        "vmap: ", forward.name,
        " has a gradient of its own and writes to a Tensor from outside of it; return the new value instead",
        place_text(node.location));
  }
  const std::vector<Slot> args = slots_of(node.args);
  Custom call{node, signature, std::span(args).subspan(signature.own), {}, {}};
  std::vector<Item> given;
  for (size_t i = 0; i < signature.own; ++i) {
    call.mapped.push_back(differs(args[i]));
    call.specs.push_back(type_spec_of(*forward.params[i], call.mapped[i]));
    given.push_back(item_of(args[i], call.mapped[i], *forward.params[i]));
  }
  Scope* one = batched_forward(call);
  Scope* other = batched_gradient(call);
  const std::vector<Item> items = tracer_.add_custom(*one, call.results, *other, call.gradients, given);
  const Node& made = *tracer_.scope().function->nodes.back();
  record_custom(tracer_, made, with_captured(tracer_, given, *one), items);
  size_t next = 0;
  for (const auto& result : node.results) {
    define(*result, is_token(*result) ? Slot() : slot_from(items[next], call.mapped[signature.own + next]));
    if (!is_token(*result)) ++next;
  }
}

}  // namespace dyad::transforms
