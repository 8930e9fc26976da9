#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/insertion.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

/// The change of one function to channels innermost: which values are there in that order, and how the
/// operators are written that give such values. A value that has both orders is a *carried* one.
class LayoutChange {
 public:
  LayoutChange(ir::Function& function, const ModuleMemory& memory);
  void run();

 private:
  using Nodes = ir::Function::Nodes;
  using Rule = bool (LayoutChange::*)(const ir::Node& node);

  // Rules say whether they have written the node in the new order.
  bool change(const ir::Node& node);
  bool convolve(const ir::Node& node);
  bool convolve_gradient(const ir::Node& node);
  bool filter_gradient(const ir::Node& node);
  bool norm_train(const ir::Node& node);
  bool norm_train_gradient(const ir::Node& node);
  bool norm_apply(const ir::Node& node);
  bool max_pool(const ir::Node& node);
  bool max_pool_with_places(const ir::Node& node);
  bool average_pool(const ir::Node& node);
  bool unpool(const ir::Node& node);
  bool adaptive_pool(const ir::Node& node);
  bool elementwise(const ir::Node& node);
  bool reduce(const ir::Node& node);
  bool join(const ir::Node& node);

  Insertion before() const { return {function_, at_, (*at_)->location}; }
  /// Whether the value is there in the new order already.
  bool is_carried(const Value& value) const;
  /// The value in the new order, made of a copy where there is none.
  Value last(const Value& value);
  /// The same for an operand of an elementwise operator on `rank` dimensions, without a copy.
  Value last_operand(const Value& value, size_t rank);
  Value packed(const Value& weight, const Shape& image, const Shape& out, const ir::Node& node,
               size_t attributes, bool backward);
  /// Result `index` of the node is `value`, which is in the new order.
  void carry(const ir::Node& node, size_t index, const Value& value);
  void replace(const ir::Node& node, size_t index, const Value& value);
  /// A later node that wants the places of what this one, a max_pool, finds.
  const ir::Node* same_with_places(const ir::Node& node) const;
  /// Whether the surroundings of a convolution make the new order worth it.
  bool pays(const ir::Node& node, const Value& image) const;
  bool leads_to_layers(const ValueImpl& value, int steps) const;
  /// Function calls, the host and the caller get what they got before: row-major memory.
  void restore_order(ir::Node& node);
  ir::GraphValueRef restored(const ir::GraphValueRef& value);

  ir::Function& function_;
  std::unordered_set<const ValueImpl*> written_;  ///< values in whose memory somebody may write
  std::unordered_map<const ValueImpl*, std::vector<const ir::Node*>> users_;
  std::unordered_map<const ValueImpl*, Value> last_;       ///< by the value in the old order
  std::unordered_map<const ValueImpl*, Value> restored_;   ///< row-major copies of carried values
  std::unordered_map<const ir::Node*, ValueList> places_;  ///< what a node will find has been found before it
  Substitution substitution_;
  std::vector<std::unique_ptr<ir::Node>> gone_;
  Nodes::iterator at_;
};

/// The axes of a permutation that moves the channels to the end of `rank` dimensions, and back.
Dims channels_to_end(size_t rank);
Dims channels_to_front(size_t rank);

}  // namespace dyad::passes
