#include "passes/specialize_shapes.h"

#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "ir/calls.h"
#include "ops/number_operator.h"
#include "passes/rewrite.h"
#include "passes/substitute.h"
#include "passes/symbols.h"

namespace dyad::passes {

namespace {

/// What symbols are known to be; of two entries for a symbol the first one counts.
using Sizes = std::vector<std::pair<Dim, Dim>>;

class SizeFixer {
 public:
  /// Fixes the sizes of one function; `sizes` are those that its caller knows.
  bool run(Function& function, std::span<const Shape> params, const Sizes& inherited) {
    // A function that two nodes run would need a copy for each; after inlining that is rare.
    if (!visited_.insert(&function).second) return false;
    Sizes sizes;
    for (size_t i = 0; i < params.size(); ++i) {
      if (!bind(function.params[i]->shape, params[i], sizes)) return false;
    }
    sizes.insert(sizes.end(), inherited.begin(), inherited.end());
    const Sizes outer = std::exchange(sizes_, std::move(sizes));
    bool fixed = true;
    for (const auto& param : function.params) {
      param->shape = substitution()(param->shape);
      fixed = fixed && all_known(param->shape);
    }
    for (const auto& node : function.nodes) fixed = fixed && fix(*node);
    sizes_ = outer;
    return fixed;
  }

 private:
  Substitution substitution() const {
    Substitution made;
    for (const auto& [symbol, size] : sizes_) made.replace(symbol, size);
    return made;
  }

  /// Learns symbols from a shape and what it turned out to be.
  static bool bind(const Shape& open, const Shape& known, Sizes& sizes) {
    if (open.size() != known.size() || !all_known(known)) return false;
    for (size_t axis = 0; axis < open.size(); ++axis) {
      if (open[axis].known() && !(open[axis] == known[axis])) return false;
      if (is_named(open[axis])) sizes.emplace_back(open[axis], known[axis]);
    }
    return true;
  }

  /// The result has this shape, which must not contradict what is known of it.
  bool settle(GraphValue& result, const Shape& known) {
    if (result.shape == known) return all_known(known);
    if (!bind(result.shape, known, sizes_)) return false;
    result.shape = known;
    return true;
  }

  bool fix(Node& node) {
    if (node.kind == NodeKind::kConstant) return true;
    substitution().apply(node);
    if (node.kind == NodeKind::kOperator) return fix_operator(node);
    if (ir::has_callees(node)) return fix_call(node);
    for (const auto& result : node.results) {
      if (!all_known(result->shape)) return false;
    }
    return true;
  }

  bool fix_operator(Node& node) {
    if (auto* number = dynamic_cast<const NumberOperator*>(node.op)) return fold(node, *number), true;
    if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) {
      if (intrinsic->task == Intrinsic::Task::kDim) return fold_size(node);
      if (intrinsic->task == Intrinsic::Task::kDefineSymbol) return define(node);
    } else if (static_cast<const Op*>(node.op)->data_shape) {
      return false;
    }
    try {
      const std::vector<ResultSpec> specs = node.op->infer_results(node.args);
      if (specs.size() != node.results.size()) return false;
      for (size_t i = 0; i < specs.size(); ++i) {
        if (!settle(*node.results[i], specs[i].shape)) return false;
      }
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  void fold(Node& node, const NumberOperator& number) {
    Scalar operands[2];
    size_t count = 0;
    for (const Arg& arg : node.args) {
      const Scalar* known = known_number(arg);
      if (arg.none()) continue;
      if (!known) return;
      operands[count++] = *known;
    }
    try {
      become_number(node, number.evaluate({operands, count}));
    } catch (const Error&) {
      return;  // it raises when the graph runs, if the graph comes that far
    }
  }
  static bool is_size(const Dims& dims) { return dims.size() == 1 && dims[0].known(); }
  bool fold_size(Node& node) {
    const Dims& dims = *node.args[0].get<Dims>();
    if (!is_size(dims)) return false;
    become_number(node, dims[0].value());
    return true;
  }
  bool define(const Node& node) {
    const Scalar* known = known_number(node.args[0]);
    if (!known) return false;
    sizes_.emplace_back(Dim::symbol(*node.args[1].get<std::string>()), known->to_int());
    return true;
  }

  static const Scalar* known_number(const Arg& arg) {
    if (auto* number = arg.get<Scalar>()) return number;
    const Node* producer = ir::producer_of(arg);
    return producer && producer->kind == NodeKind::kConstant ? producer->args[0].get<Scalar>() : nullptr;
  }
  static void become_number(Node& node, const Scalar& number) {
    node.kind = NodeKind::kConstant;
    node.op = nullptr;
    node.args = {number};
  }

  static std::vector<Shape> passed_shapes(const Node& node) {
    std::vector<Shape> shapes;
    for (size_t i = ir::first_passed_argument(node); i < node.args.size(); ++i) {
      auto* value = node.args[i].get<Value>();
      shapes.push_back(value ? (*value)->shape : Shape());
    }
    return shapes;
  }

  /// An arm that is not taken need not make sense of these sizes: the other one is called.
  void take_arm(Node& node) {
    const Scalar* condition = known_number(node.args[0]);
    if (!condition) return;
    node.kind = NodeKind::kCall;
    node.functions = {node.functions[condition->to_bool() ? 0 : 1]};
    node.args.erase(node.args.begin());
  }

  bool fix_call(Node& node) {
    if (node.kind == NodeKind::kIf) take_arm(node);
    const std::vector<Shape> passed = passed_shapes(node);
    const size_t carried = ir::carried_count(node);
    for (const ir::Callee& callee : ir::callees_of(node)) {
      if (!callee.runs()) continue;
      if (!run(*callee.function, passed, sizes_)) return false;
      if (!callee.gives_results()) continue;
      for (size_t i = 0; i < node.results.size(); ++i) {
        const Shape shape = callee.function->results[i]->shape;
        // What a loop carries keeps its size from turn to turn.
        if (i < carried && !(shape == passed[i])) return false;
        if (!settle(*node.results[i], shape)) return false;
      }
    }
    return true;
  }

  Sizes sizes_;
  std::unordered_set<const Function*> visited_;
};

}  // namespace

bool specialize_shapes(ir::Module& module, std::span<const Shape> params) {
  return SizeFixer().run(module.main(), params, {});
}

}  // namespace dyad::passes
