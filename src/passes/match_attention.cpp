#include "passes/match_attention.h"

#include <optional>

#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

/// What a product of weights and values is made of.
struct Attention {
  const Node* scores = nullptr;  ///< query @ key
  Value mask;
  double scale = 1.0;
};

class AttentionMatcher {
 public:
  AttentionMatcher(Function& function, const ModuleMemory& module) : rewriter_(function), module_(module) {}

  void run() {
    const Node* last_write = nullptr;
    rewriter_.walk([&](Node& node) {
      if (module_.may_write(node)) last_write = &node;
      const std::optional<Attention> found = match_product(node);
      // What is read later than it was must not have been written meanwhile.
      if (!found || (last_write && !rewriter_.comes_before(*last_write, *found->scores))) return;
      const Value key = flipped(value_at(*found->scores, 1));
      rewriter_.replace_with(node, op_named("attention"),
                             {found->scores->args[0], key, node.args[1], found->mask, false, found->scale});
    });
  }

 private:
  /// `node` as scores times or over a number.
  static std::optional<double> factor_of(const Node* node) {
    if (!is_op(node, "mul") && !is_op(node, "div")) return {};
    auto* number = node->args[1].get<Scalar>();
    if (!number || number->kind() == Scalar::Kind::kComplex || !node->args[0].get<Value>()) return {};
    return is_op(node, "mul") ? number->to_double() : 1.0 / number->to_double();
  }

  std::optional<Attention> match_product(const Node& node) const {
    if (!is_op(node, "matmul")) return {};
    const GraphValue& result = *node.results[0];
    if (result.dtype != DType::kFloat32 && result.dtype != DType::kFloat64) return {};
    Value softened;
    Scalar axis;
    const auto weights = m_one_use(rewriter_, m_op("softmax", m_value(softened), m_number(axis), m_none()));
    if (!match(node.args[0], weights)) return {};
    if (axis.to_int() != -1 && axis.to_int() != softened->rank() - 1) return {};
    Attention found;
    const Node* scores = rewriter_.only_producer(softened);
    if (is_op(scores, "add")) scores = without_mask(*scores, found);
    if (const auto factor = factor_of(scores)) {
      found.scale = *factor;
      scores = rewriter_.only_producer(scores->args[0]);
    }
    if (!is_op(scores, "matmul") || !fits(*scores, node, *softened)) return {};
    found.scores = scores;
    return found;
  }

  /// Takes the mask out of a sum of scores and a mask: what is left are the scores.
  const Node* without_mask(const Node& sum, Attention& found) const {
    for (size_t i = 0; i < 2; ++i) {
      auto* scores = sum.args[i].get<Value>();
      auto* mask = sum.args[1 - i].get<Value>();
      if (!scores || !mask || !((*scores)->shape == sum.results[0]->shape)) continue;
      const Node* maker = rewriter_.only_producer(*scores);
      if (!factor_of(maker) && !is_op(maker, "matmul")) continue;
      const GraphValue& value = ir::as_graph_value(*mask);
      if (value.kind != GraphValue::Kind::kTensor || value.dtype != (*scores)->dtype) return nullptr;
      found.mask = *mask;
      return maker;
    }
    return nullptr;
  }

  /// Whether all are stacks of matrices of one dtype, of known sizes, with at least one key.
  static bool fits(const Node& scores, const Node& product, const ValueImpl& softened) {
    for (const Value& operand : {value_at(scores, 0), value_at(scores, 1), value_at(product, 1)}) {
      if (operand->rank() < 2 || operand->dtype != product.results[0]->dtype || !all_known(operand->shape))
        return false;
    }
    return softened.shape == scores.results[0]->shape && softened.shape.back().value() > 0;
  }

  /// The last two axes in the other order; a view.
  Value flipped(const Value& matrix) {
    Dims order;
    for (int64_t i = 0; i < matrix->rank() - 2; ++i) order.push_back(i);
    order.push_back(matrix->rank() - 1);
    order.push_back(matrix->rank() - 2);
    return insert(rewriter_, "permute", {matrix, order});
  }

  Rewriter rewriter_;
  const ModuleMemory& module_;
};

}  // namespace

void match_attention(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) AttentionMatcher(*function, memory).run();
  }
}

}  // namespace dyad::passes
