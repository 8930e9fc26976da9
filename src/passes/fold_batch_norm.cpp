#include "passes/fold_batch_norm.h"

#include <unordered_map>
#include <unordered_set>

#include "passes/insertion.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::Node;
using ir::NodeKind;

bool is_operator(const Node* node, std::string_view name) {
  return node && node->kind == NodeKind::kOperator && node->op->name == name;
}

class Folding {
 public:
  Folding(Function& function, const ModuleMemory& module) : function_(function), memory_(function, module) {
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (size_t i = 0; i < node->args.size(); ++i) {
        ir::for_each_value(node->args[i], [&](const Value& value) {
          ++uses_[value.get()];
          if (module.consumes(*node, i)) written_.insert(memory_.group(*value));
        });
      }
    }
    for (const auto& result : function.results) ++uses_[result.get()];
  }

  void run() {
    Substitution substitution;
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      if (node.kind != NodeKind::kConstant) substitution.apply(node);
      const Node* convolution = foldable(node);
      if (!convolution) {
        ++at;
        continue;
      }
      substitution.replace(*node.results[0],
                           folded(*convolution, node, Insertion(function_, at, node.location)));
      gone_.push_back(std::move(*at));
      at = function_.nodes.erase(at);
    }
    substitution.apply_to_end(function_);
  }

 private:
  /// The convolution that this normalisation can become part of, or null.
  const Node* foldable(const Node& node) const {
    if (!is_operator(&node, "batch_norm_apply")) return nullptr;
    const Value& input = *node.args[0].get<Value>();
    const Node* convolution = ir::as_graph_value(input).producer;
    if (!is_operator(convolution, "convolution") || uses_.at(input.get()) != 1) return nullptr;
    for (size_t i = 1; i < 5; ++i) {
      if (!stands_before(node.args[i])) return nullptr;
    }
    for (size_t i = 0; i < 3; ++i) {
      auto* value = convolution->args[i].get<Value>();
      if (!value) continue;
      const bool fits = (*value)->dtype == DType::kFloat32 && all_known((*value)->shape);
      // It is read later than it was: it must still be there.
      if (!fits || !memory_.knows(**value) || written_.contains(memory_.group(**value))) return nullptr;
    }
    // Filters that are computed anew at each run must not be more work than what they save.
    const Value& weight = *convolution->args[1].get<Value>();
    const bool given = !ir::as_graph_value(weight).producer;
    return given || weight->size() <= input->size() ? convolution : nullptr;
  }

  bool stands_before(const Arg& arg) const {
    auto* value = arg.get<Value>();
    if (!value) return arg.none();
    const Node* producer = ir::as_graph_value(*value).producer;
    return (*value)->dtype == DType::kFloat32 && (!producer || producer->kind == NodeKind::kConstant);
  }

  static Value folded(const Node& convolution, const Node& norm, const Insertion& write) {
    const Value& weight = *convolution.args[1].get<Value>();
    Value scale = write("rsqrt", {write("add", {norm.args[2], norm.args[5]})});
    if (!norm.args[3].none()) scale = write("mul", {norm.args[3], scale});
    Dims per_filter(weight->shape.size(), Dim(1));
    per_filter[0] = weight->shape[0];
    std::vector<Arg> args = convolution.args;
    args[1] = write("mul", {weight, write("reshape", {scale, per_filter})});
    Value mean = *norm.args[1].get<Value>();
    if (!args[2].none()) mean = write("sub", {mean, args[2]});
    const Value shift = write("mul", {mean, scale});
    args[2] = norm.args[4].none() ? write("neg", {shift}) : write("sub", {norm.args[4], shift});
    return write("convolution", std::move(args));
  }

  Function& function_;
  const FunctionMemory memory_;
  std::unordered_map<const ValueImpl*, int> uses_;
  std::unordered_set<size_t> written_;
  std::vector<std::unique_ptr<Node>> gone_;
};

}  // namespace

void fold_batch_norm(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) Folding(*function, memory).run();
}

}  // namespace dyad::passes
