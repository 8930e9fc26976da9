#include "passes/absent_gradients.h"

#include <unordered_set>

#include "ops/op.h"
#include "passes/effects.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::Node;
using ir::NodeKind;

class Dropping {
 public:
  Dropping(Function& function, size_t first, const std::vector<bool>& arrived)
      : function_(function), first_(first), arrived_(arrived) {}

  ArrivedGradients run() {
    for (size_t i = 0; i < arrived_.size(); ++i) {
      const GraphValue* gradient = function_.params[first_ + i].get();
      varying_.insert(gradient);
      if (!arrived_[i]) zero_.insert(gradient);
    }
    for (const auto& node : function_.nodes) {
      same_.apply(*node);
      look_at(*node);
    }
    same_.apply_to_end(function_);
    ArrivedGradients left;
    left.gives = drop_results();
    left.takes = drop_params();
    return left;
  }

 private:
  bool is_zero(const Value& value) const { return zero_.contains(value.get()); }

  void look_at(const Node& node) {
    if (node.kind == NodeKind::kConstant) return;
    bool varies = false;
    bool all_zero = true;
    for (const Arg& arg : node.args) {
      ir::for_each_value(arg, [&](const Value& value) {
        if (!varying_.contains(value.get())) return;
        varies = true;
        all_zero = all_zero && is_zero(value);
      });
    }
    if (!varies) return;
    const Value sum = all_zero ? Value() : other_summand(node);
    for (const auto& result : node.results) {
      if (result->kind == GraphValue::Kind::kToken) continue;
      varying_.insert(result.get());
      if (all_zero && result->kind != GraphValue::Kind::kNumber) zero_.insert(result.get());
      if (!sum) continue;
      same_.replace(*result, sum);
      replaced_.insert(result.get());
    }
  }

  /// What is left of a sum where the rest of it is zero; empty if the node is no such sum. A sum made in
  /// place is written over its first part.
  Value other_summand(const Node& node) const {
    static const Op& add = OpTable::instance().get("add");
    static const Op& copy_into = OpTable::instance().get("copy_into");
    static const Op& assign = OpTable::instance().get("assign");
    if (node.kind != NodeKind::kOperator) return {};
    const bool is_write = node.op == &copy_into || node.op == &assign;
    auto* first = node.args.empty() ? nullptr : node.args[0].get<Value>();
    auto* second = node.args.size() < 2 ? nullptr : node.args[1].get<Value>();
    if ((node.op != &add && !is_write) || !first || !second || is_zero(*first) == is_zero(*second)) return {};
    const Value& other = is_zero(*first) ? *second : *first;
    if (is_write && other == *first) return {};
    const GraphValue& result = *node.results[0];
    return other->dtype == result.dtype && other->shape == result.shape ? other : Value();
  }

  std::vector<bool> drop_results() {
    std::vector<bool> gives;
    std::vector<ir::GraphValueRef> kept;
    for (const auto& result : function_.results) {
      const bool is_token = result->kind == GraphValue::Kind::kToken;
      const bool stays = is_token || (varying_.contains(result.get()) && !zero_.contains(result.get()));
      if (!is_token) gives.push_back(stays);
      if (stays) kept.push_back(result);
    }
    function_.results = std::move(kept);
    return gives;
  }

  /// A gradient that tells a size stays; who runs the function gives zeros.
  std::vector<bool> drop_params() {
    std::unordered_set<const ValueImpl*> used = needed();
    std::vector<bool> takes;
    size_t next = first_;
    for (size_t i = 0; i < arrived_.size(); ++i) {
      const GraphValue& gradient = *function_.params[next];
      const bool stays = arrived_[i] || used.contains(&gradient) || !all_known(gradient.shape);
      takes.push_back(stays);
      const auto at = static_cast<std::ptrdiff_t>(next);
      if (stays) {
        ++next;
      } else {
        function_.params.erase(function_.params.begin() + at);
        function_.state.erase(function_.state.begin() + at);
      }
    }
    for (size_t i = 0; i < function_.params.size(); ++i) {
      function_.params[i]->index = static_cast<uint32_t>(i);
    }
    return takes;
  }

  /// Drops what only zeros were made for; gives the values that are left in use.
  std::unordered_set<const ValueImpl*> needed() {
    std::unordered_set<const ValueImpl*> used;
    for (const auto& result : function_.results) used.insert(result.get());
    for (auto at = function_.nodes.end(); at != function_.nodes.begin();) {
      const Node& node = **--at;
      bool used_later = node.results.empty();
      bool left_out = node.kind == NodeKind::kOperator;
      for (const auto& result : node.results) {
        used_later = used_later || used.contains(result.get());
        left_out = left_out && (zero_.contains(result.get()) || replaced_.contains(result.get()));
      }
      const bool drops = !used_later && (left_out || may_drop(node));
      if (drops) {
        at = function_.nodes.erase(at);
        continue;
      }
      for (const Arg& arg : node.args) {
        ir::for_each_value(arg, [&](const Value& value) { used.insert(value.get()); });
      }
    }
    return used;
  }

  Function& function_;
  const size_t first_;
  const std::vector<bool>& arrived_;
  Substitution same_;
  std::unordered_set<const ValueImpl*> replaced_;
  std::unordered_set<const ValueImpl*> varying_;  ///< depends on a gradient
  std::unordered_set<const ValueImpl*> zero_;     ///< depends on absent gradients alone
};

}  // namespace

ArrivedGradients drop_absent_gradients(ir::Module& module, size_t first, const std::vector<bool>& arrived) {
  return Dropping(module.main(), first, arrived).run();
}

}  // namespace dyad::passes
