#pragma once

#include <map>

#include "ops/batch_builder.h"
#include "passes/substitute.h"
#include "transforms/items.h"

namespace dyad::transforms {

/// A value of a function that was written down for many slices at once: all of them along the first axis, or
/// what they have in common.
struct BatchedItem {
  Item item;
  bool mapped;
};

/// Writes a function of one slice down again, here, for `count` slices at once; the function itself is not
/// used. `args` have the slices along the first axis. `replaced` are tensors from outside that the function
/// uses and that each slice has its own of, with all of them along the first axis.
std::vector<BatchedItem> vmap(GraphTracer& tracer, Scope& function, std::span<const Item> results,
                              std::span<const Item> args, Dim count, bool draws_alike,
                              std::span<const std::pair<Tensor, Tensor>> replaced);

/// Writes a function of a graph down again for many slices at once: `vmap`. Each operator goes through
/// dispatch, so that a tape that is active records it.
///
/// A value of the function becomes a tensor with one more axis, in front, or stays what it is where all
/// slices have it in common. A number that differs between slices becomes a tensor too.
class Batching {
 public:
  /// A batched value; a number that all slices have in common; nothing, for a token.
  using Slot = std::variant<std::monostate, Value, Item>;

  Batching(GraphTracer& tracer, Dim count, bool draws_alike);
  Batching(const Batching&) = delete;
  Batching& operator=(const Batching&) = delete;

  Slot mapped(const Tensor& whole) { return builder_.mapped(whole); }
  Slot common(const Item& item);
  std::vector<Slot> walk(const ir::Function& function, std::span<const Slot> args);
  /// The slices along the first axis, or what they have in common.
  BatchedItem given(const Slot& slot) const;

 private:
  // Nodes (batching.cpp).
  void visit(const ir::Node& node);
  ValueList copy_updated(const Op& op, std::vector<Arg>& args);
  void visit_operator(const ir::Node& node);
  void visit_intrinsic(const ir::Node& node);
  void define_symbol(const ir::Node& node);
  void write_view(const ir::Node& node);
  void push(const ir::Node& node);
  bool select_differing(const ir::Node& node);
  bool write_differing(const ir::Node& node, std::span<const ir::Node* const> views);
  void visit_host(const ir::Node& node);
  // On numbers that differ between slices (batch_numbers.cpp).
  void visit_number(const ir::Node& node);
  Value as_tensor_slot(const Slot& slot, DType dtype);
  // Nodes with functions (batch_control.cpp).
  void visit_if(const ir::Node& node);
  void select(const ir::Node& node, const Value& condition, std::span<const Slot> args);
  void visit_while(const ir::Node& node);
  struct Loop;
  bool try_while(Loop& loop);
  std::vector<Slot> loop_slots(const Loop& loop, const std::vector<Item>& params);
  std::vector<Item> loop_items(const Loop& loop, std::span<const Slot> slots);
  void visit_call(const ir::Node& node);
  Scope& batched_callee(const ir::Function& callee, const std::vector<bool>& mapped, bool any_mapped);
  // Functions with a gradient of their own (batch_custom.cpp).
  void visit_custom(const ir::Node& node);
  std::vector<Slot> walk_inside(const ir::Function& function, const std::vector<Item>& params,
                                const std::vector<bool>& mapped, std::span<const Slot> around);
  struct Custom;
  Scope* batched_forward(Custom& call);
  Scope* batched_gradient(Custom& call);
  Item gathered(const Slot& gradient, bool mapped, bool slices_differ, const ir::GraphValue& spec);
  Value chosen(const Value& condition, const Slot& yes, const Slot& no, const ir::GraphValue& spec);

  Value known(const Value& constant) const;
  Slot slot_of(const Arg& arg) const;
  std::vector<Slot> slots_of(std::span<const Arg> args) const;
  Arg argument(const Arg& arg) const;
  void define(const ir::GraphValue& value, Slot slot);
  /// What goes into a node with functions, all slices if `differs`.
  Item item_of(const Slot& slot, bool differs, const ir::GraphValue& spec);
  Slot slot_from(const Item& item, bool differs);
  TypeSpec type_spec_of(const ir::GraphValue& value, bool differs) const;

  struct CallKey {
    const ir::Function* function;
    std::vector<bool> mapped;
    auto operator<=>(const CallKey&) const = default;
  };

  GraphTracer& tracer_;
  BatchBuilder builder_;
  std::unordered_map<const ValueImpl*, Slot> slots_;
  passes::Substitution sizes_;
  std::vector<std::pair<Dim, Value>> places_;  ///< symbols that differ between slices: places along an axis
  std::map<CallKey, Scope*> callees_;
  int undecided_ = 0;  ///< how many conditions around this place differ between slices
};

bool differs(const Batching::Slot& slot);
/// ", at file:line", or nothing.
std::string place_text(const ir::Location& location);

}  // namespace dyad::transforms
