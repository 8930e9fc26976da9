#include "passes/hoist_weight_preprocessing.h"

#include <unordered_map>
#include <unordered_set>

#include "ops/op.h"
#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;

/// A prepared value is kept as long as the program: it may be so many times larger than what it is made of.
constexpr int64_t kMostGrowth = 16;

int64_t bytes_of(const GraphValue& value) { return numel(value.shape) * itemsize(value.dtype); }

bool is_view(const Node& node) {
  auto* op = dynamic_cast<const Op*>(node.op);
  return op && op->view;
}

/// Groups of values in whose memory something is written.
std::unordered_set<size_t> groups_written(const Function& function, const ModuleMemory& module,
                                          const FunctionMemory& memory) {
  std::unordered_set<size_t> written;
  for (const auto& node : function.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    for (size_t i = 0; i < node->args.size(); ++i) {
      if (!module.consumes(*node, i)) continue;
      ir::for_each_value(node->args[i], [&](const Value& value) { written.insert(memory.group(*value)); });
    }
  }
  for (const auto& update : function.updates) {
    written.insert(memory.group(*function.params[update.index]));
  }
  return written;
}

class Separation {
 public:
  explicit Separation(ir::Module& module) : main_(module.main()), uses_(module), memory_(main_, uses_) {}

  Preparation run() {
    find_prepared();
    find_needed();
    if (needed_.empty()) return {};
    made_.module = std::make_shared<ir::Module>();
    target_ = &made_.module->add_function("prepare");
    move_nodes();
    return std::move(made_);
  }

 private:
  /// Marks what could be prepared: sources, constants and pure operators on those.
  void find_prepared() {
    const std::unordered_set<size_t> written = groups_written(main_, uses_, memory_);
    for (size_t i = 0; i < main_.params.size(); ++i) {
      const GraphValue& param = *main_.params[i];
      const bool fixed = main_.state[i] && param.kind == GraphValue::Kind::kTensor &&
                         all_known(param.shape) && !written.contains(memory_.group(param));
      if (fixed) source_bytes_[&param] = bytes_of(param);
    }
    for (const auto& node : main_.nodes) {
      if (node->kind == NodeKind::kConstant) {
        source_bytes_[node->results[0].get()] = 0;
      } else if (may_prepare(*node)) {
        int64_t bytes = 0;
        for_each_operand(*node, [&](const Value& value) { bytes += source_bytes_.at(value.get()); });
        if (bytes == 0) continue;  // of constants alone: what could be folded was folded
        for (const auto& result : node->results) {
          if (bytes_of(*result) > kMostGrowth * bytes + 1024) bytes = 0;
        }
        if (bytes == 0 || written_to(*node, written)) continue;
        for (const auto& result : node->results) source_bytes_[result.get()] = bytes;
        prepared_.insert(node.get());
      }
    }
  }

  bool may_prepare(const Node& node) const {
    if (node.kind != NodeKind::kOperator || !dynamic_cast<const Op*>(node.op)) return false;
    if (!may_drop(node) || !may_merge(node)) return false;
    for (const Arg& arg : node.args) {
      bool known = true;
      ir::for_each_value(arg,
                         [&](const Value& value) { known = known && source_bytes_.contains(value.get()); });
      auto* dims = arg.get<Dims>();
      if (!known || (dims && !all_known(*dims))) return false;
    }
    for (const auto& result : node.results) {
      if (!all_known(result->shape)) return false;
    }
    return true;
  }

  bool written_to(const Node& node, const std::unordered_set<size_t>& written) const {
    for (const auto& result : node.results) {
      if (written.contains(memory_.group(*result))) return true;
    }
    return false;
  }

  template <class Visit>
  static void for_each_operand(const Node& node, const Visit& visit) {
    if (node.kind == NodeKind::kConstant) return;
    for (const Arg& arg : node.args) ir::for_each_value(arg, visit);
  }

