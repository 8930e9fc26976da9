#include "passes/simplify.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "passes/memory.h"
#include "passes/simplify_rules.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::Node;
using ir::NodeKind;

using RuleOf = std::unordered_map<const Operator*, SimplifyRule>;

const RuleOf& rules() {
  static const RuleOf found = [] {
    RuleOf made;
    for (const auto& [op, apply] : arithmetic_rules()) made.emplace(&OpTable::instance().get(op), apply);
    for (const Op* op : OpTable::instance().all()) {
      const auto rule = std::ranges::find(movement_rules(), op->movement, &MovementRule::movement);
      if (rule != movement_rules().end()) made.emplace(op, rule->apply);
    }
    return made;
  }();
  return found;
}

/// The operator of the table that makes a value; null where none does.
const Op* maker_of(const Value& value) {
  const Node* producer = value->data ? nullptr : ir::as_graph_value(value).producer;
  return producer && producer->kind == NodeKind::kOperator ? dynamic_cast<const Op*>(producer->op) : nullptr;
}

class Simplifier {
 public:
  Simplifier(Function& function, const ModuleMemory& module)
      : function_(function), memory_(function, module) {
    const auto note = [&](const Value& value) { written_.insert(memory_.group(*value)); };
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (node->kind == NodeKind::kHost || module.consumes(*node, i))
          ir::for_each_value(node->args[i], note);
      }
    }
    for (const auto& update : function.updates) note(update.value);
    for (const auto& result : function.results) leaving_.insert(result.get());
  }

  void run() {
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      substitution_.apply(node);
      if (!simplify(node)) {
        ++at;
        continue;
      }
      dropped_.push_back(std::move(*at));  // the substitution still knows its result by its address
      at = function_.nodes.erase(at);
    }
    substitution_.apply_to_end(function_);
  }

 private:
  bool is_written(const ValueImpl& value) const { return written_.contains(memory_.group(value)); }
  bool reads_written(const Node& node) const {
    bool found = false;
    for (const Arg& arg : node.args) {
      ir::for_each_value(arg, [&](const Value& value) { found = found || is_written(*value); });
    }
    return found;
  }

  /// Whether the node is not needed any more.
  bool simplify(Node& node) {
    static const Op& copy = OpTable::instance().get("copy");
    if (node.kind != NodeKind::kOperator || node.results.size() != 1) return false;
    // Of memory that is written, a later node would see another version than an earlier one.
    if (is_written(*node.results[0]) || reads_written(node)) return false;
    for (;;) {
      const auto rule = rules().find(node.op);
      if (rule == rules().end()) return false;
      const Simpler found = rule->second(node);
      if (found.kind == Simpler::Kind::kChanged) continue;
      if (found.kind == Simpler::Kind::kNo || is_written(*found.value)) return false;
      if (found.kind == Simpler::Kind::kShown) {
        if (leaving_.contains(node.results[0].get())) return false;
        substitution_.replace(*node.results[0], found.value);
        return true;
      }
      node.op = &copy;
      node.args = {found.value};
      return false;
    }
  }

  Function& function_;
  const FunctionMemory memory_;
  std::unordered_set<size_t> written_;  ///< groups
  std::unordered_set<const ValueImpl*> leaving_;
  Substitution substitution_;
  std::vector<std::unique_ptr<Node>> dropped_;
};

constexpr int kDeepest = 8;

std::optional<Scalar> uniform(const Value& value, int depth) {
  const Node* producer = value->data ? nullptr : ir::as_graph_value(value).producer;
  if (!producer || depth == kDeepest) return {};
  if (producer->kind == NodeKind::kConstant) {
    if (auto* number = producer->args[0].get<Scalar>()) return *number;
    const ValueImpl& tensor = **producer->args[0].get<Value>();
    if (tensor.size() != 1 || is_complex(tensor.dtype)) return {};
    return load(tensor.dtype, tensor.data);
  }
  const Op* op = maker_of(value);
  if (!op) return {};
  if (op->movement == Movement::kFill) {
    auto* number = producer->args[1].get<Scalar>();
    // Another dtype may round the number.
    const bool exact = number && (is_float(value->dtype) || number->kind() != Scalar::Kind::kFloat) &&
                       (number->to_double() == 0 || number->to_double() == 1);
    return exact ? std::optional(*number) : std::nullopt;
  }
  const Movement movement = op->movement;
  const bool keeps_elements = movement == Movement::kIdentity || movement == Movement::kBroadcast ||
                              movement == Movement::kReshape || movement == Movement::kPermute;
  return keeps_elements ? uniform(*producer->args[0].get<Value>(), depth + 1) : std::nullopt;
}

}  // namespace

const Node* made_by(const Arg& arg, std::string_view op) {
  auto* value = arg.get<Value>();
  const Node* producer = value && !(*value)->data ? ir::as_graph_value(*value).producer : nullptr;
  return producer && producer->kind == NodeKind::kOperator && producer->op->name == op ? producer : nullptr;
}

const Node* made_by(const Arg& arg, Movement movement) {
  auto* value = arg.get<Value>();
  const Op* op = value ? maker_of(*value) : nullptr;
  return op && op->movement == movement ? ir::as_graph_value(*value).producer : nullptr;
}

std::optional<Scalar> uniform(const Arg& arg) {
  if (auto* number = arg.get<Scalar>()) return *number;
  auto* value = arg.get<Value>();
  return value ? uniform(*value, 0) : std::nullopt;
}

void simplify(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) Simplifier(*function, memory).run();
  }
}

}  // namespace dyad::passes
