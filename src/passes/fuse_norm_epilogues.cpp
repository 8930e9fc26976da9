#include "passes/fuse_norm_epilogues.h"

#include <unordered_map>

#include "ops/op.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::Node;
using ir::NodeKind;

bool is_operator(const Node* node, std::string_view name) {
  return node && node->kind == NodeKind::kOperator && node->op->name == name;
}

Node* producer_of(const Value& value) { return ir::as_graph_value(value).producer; }

class Attaching {
 public:
  explicit Attaching(Function& function) : function_(function) {
    size_t place = 0;
    for (const auto& node : function.nodes) {
      places_[node.get()] = ++place;
      if (node->kind == NodeKind::kConstant) continue;
      for (const Arg& arg : node->args)
        ir::for_each_value(arg, [&](const Value& value) { ++uses_[value.get()]; });
    }
    for (const auto& result : function.results) ++uses_[result.get()];
    for (const auto& update : function.updates) ++uses_[update.value.get()];
  }

  void run() {
    Substitution substitution;
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      if (node.kind != NodeKind::kConstant) substitution.apply(node);
      if (is_operator(&node, "batch_norm_train_grad_last")) attach_gradient(node);
      Node* norm = is_operator(&node, "add")    ? attach_sum(node)
                   : is_operator(&node, "relu") ? attach_rectifier(node)
                                                : nullptr;
      if (!norm) {
        ++at;
        continue;
      }
      uses_[norm->results[0].get()] = uses_[node.results[0].get()];
      substitution.replace(*node.results[0], Value(norm->results[0]));
      gone_.push_back(std::move(*at));
      at = function_.nodes.erase(at);
    }
    substitution.apply_to_end(function_);
  }

 private:
  /// The normalisation that gives the value, if it can do more with it.
  Node* open_norm(const Value& value) const {
    Node* norm = producer_of(value);
    if (!is_operator(norm, "batch_norm_train_last") || ir::as_graph_value(value).index != 0) return nullptr;
    const bool rectified = norm->args[5].get<Scalar>()->to_bool();
    return !rectified && uses_.at(value.get()) == 1 ? norm : nullptr;
  }

  Node* attach_sum(const Node& node) const {
    auto* left = node.args[0].get<Value>();
    auto* right = node.args[1].get<Value>();
    if (!left || !right || *left == *right || (*left)->shape != (*right)->shape) return nullptr;
    if ((*left)->dtype != DType::kFloat32 || (*right)->dtype != DType::kFloat32) return nullptr;
    for (const auto& [sum, other] : {std::pair(left, right), std::pair(right, left)}) {
      Node* norm = open_norm(*sum);
      if (!norm || !norm->args[3].none()) continue;
      const Node* before = producer_of(*other);
      if (before && places_.at(before) > places_.at(norm)) continue;
      norm->args[3] = *other;
      return norm;
    }
    return nullptr;
  }

  Node* attach_rectifier(const Node& node) const {
    Node* norm = open_norm(*node.args[0].get<Value>());
    if (norm) norm->args[5] = true;
    return norm;
  }

  void attach_gradient(Node& node) const {
    const Node* rectifier = producer_of(*node.args[0].get<Value>());
    if (!node.args[5].none() || !is_operator(rectifier, "relu_grad")) return;
    if (uses_.at(rectifier->results[0].get()) != 1) return;
    auto* gradient = rectifier->args[0].get<Value>();
    auto* output = rectifier->args[1].get<Value>();
    const Shape& shape = rectifier->results[0]->shape;
    const auto fits = [&](const Value* value) {
      return value && (*value)->dtype == DType::kFloat32 && (*value)->shape == shape;
    };
    // A sum in front of the rectifier is better computed together with it.
    if (!fits(gradient) || !fits(output) || is_operator(producer_of(*gradient), "add")) return;
    const Value given = *gradient;
    node.args[5] = *output;
    node.args[0] = given;
  }

  Function& function_;
  std::unordered_map<const Node*, size_t> places_;
  std::unordered_map<const ValueImpl*, int> uses_;
  std::vector<std::unique_ptr<Node>> gone_;
};

}  // namespace

void fuse_norm_epilogues(ir::Module& module) {
  for (const auto& function : module.functions) Attaching(*function).run();
}

}  // namespace dyad::passes
