#include "passes/hoist_weight_preprocessing.h"

#include <unordered_map>

#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

/// A prepared value is kept as long as the program: it may be so many times larger than what it is made of.
constexpr int64_t kMostGrowth = 16;

int64_t bytes_of(const GraphValue& value) { return numel(value.shape) * itemsize(value.dtype); }

class Separation {
 public:
  explicit Separation(ir::Module& module)
      : main_(module.main()), rewriter_(main_), uses_(module), memory_(main_, uses_) {}

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
    std::unordered_set<size_t> written = memory_.groups_written();
    for (const auto& update : main_.updates) written.insert(memory_.group(*main_.params[update.index]));
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
        ir::for_each_operand(*node, [&](const Value& value) { bytes += source_bytes_.at(value.get()); });
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
    if (!table_op(node) || !may_drop(node) || !may_merge(node)) return false;
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

  /// Nodes that are computed apart and whose results the rest of the program uses.
  void find_needed() {
    for (const auto& result : main_.results) given_.insert(memory_.group(*result));
    for (const auto& node : main_.nodes) {
      if (!is_apart(*node)) continue;
      bool used = false;
      for (const auto& result : node->results) {
        used = used || rewriter_.is_returned(*result);
        rewriter_.for_each_user(*result, [&](const Node& user) { used = used || !is_apart(user); });
      }
      if (used) needed_.insert(node.get());
    }
  }

  bool is_apart(const Node& node) const {
    return prepared_.contains(&node) && !is_view(node) && !gives_result(node);
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
    rewriter_.walk([&](Node& node) {
      if (!needed_.contains(&node)) return;
      ValueList prepared;
      for (const auto& result : node.results) {
        prepared.emplace_back(&main_.add_param(result->kind, result->dtype, result->shape, "prepared"));
        target_->results.push_back(copies_.at(result.get()));
      }
      rewriter_.replace(node, prepared);
    });
  }

  /// Writes the node, and first what it needs, into the preparation.
  void compute(const Node& node) {
    if (copies_.contains(node.results[0].get())) return;
    std::vector<Arg> args = ir::map_arguments(node, [&](const Value& value) { return provided(value); });
    Node& made = target_->add_node(node.kind);
    ir::copy_node(node, made, std::move(args));
    for (size_t i = 0; i < node.results.size(); ++i) copies_[node.results[i].get()] = made.results[i];
  }

  GraphValueRef provided(const Value& wanted) {
    const GraphValue& value = ir::as_graph_value(wanted);
    if (value.producer) compute(*value.producer);
    GraphValueRef& copy = copies_[&value];
    if (!copy) {
      copy = GraphValueRef(&target_->add_param(value.kind, value.dtype, value.shape, value.name, true));
      made_.sources.push_back(value.index);
    }
    return copy;
  }

  Function& main_;
  Rewriter rewriter_;
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
