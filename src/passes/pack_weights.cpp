#include "passes/pack_weights.h"

#include <unordered_map>

#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

// A panel has 64 columns; fewer than these leave most of it empty.
constexpr int64_t kLeastColumns = 6;

class WeightPacker {
 public:
  WeightPacker(Function& main, const ModuleMemory& module)
      : rewriter_(main), memory_(main, module), written_(memory_.groups_written()) {
    for (const auto& update : main.updates) written_.insert(memory_.group(*main.params[update.index]));
  }

  void run() {
    rewriter_.walk([&](Node& node) {
      if (takes_weight(node) && keeps_elements(ir::as_graph_value(value_at(node, 1)))) pack(node);
    });
  }

 private:
  /// Whether the node is a product with a matrix of a kind that is packed.
  bool takes_weight(const Node& node) const {
    if (!is_op(node, "dense") && !is_op(node, "matmul")) return false;
    const Value& input = value_at(node, 0);
    const Value& weight = value_at(node, 1);
    const DType dtype = node.results[0]->dtype;
    const bool floats = dtype == DType::kFloat32 || dtype == DType::kFloat64;
    const bool same = input->dtype == dtype && weight->dtype == dtype;
    const bool matrix = weight->rank() == 2 && all_known(weight->shape) && input->rank() >= 1;
    if (!floats || !same || !matrix) return false;
    const int64_t columns = node.results[0]->shape.back().value();
    return columns >= kLeastColumns && numel(weight->shape) > 0;
  }

  /// Whether the value is a Parameter, or a view of one, that keeps its elements while the program runs.
  bool keeps_elements(const GraphValue& weight) const {
    if (!memory_.knows(weight) || written_.contains(memory_.group(weight))) return false;
    if (!weight.producer) return rewriter_.function().state[weight.index];
    if (!is_view(*weight.producer) || weight.producer->args.empty()) return false;
    auto* base = weight.producer->args[0].get<Value>();
    return base && keeps_elements(ir::as_graph_value(*base));
  }

  void pack(Node& node) {
    const bool is_dense = is_op(node, "dense");
    const Value panels = panels_of(value_at(node, 1), is_dense);
    const bool has_bias = is_dense && !node.args[2].none();
    rewriter_.replace_with(node, op_named("panel_product"),
                           {node.args[0], panels, node.results[0]->shape.back().value(),
                            has_bias ? node.args[2] : Arg(), "", ValueList(), Floats()});
  }

  Value panels_of(const Value& weight, bool transposed) {
    Value& panels = transposed ? transposed_[weight.get()] : plain_[weight.get()];
    if (!panels) {
      const Value matrix = transposed ? insert(rewriter_, "permute", {weight, Dims{1, 0}}) : weight;
      panels = insert(rewriter_, "pack_panels", {matrix});
    }
    return panels;
  }

  Rewriter rewriter_;
  const FunctionMemory memory_;
  std::unordered_set<size_t> written_;  ///< groups
  std::unordered_map<const ValueImpl*, Value> plain_;
  std::unordered_map<const ValueImpl*, Value> transposed_;
};

}  // namespace

void pack_weights(ir::Module& module) {
  const ModuleMemory memory(module);
  WeightPacker(module.main(), memory).run();
}

}  // namespace dyad::passes
