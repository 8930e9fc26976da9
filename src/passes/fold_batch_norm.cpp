#include "passes/fold_batch_norm.h"

#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

class Folding {
 public:
  Folding(Function& function, const ModuleMemory& module)
      : rewriter_(function), memory_(function, module), written_(memory_.groups_written()) {}

  void run() {
    rewriter_.walk([&](Node& node) {
      if (const Node* convolution = foldable(node)) rewriter_.replace(node, folded(*convolution, node));
    });
  }

 private:
  /// The convolution that this normalisation can become part of, or null.
  const Node* foldable(const Node& node) const {
    if (!is_op(node, "batch_norm_apply")) return nullptr;
    const Node* convolution = rewriter_.only_producer(node.args[0]);
    if (!is_op(convolution, "convolution")) return nullptr;
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
    const Value& weight = value_at(*convolution, 1);
    const bool given = !ir::producer_of(weight);
    return given || weight->size() <= value_at(node, 0)->size() ? convolution : nullptr;
  }

  bool stands_before(const Arg& arg) const {
    auto* value = arg.get<Value>();
    if (!value) return arg.none();
    const Node* producer = ir::producer_of(*value);
    return (*value)->dtype == DType::kFloat32 && (!producer || producer->kind == NodeKind::kConstant);
  }

  Value folded(const Node& convolution, const Node& norm) {
    const auto write = [&](std::string_view name, std::vector<Arg> args) {
      return insert(rewriter_, name, std::move(args));
    };
    const Value& weight = value_at(convolution, 1);
    Value scale = write("rsqrt", {write("add", {norm.args[2], norm.args[5]})});
    if (!norm.args[3].none()) scale = write("mul", {norm.args[3], scale});
    Dims per_filter(weight->shape.size(), Dim(1));
    per_filter[0] = weight->shape[0];
    std::vector<Arg> args = convolution.args;
    args[1] = write("mul", {weight, write("reshape", {scale, per_filter})});
    Value mean = value_at(norm, 1);
    if (!args[2].none()) mean = write("sub", {mean, args[2]});
    const Value shift = write("mul", {mean, scale});
    args[2] = norm.args[4].none() ? write("neg", {shift}) : write("sub", {norm.args[4], shift});
    return write("convolution", std::move(args));
  }

  Rewriter rewriter_;
  const FunctionMemory memory_;
  const std::unordered_set<size_t> written_;  ///< groups
};

}  // namespace

void fold_batch_norm(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) Folding(*function, memory).run();
}

}  // namespace dyad::passes
