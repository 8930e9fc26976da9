#include "passes/simplify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "passes/memory.h"
#include "passes/simplify_rules.h"

namespace dyad::passes {

namespace {

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

class Simplifier {
 public:
  Simplifier(Function& function, const ModuleMemory& module)
      : rewriter_(function), memory_(function, module), written_(memory_.groups_written_or_shown()) {
    for (const auto& update : function.updates) written_.insert(memory_.group(*update.value));
  }

  void run() {
    rewriter_.walk([&](Node& node) { simplify(node); });
  }

 private:
  bool is_written(const ValueImpl& value) const { return written_.contains(memory_.group(value)); }
  bool reads_written(const Node& node) const {
    bool found = false;
    ir::for_each_operand(node, [&](const Value& value) { found = found || is_written(*value); });
    return found;
  }

  void simplify(Node& node) {
    static const Op& copy = op_named("copy");
    if (node.kind != NodeKind::kOperator || node.results.size() != 1) return;
    // Of memory that is written, a later node would see another version than an earlier one.
    if (is_written(*node.results[0]) || reads_written(node)) return;
    for (;;) {
      const auto rule = rules().find(node.op);
      if (rule == rules().end()) return;
      const Simpler found = rule->second(node);
      if (found.kind == Simpler::Kind::kChanged) {
        rewriter_.arguments_changed(node);
        continue;
      }
      if (found.kind == Simpler::Kind::kNo || is_written(*found.value)) return;
      if (found.kind == Simpler::Kind::kShown) {
        if (!rewriter_.is_returned(*node.results[0])) rewriter_.replace(node, found.value);
        return;
      }
      node.op = &copy;
      node.args = {found.value};
      return rewriter_.arguments_changed(node);
    }
  }

  Rewriter rewriter_;
  const FunctionMemory memory_;
  std::unordered_set<size_t> written_;  ///< groups
};

constexpr int kDeepest = 8;

std::optional<Scalar> uniform(const Value& value, int depth) {
  const Node* producer = ir::producer_of(value);
  if (!producer || depth == kDeepest) return {};
  if (producer->kind == NodeKind::kConstant) {
    if (auto* number = producer->args[0].get<Scalar>()) return *number;
    const ValueImpl& tensor = **producer->args[0].get<Value>();
    const bool here = tensor.device.kind == DeviceKind::kCpu;
    if (!here || tensor.size() != 1 || is_complex(tensor.dtype)) return {};
    return load(tensor.dtype, tensor.data);
  }
  const Op* op = table_op(*producer);
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
  return keeps_elements ? uniform(value_at(*producer, 0), depth + 1) : std::nullopt;
}

}  // namespace

const Node* made_by(const Arg& arg, Movement movement) {
  const Node* producer = ir::producer_of(arg);
  const Op* op = producer ? table_op(*producer) : nullptr;
  return op && op->movement == movement ? producer : nullptr;
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
