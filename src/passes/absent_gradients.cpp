#include "passes/absent_gradients.h"

#include <unordered_set>

#include "passes/effects.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

class Dropping {
 public:
  Dropping(Function& function, size_t first, const std::vector<bool>& arrived)
      : function_(function), rewriter_(function), first_(first), arrived_(arrived) {}

  ArrivedGradients run() {
    for (size_t i = 0; i < arrived_.size(); ++i) {
      const GraphValue* gradient = function_.params[first_ + i].get();
      varying_.insert(gradient);
      if (!arrived_[i]) zero_.insert(gradient);
    }
    rewriter_.walk([&](Node& node) { look_at(node); });
    ArrivedGradients left;
    left.gives = drop_results();
    left.takes = drop_params();
    return left;
  }

 private:
  bool is_zero(const Value& value) const { return zero_.contains(value.get()); }

  void look_at(const Node& node) {
    bool varies = false;
    bool all_zero = true;
    ir::for_each_operand(node, [&](const Value& value) {
      if (!varying_.contains(value.get())) return;
      varies = true;
      all_zero = all_zero && is_zero(value);
    });
    if (!varies) return;
    const Value sum = all_zero ? Value() : other_summand(node);
    for (const auto& result : node.results) {
      if (result->kind == GraphValue::Kind::kToken) continue;
      varying_.insert(result.get());
      if (all_zero && result->kind != GraphValue::Kind::kNumber) zero_.insert(result.get());
      if (!sum) continue;
      rewriter_.replace_all_uses(*result, sum);
      replaced_.insert(result.get());
    }
  }

  /// What is left of a sum where the rest of it is zero; empty if the node is no such sum. A sum made in
  /// place is written over its first part.
  Value other_summand(const Node& node) const {
    const bool is_write = moves(node, Movement::kWrite);
    if (!is_write && !is_op(node, "add")) return {};
    auto* first = node.args.empty() ? nullptr : node.args[0].get<Value>();
    auto* second = node.args.size() < 2 ? nullptr : node.args[1].get<Value>();
    if (!first || !second || is_zero(*first) == is_zero(*second)) return {};
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
    rewriter_.results_changed();
    return gives;
  }

  /// A gradient that tells a size stays; who runs the function gives zeros.
  std::vector<bool> drop_params() {
    drop_nodes();
    std::vector<bool> takes;
    size_t next = first_;
    for (size_t i = 0; i < arrived_.size(); ++i) {
      const GraphValue& gradient = *function_.params[next];
      const bool stays = arrived_[i] || rewriter_.use_count(gradient) > 0 || !all_known(gradient.shape);
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

  /// Drops what only zeros were made for.
  void drop_nodes() {
    rewriter_.walk_backward([&](Node& node) {
      bool used = node.results.empty();
      bool left_out = node.kind == NodeKind::kOperator;
      for (const auto& result : node.results) {
        used = used || rewriter_.use_count(*result) > 0;
        left_out = left_out && (zero_.contains(result.get()) || replaced_.contains(result.get()));
      }
      if (!used && (left_out || may_drop(node))) rewriter_.erase(node);
    });
  }

  Function& function_;
  Rewriter rewriter_;
  const size_t first_;
  const std::vector<bool>& arrived_;
  std::unordered_set<const ValueImpl*> replaced_;
  std::unordered_set<const ValueImpl*> varying_;  ///< depends on a gradient
  std::unordered_set<const ValueImpl*> zero_;     ///< depends on absent gradients alone
};

}  // namespace

ArrivedGradients drop_absent_gradients(ir::Module& module, size_t first, const std::vector<bool>& arrived) {
  return Dropping(module.main(), first, arrived).run();
}

}  // namespace dyad::passes
