#include "passes/pack_weights.h"

#include <unordered_map>
#include <unordered_set>

#include "ops/op.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;

// A panel has 64 columns; fewer than these leave most of it empty.
constexpr int64_t kLeastColumns = 6;

const Op& op_named(std::string_view name) { return OpTable::instance().get(name); }

class WeightPacker {
 public:
  WeightPacker(Function& main, const ModuleMemory& module) : main_(main), memory_(main, module) {
    for (const auto& node : main.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (module.consumes(*node, i))
          ir::for_each_value(node->args[i], [&](const Value& v) { note_written(v); });
      }
    }
    for (const auto& update : main.updates) note_written(Value(main.params[update.index]));
  }

  void run() {
    Substitution substitution;
    std::vector<std::unique_ptr<Node>> replaced;
    for (auto at = main_.nodes.begin(); at != main_.nodes.end();) {
      Node& node = **at;
      if (node.kind != NodeKind::kConstant) substitution.apply(node);
      Node* product = takes_weight(node) ? packed_product(at) : nullptr;
      if (!product) {
        ++at;
        continue;
      }
      substitution.replace(*node.results[0], Value(product->results[0]));
      replaced.push_back(std::move(*at));  // the substitution still knows its result by its address
      at = main_.nodes.erase(at);
    }
    substitution.apply_to_end(main_);
  }

 private:
  void note_written(const Value& value) { written_.insert(memory_.group(*value)); }

  static bool is_dense(const Node& node) {
    static const Op& dense = op_named("dense");
    return node.op == &dense;
  }

  /// Whether the node is a product with a matrix of a kind that is packed.
  bool takes_weight(const Node& node) const {
    static const Op& matmul = op_named("matmul");
    if (node.kind != NodeKind::kOperator || (!is_dense(node) && node.op != &matmul)) return false;
    const Value& input = *node.args[0].get<Value>();
    const Value& weight = *node.args[1].get<Value>();
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
    if (!weight.producer) return main_.state[weight.index];
    const Node& node = *weight.producer;
    auto* op = dynamic_cast<const Op*>(node.op);
    if (node.kind != NodeKind::kOperator || !op || !op->view || !op->signature.params.size()) return false;
    auto* base = node.args[0].get<Value>();
    return base && keeps_elements(ir::as_graph_value(*base));
  }

  Node* packed_product(Function::Nodes::iterator place) {
    const Node& node = **place;
    const Value weight = *node.args[1].get<Value>();
    if (!keeps_elements(ir::as_graph_value(weight))) return nullptr;
    static const Op& product = op_named("panel_product");
    const Value panels = panels_of(place, weight, is_dense(node));
    const GraphValue& result = *node.results[0];
    const bool has_bias = is_dense(node) && !node.args[2].none();
    return &add(place, product,
                {node.args[0], panels, result.shape.back().value(), has_bias ? node.args[2] : Arg(), "",
                 ValueList(), Floats()},
                result.dtype, result.shape, result.name);
  }

  Value panels_of(Function::Nodes::iterator place, const Value& weight, bool transposed) {
    static const Op& permute = op_named("permute");
    static const Op& pack = op_named("pack_panels");
    Value& panels = transposed ? transposed_[weight.get()] : plain_[weight.get()];
    if (panels) return panels;
    Value matrix = weight;
    if (transposed) {
      const Shape shape{weight->shape[1], weight->shape[0]};
      matrix = Value(add(place, permute, {weight, Dims{1, 0}}, weight->dtype, shape).results[0]);
    }
    const Arg packed[] = {matrix};
    const std::vector<ResultSpec> specs = pack.infer_results(packed);
    panels = Value(add(place, pack, {matrix}, specs[0].dtype, specs[0].shape).results[0]);
    return panels;
  }

  Node& add(Function::Nodes::iterator place, const Op& op, std::initializer_list<Arg> args, DType dtype,
            const Shape& shape, std::string name = {}) {
    Node& made = main_.insert_node(place, NodeKind::kOperator);
    made.op = &op;
    made.args = args;
    made.location = (*place)->location;
    made.add_result(GraphValue::Kind::kTensor, dtype, shape, std::move(name));
    return made;
  }

  Function& main_;
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
