#include "passes/fuse_epilogues.h"

#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

// Arguments of batch_norm_train and of its gradient.
constexpr size_t kChannelsLast = 4, kAdded = 5, kRectified = 6;
constexpr size_t kGradChannelsLast = 6, kOutput = 7;

bool is_set(const Node& node, size_t attribute) { return node.args[attribute].get<Scalar>()->to_bool(); }

class NormFuser {
 public:
  explicit NormFuser(Function& function) : rewriter_(function) {}

  void run() {
    rewriter_.walk([&](Node& node) {
      if (is_op(node, "batch_norm_train_grad") && is_set(node, kGradChannelsLast)) fuse_gradient(node);
      Node* norm = is_op(node, "add") ? fuse_sum(node) : is_op(node, "relu") ? fuse_rectifier(node) : nullptr;
      if (norm) rewriter_.replace(node, norm->results[0]);
    });
  }

 private:
  /// The normalisation that gives the value, if it can do more with it.
  Node* open_norm(const Value& value) const {
    Node* norm = rewriter_.only_producer(value);
    if (!is_op(norm, "batch_norm_train") || ir::as_graph_value(value).index != 0) return nullptr;
    return is_set(*norm, kChannelsLast) && !is_set(*norm, kRectified) ? norm : nullptr;
  }

  Node* fuse_sum(const Node& node) {
    auto* left = node.args[0].get<Value>();
    auto* right = node.args[1].get<Value>();
    if (!left || !right || *left == *right || (*left)->shape != (*right)->shape) return nullptr;
    if ((*left)->dtype != DType::kFloat32 || (*right)->dtype != DType::kFloat32) return nullptr;
    for (const auto& [sum, other] : {std::pair(left, right), std::pair(right, left)}) {
      Node* norm = open_norm(*sum);
      if (!norm || !norm->args[kAdded].none()) continue;
      const Node* before = ir::producer_of(*other);
      if (before && rewriter_.comes_before(*norm, *before)) continue;
      rewriter_.set_argument(*norm, kAdded, *other);
      return norm;
    }
    return nullptr;
  }

  Node* fuse_rectifier(const Node& node) {
    Node* norm = open_norm(value_at(node, 0));
    if (norm) rewriter_.set_argument(*norm, kRectified, true);
    return norm;
  }

  void fuse_gradient(Node& node) {
    Value gradient;
    Value output;
    const auto rectifier = m_one_use(rewriter_, m_op("relu_grad", m_value(gradient), m_value(output)));
    if (!node.args[kOutput].none() || !match(node.args[0], rectifier)) return;
    const Shape& shape = value_at(node, 0)->shape;
    const auto fits = [&](const ValueImpl& value) {
      return value.dtype == DType::kFloat32 && value.shape == shape;
    };
    // A sum in front of the rectifier is better computed together with it.
    if (!fits(*gradient) || !fits(*output) || is_op(ir::producer_of(gradient), "add")) return;
    rewriter_.set_argument(node, kOutput, output);
    rewriter_.set_argument(node, 0, gradient);
  }

  Rewriter rewriter_;
};

}  // namespace

void fuse_norm_epilogues(ir::Module& module) {
  for (const auto& function : module.functions) NormFuser(*function).run();
}

}  // namespace dyad::passes