  /// Values that the rest of the program uses, and then, backwards, the nodes that they are made by.
  void find_needed() {
    std::unordered_set<const ValueImpl*> used;
    for (const auto& result : main_.results) {
      used.insert(result.get());
      given_.insert(memory_.group(*result));
    }
    for (const auto& update : main_.updates) used.insert(update.value.get());
    for (auto at = main_.nodes.rbegin(); at != main_.nodes.rend(); ++at) {
      const Node& node = **at;
      const bool apart = prepared_.contains(&node) && !is_view(node) && !gives_result(node);
      if (!apart) for_each_operand(node, [&](const Value& value) { used.insert(value.get()); });
      if (!apart) continue;
      bool outside = false;
      for (const auto& result : node.results) outside = outside || used.contains(result.get());
      if (outside) needed_.insert(&node);
    }
  }

  /// A result of the program is memory of its own, and not what is kept for the next run.
  bool gives_result(const Node& node) const {
    for (const auto& result : node.results) {
      if (given_.contains(memory_.group(*result))) return true;
    }
    return false;
  }

  void move_nodes() {
    for (const auto& node : main_.nodes) {
      if (needed_.contains(node.get())) compute(*node);
    }
    Substitution substitution;
    std::vector<std::unique_ptr<Node>> gone;  // the substitution knows their results by address
    for (auto at = main_.nodes.begin(); at != main_.nodes.end();) {
      if (!needed_.contains(at->get())) {
        if ((*at)->kind != NodeKind::kConstant) substitution.apply(**at);
        ++at;
        continue;
      }
      const Node& node = **at;
      for (const auto& result : node.results) {
        GraphValue& param = main_.add_param(result->kind, result->dtype, result->shape, "prepared");
        substitution.replace(*result, Value(GraphValueRef(&param)));
        target_->results.push_back(copies_.at(result.get()));
      }
      gone.push_back(std::move(*at));
      at = main_.nodes.erase(at);
    }
    substitution.apply_to_end(main_);
  }

  /// Writes the node, and first what it needs, into the preparation.
  void compute(const Node& node) {
    if (copies_.contains(node.results[0].get())) return;
    for_each_operand(node, [&](const Value& value) { provide(ir::as_graph_value(value)); });
    Node& made = target_->add_node(node.kind);
    made.op = node.op;
    made.location = node.location;
    for (const Arg& arg : node.args) made.args.push_back(node.kind == NodeKind::kConstant ? arg : moved(arg));
    for (const auto& result : node.results) {
      GraphValue& copy = made.add_result(result->kind, result->dtype, result->shape, result->name);
      copies_[result.get()] = GraphValueRef(&copy);
    }
  }

  void provide(const GraphValue& value) {
    if (copies_.contains(&value)) return;
    if (value.producer) return compute(*value.producer);
    copies_[&value] =
        GraphValueRef(&target_->add_param(value.kind, value.dtype, value.shape, value.name, true));
    made_.sources.push_back(value.index);
  }

  Value moved(const Value& value) const { return value ? Value(copies_.at(value.get())) : value; }
  Arg moved(const Arg& arg) const {
    if (auto* value = arg.get<Value>()) return moved(*value);
    auto* list = arg.get<ValueList>();
    if (!list) return arg;
    ValueList members;
    for (const Value& value : *list) members.push_back(moved(value));
    return members;
  }

  Function& main_;
  const ModuleMemory uses_;
  const FunctionMemory memory_;
  std::unordered_map<const ValueImpl*, int64_t> source_bytes_;  ///< of what can be prepared, and its sources
  std::unordered_set<const Node*> prepared_;
  std::unordered_set<size_t> given_;        ///< groups of the program's results
  std::unordered_set<const Node*> needed_;  ///< those whose results the program is given
  std::unordered_map<const ValueImpl*, GraphValueRef> copies_;
  Preparation made_;
  Function* target_ = nullptr;
};

}  // namespace

Preparation hoist_weight_preprocessing(ir::Module& module) { return Separation(module).run(); }

}  // namespace dyad::passes
