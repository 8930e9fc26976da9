#include "passes/fold_constants.h"

#include "base/error.h"
#include "ops/number_operator.h"
#include "passes/effects.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

/// Larger results are computed at each run, for a constant takes memory as long as the program lives.
constexpr int64_t kMostElements = 1 << 16;

class Folder {
 public:
  explicit Folder(Builder& runner) : runner_(runner) {}

  void run(Function& function) {
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kOperator) fold(*node);
    }
  }

 private:
  void fold(Node& node) {
    std::vector<Arg> args;
    if (node.results.size() != 1 || !all_known(node, args)) return;
    Arg result;
    try {
      result = computed(node, args);
    } catch (const Error&) {
      return;
    }
    if (result.none()) return;
    node.kind = NodeKind::kConstant;
    node.op = nullptr;
    node.args = {std::move(result)};
  }

  static bool all_known(const Node& node, std::vector<Arg>& args) {
    for (const Arg& arg : node.args) {
      if (arg.get<Value>()) {
        const Node* producer = ir::producer_of(arg);
        if (!producer || producer->kind != NodeKind::kConstant) return false;
        args.push_back(producer->args[0]);
        continue;
      }
      if (arg.get<ValueList>()) return false;
      if (auto* dims = arg.get<Dims>(); dims && !dyad::all_known(*dims)) return false;
      args.push_back(arg);
    }
    return true;
  }

  Arg computed(const Node& node, const std::vector<Arg>& args) const {
    if (auto* number = dynamic_cast<const NumberOperator*>(node.op)) {
      Scalar operands[2];
      size_t count = 0;
      for (const Arg& arg : args) {
        if (!arg.none()) operands[count++] = *arg.get<Scalar>();
      }
      return number->evaluate({operands, count});
    }
    if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) return across(*intrinsic, args);
    const auto& op = static_cast<const Op&>(*node.op);
    const GraphValue& result = *node.results[0];
    const bool small = dyad::all_known(result.shape) && result.size() <= kMostElements;
    bool depends =
        false;  // an operator that makes a tensor of nothing is cheap to run and gives fresh memory
    for (const Arg& arg : args) depends = depends || arg.get<Value>();
    if (!depends || !small || !may_drop(node) || !may_merge(node) || op.view || op.body) return {};
    return runner_.apply_one(op, args);
  }

  static Arg across(const Intrinsic& intrinsic, const std::vector<Arg>& args) {
    if (intrinsic.task == Intrinsic::Task::kDim) return (*args[0].get<Dims>())[0].value();
    if (intrinsic.task != Intrinsic::Task::kNumberOf) return {};
    const ValueImpl& tensor = **args[0].get<Value>();
    const bool here = tensor.device.kind == DeviceKind::kCpu;
    return here && tensor.size() == 1 ? Arg(load(tensor.dtype, tensor.data)) : Arg();
  }

  Builder& runner_;
};

}  // namespace

void fold_constants(ir::Module& module, Builder& runner) {
  for (const auto& function : module.functions) Folder(runner).run(*function);
}

}  // namespace dyad::passes
