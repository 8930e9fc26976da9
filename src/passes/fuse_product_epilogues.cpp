#include "passes/fuse_product_epilogues.h"

#include <unordered_map>

#include "ops/op.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::Node;
using ir::NodeKind;
using Place = Function::Nodes::iterator;

// Multiplications from which on a product is left to the library.
constexpr int64_t kLargeProduct = int64_t{1} << 23;

bool is_op(const Node& node, const Op& op) { return node.kind == NodeKind::kOperator && node.op == &op; }

bool is_packed(const Node& node) {
  static const Op& packed = OpTable::instance().get("panel_product");
  return is_op(node, packed);
}

bool is_dense(const Node& node) {
  static const Op& dense = OpTable::instance().get("dense");
  return is_op(node, dense);
}

/// Whether elementwise steps may be put behind the node.
bool takes_steps(const Node& node) {
  static const Op& matmul = OpTable::instance().get("matmul");
  if (is_packed(node)) return true;
  if (!is_op(node, matmul) && !is_dense(node)) return false;
  const GraphValue& result = *node.results[0];
  if (result.dtype != DType::kFloat32 && result.dtype != DType::kFloat64) return false;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    if (value && ((*value)->dtype != result.dtype || !all_known((*value)->shape))) return false;
  }
  const Value& left = *node.args[0].get<Value>();
  const Value& right = *node.args[1].get<Value>();
  return right->rank() == 2 && numel(result.shape) * left->shape.back().value() < kLargeProduct;
}

/// Whether an argument can be the second operand of a step on `value`.
bool is_second(const Arg& arg, const ValueImpl& value) {
  if (auto* tensor = arg.get<Value>()) {
    return ir::as_graph_value(*tensor).kind == GraphValue::Kind::kTensor && (*tensor)->dtype == value.dtype &&
           all_known((*tensor)->shape);
  }
  auto* number = arg.get<Scalar>();
  return number && number->kind() != Scalar::Kind::kComplex;
}

class StepAttacher {
 public:
  StepAttacher(Function& function, const ModuleMemory& module) : function_(function), module_(module) {
    const auto count = [&](const Value& value) { ++uses_[value.get()]; };
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (const Arg& arg : node->args) ir::for_each_value(arg, count);
    }
    for (const auto& result : function.results) count(Value(result));
    for (const auto& update : function.updates) count(Value(update.value));
  }

  void run() {
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      if (node.kind != NodeKind::kConstant) substitution_.apply(node);
      if (writes(node)) products_.clear();  // none may move past a write
      const Place product = product_before(node);
      if (product == function_.nodes.end()) {
        if (takes_steps(node)) products_[node.results[0].get()] = at;
        ++at;
        continue;
      }
      Node& made = extended(at, **product, node);
      substitution_.replace(*node.results[0], Value(made.results[0]));
      uses_[made.results[0].get()] = uses_[node.results[0].get()];
      products_[made.results[0].get()] = std::prev(at);
      remove(product);
      at = remove(at);
    }
    substitution_.apply_to_end(function_);
  }

 private:
  bool writes(const Node& node) const {
    if (node.kind == NodeKind::kHost) return true;
    if (node.kind == NodeKind::kConstant) return false;
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (module_.consumes(node, i)) return true;
    }
    return false;
  }

  /// The product that the node can be a step of: the node is the only use of what it gives.
  Place product_before(const Node& node) {
    auto* op = node.kind == NodeKind::kOperator ? dynamic_cast<const Op*>(node.op) : nullptr;
    const bool fits = op && op->elementwise && op->writes < 0 && op->signature.params.size() <= 2;
    for (size_t place = 0; fits && place < node.args.size(); ++place) {
      auto* value = node.args[place].get<Value>();
      const auto found = value ? products_.find(value->get()) : products_.end();
      if (found == products_.end() || uses_[value->get()] != 1) continue;
      const bool first = place == 0 || op->name == "add" || op->name == "mul";
      const bool same = node.results[0]->same_type(ir::as_graph_value(*value));
      if (!first || !same) continue;
      if (node.args.size() == 1 || is_second(node.args[1 - place], **value)) return found->second;
    }
    return function_.nodes.end();
  }

  /// The product with one more step, in the place of that step.
  Node& extended(Place place, const Node& product, const Node& step) {
    static const Op& plain = OpTable::instance().get("product");
    std::vector<Arg> args = product.args;
    if (!is_packed(product) && product.op != &plain) {
      args[1] = right_matrix(place, product);
      args.resize(3);
      args.emplace_back("");
      args.emplace_back(ValueList());
      args.emplace_back(Floats());
    }
    const size_t first = args.size() - 3;
    std::string text = *args[first].get<std::string>();
    ValueList operands = *args[first + 1].get<ValueList>();
    Floats numbers = *args[first + 2].get<Floats>();
    text += text.empty() ? "" : " ";
    text += step.op->name;
    for (const Arg& arg : step.args) {
      auto* value = arg.get<Value>();
      if (value && value->get() == product.results[0].get()) continue;
      if (value) {
        operands.push_back(*value);
      } else {
        numbers.push_back(arg.get<Scalar>()->to_double());
        text += '#';
      }
    }
    args[first] = std::move(text);
    args[first + 1] = std::move(operands);
    args[first + 2] = std::move(numbers);
    const GraphValue& result = *step.results[0];
    Node& made = function_.insert_node(place, NodeKind::kOperator);
    made.op = is_packed(product) ? product.op : &plain;
    made.args = std::move(args);
    made.location = product.location;
    made.add_result(GraphValue::Kind::kTensor, result.dtype, result.shape, result.name);
    return made;
  }

  /// The second operand as a matrix of k rows.
  Value right_matrix(Place place, const Node& product) {
    static const Op& permute = OpTable::instance().get("permute");
    const Value right = *product.args[1].get<Value>();
    if (!is_dense(product)) return right;
    Node& made = function_.insert_node(place, NodeKind::kOperator);
    made.op = &permute;
    made.args = {right, Dims{1, 0}};
    made.location = product.location;
    made.add_result(GraphValue::Kind::kTensor, right->dtype, {right->shape[1], right->shape[0]});
    return Value(made.results[0]);
  }

  Place remove(Place at) {
    removed_.push_back(std::move(*at));  // the substitution knows results by their address
    return function_.nodes.erase(at);
  }

  Function& function_;
  const ModuleMemory& module_;
  std::unordered_map<const ValueImpl*, int> uses_;
  std::unordered_map<const ValueImpl*, Place> products_;  ///< that may still move, by their results
  Substitution substitution_;
  std::vector<std::unique_ptr<Node>> removed_;
};

}  // namespace

void fuse_product_epilogues(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) StepAttacher(*function, memory).run();
  }
}

}  // namespace dyad::passes
