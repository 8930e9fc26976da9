#include "passes/match_attention.h"

#include <optional>
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

bool is_op(const Node* node, std::string_view name) {
  return node && node->kind == NodeKind::kOperator && node->op->name == name;
}

const GraphValue& value_at(const Node& node, size_t argument) {
  return ir::as_graph_value(*node.args[argument].get<Value>());
}

/// What a product of weights and values is made of.
struct Attention {
  const Node* scores = nullptr;  ///< query @ key
  Value mask;
  double scale = 1.0;
};

class AttentionMatcher {
 public:
  AttentionMatcher(Function& function, const ModuleMemory& module) : function_(function), module_(module) {
    const auto count = [&](const Value& value) { ++uses_[value.get()]; };
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (const Arg& arg : node->args) ir::for_each_value(arg, count);
    }
    for (const auto& result : function.results) count(Value(result));
    for (const auto& update : function.updates) count(Value(update.value));
  }

  void run() {
    int64_t writes = 0;  // seen so far: what is read later must not have been written meanwhile
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      if (node.kind != NodeKind::kConstant) substitution_.apply(node);
      writes += may_write(node);
      written_before_[&node] = writes;
      const std::optional<Attention> found = match(node);
      if (!found || written_before_[found->scores] != writes) {
        ++at;
        continue;
      }
      substitution_.replace(*node.results[0], Value(add_attention(at, *found, node).results[0]));
      removed_.push_back(std::move(*at));  // the substitution knows its result by its address
      at = function_.nodes.erase(at);
    }
    substitution_.apply_to_end(function_);
  }

 private:
  bool may_write(const Node& node) const {
    if (node.kind == NodeKind::kHost) return true;
    if (node.kind == NodeKind::kConstant) return false;
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (module_.consumes(node, i)) return true;
    }
    return false;
  }

  /// The node that makes a value, if nobody else uses the value.
  const Node* only_maker(const GraphValue& value) const {
    const auto uses = uses_.find(&value);
    return uses != uses_.end() && uses->second == 1 ? value.producer : nullptr;
  }

  /// `node` as scores times or over a number.
  static std::optional<double> factor_of(const Node* node) {
    if (!is_op(node, "mul") && !is_op(node, "div")) return {};
    auto* number = node->args[1].get<Scalar>();
    if (!number || number->kind() == Scalar::Kind::kComplex || !node->args[0].get<Value>()) return {};
    return is_op(node, "mul") ? number->to_double() : 1.0 / number->to_double();
  }

  std::optional<Attention> match(const Node& node) const {
    if (!is_op(&node, "matmul")) return {};
    const GraphValue& result = *node.results[0];
    if (result.dtype != DType::kFloat32 && result.dtype != DType::kFloat64) return {};
    const Node* weights = only_maker(value_at(node, 0));
    if (!is_op(weights, "softmax") || !weights->args[2].none()) return {};
    const GraphValue& softened = value_at(*weights, 0);
    const int64_t axis = weights->args[1].get<Scalar>()->to_int();
    if (axis != -1 && axis != softened.rank() - 1) return {};
    Attention found;
    const Node* scores = only_maker(softened);
    if (is_op(scores, "add")) scores = without_mask(*scores, found);
    if (const auto factor = factor_of(scores)) {
      found.scale = *factor;
      scores = only_maker(value_at(*scores, 0));
    }
    if (!is_op(scores, "matmul") || !fits(*scores, node, softened)) return {};
    found.scores = scores;
    return found;
  }

  /// Takes the mask out of a sum of scores and a mask: what is left are the scores.
  const Node* without_mask(const Node& sum, Attention& found) const {
    for (size_t place = 0; place < 2; ++place) {
      auto* scores = sum.args[place].get<Value>();
      auto* mask = sum.args[1 - place].get<Value>();
      if (!scores || !mask || !((*scores)->shape == sum.results[0]->shape)) continue;
      const Node* maker = only_maker(ir::as_graph_value(*scores));
      if (!factor_of(maker) && !is_op(maker, "matmul")) continue;
      const GraphValue& value = ir::as_graph_value(*mask);
      if (value.kind != GraphValue::Kind::kTensor || value.dtype != (*scores)->dtype) return nullptr;
      found.mask = *mask;
      return maker;
    }
    return nullptr;
  }

  /// Whether all are stacks of matrices of one dtype, of known sizes, with at least one key.
  static bool fits(const Node& scores, const Node& product, const GraphValue& softened) {
    const ValueImpl* operands[] = {&value_at(scores, 0), &value_at(scores, 1), &value_at(product, 1)};
    for (const ValueImpl* operand : operands) {
      if (operand->rank() < 2 || operand->dtype != product.results[0]->dtype || !all_known(operand->shape))
        return false;
    }
    return softened.shape == scores.results[0]->shape && softened.shape.back().value() > 0;
  }

  Node& add_attention(Place place, const Attention& found, const Node& product) {
    static const Op& attention = OpTable::instance().get("attention");
    const Value key = flipped(place, *found.scores->args[1].get<Value>());
    const GraphValue& result = *product.results[0];
    Node& made = function_.insert_node(place, NodeKind::kOperator);
    made.op = &attention;
    made.args = {found.scores->args[0], key, product.args[1], found.mask, false, found.scale};
    made.location = product.location;
    made.add_result(GraphValue::Kind::kTensor, result.dtype, result.shape, result.name);
    return made;
  }

  /// The last two axes in the other order; a view.
  Value flipped(Place place, const Value& matrix) {
    static const Op& permute = OpTable::instance().get("permute");
    Dims order;
    for (int64_t i = 0; i < matrix->rank() - 2; ++i) order.push_back(i);
    order.push_back(matrix->rank() - 1);
    order.push_back(matrix->rank() - 2);
    Shape shape = matrix->shape;
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    Node& made = function_.insert_node(place, NodeKind::kOperator);
    made.op = &permute;
    made.args = {matrix, order};
    made.location = (*place)->location;
    made.add_result(GraphValue::Kind::kTensor, matrix->dtype, shape);
    return Value(made.results[0]);
  }

  Function& function_;
  const ModuleMemory& module_;
  std::unordered_map<const ValueImpl*, int> uses_;
  std::unordered_map<const Node*, int64_t> written_before_;
  Substitution substitution_;
  std::vector<std::unique_ptr<Node>> removed_;
};

}  // namespace

void match_attention(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) AttentionMatcher(*function, memory).run();
  }
}

}  // namespace dyad::passes
