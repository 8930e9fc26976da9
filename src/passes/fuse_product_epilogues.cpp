#include "passes/fuse_epilogues.h"

#include <unordered_set>

#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

// Multiplications from which on a product is left to the library.
constexpr int64_t kLargeProduct = int64_t{1} << 23;

/// Whether elementwise steps may be put behind the node.
bool takes_steps(const Node& node) {
  if (is_op(node, "panel_product")) return true;
  if (!is_op(node, "matmul") && !is_op(node, "dense")) return false;
  const GraphValue& result = *node.results[0];
  if (result.dtype != DType::kFloat32 && result.dtype != DType::kFloat64) return false;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    if (value && ((*value)->dtype != result.dtype || !all_known((*value)->shape))) return false;
  }
  const bool is_matrix = value_at(node, 1)->rank() == 2;
  return is_matrix && numel(result.shape) * value_at(node, 0)->shape.back().value() < kLargeProduct;
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

class EpilogueFuser {
 public:
  EpilogueFuser(Function& function, const ModuleMemory& module) : rewriter_(function), module_(module) {}

  void run() {
    rewriter_.walk([&](Node& node) {
      if (module_.may_write(node)) movable_.clear();  // none may move past a write
      if (Node* product = product_before(node)) {
        movable_.insert(&extend(*product, node));
        rewriter_.erase(*product);
      } else if (takes_steps(node)) {
        movable_.insert(&node);
      }
    });
  }

 private:
  /// The product that the node can be a step of: the node is the only use of what it gives.
  Node* product_before(const Node& node) const {
    const Op* op = table_op(node);
    const bool fits = op && op->elementwise && op->writes < 0 && op->signature.params.size() <= 2;
    for (size_t i = 0; fits && i < node.args.size(); ++i) {
      Node* product = rewriter_.only_producer(node.args[i]);
      if (!movable_.contains(product)) continue;
      const bool first = i == 0 || op->name == "add" || op->name == "mul";
      const GraphValue& value = *product->results[0];
      if (!first || !node.results[0]->same_type(value)) continue;
      if (node.args.size() == 1 || is_second(node.args[1 - i], value)) return product;
    }
    return nullptr;
  }

  /// The product with one more step, in the place of that step.
  Node& extend(const Node& product, Node& step) {
    rewriter_.set_location(product.location);
    const bool is_plain = is_op(product, "matmul") || is_op(product, "dense");
    std::vector<Arg> args = product.args;
    if (is_plain) {
      args[1] = right_matrix(product);
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
    Node& made = rewriter_.replace_with(step, is_plain ? op_named("product") : *product.op, std::move(args));
    made.location = product.location;
    return made;
  }

  /// The second operand as a matrix of k rows.
  Value right_matrix(const Node& product) {
    const Value& right = value_at(product, 1);
    return is_op(product, "dense") ? insert(rewriter_, "permute", {right, Dims{1, 0}}) : right;
  }

  Rewriter rewriter_;
  const ModuleMemory& module_;
  std::unordered_set<const Node*> movable_;  ///< products with no write behind them
};

}  // namespace

void fuse_product_epilogues(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) EpilogueFuser(*function, memory).run();
  }
}

}  // namespace dyad::passes
