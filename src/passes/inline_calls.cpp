#include "passes/inline_calls.h"

#include <algorithm>
#include <unordered_set>

#include "ir/calls.h"
#include "ops/number_operator.h"
#include "passes/rewrite.h"
#include "passes/substitute.h"
#include "passes/symbols.h"

namespace dyad::passes {

namespace {

constexpr size_t kMostNodes = 20000;

bool has_calls(const Function& function) {
  return std::ranges::any_of(function.nodes, [](const auto& node) { return ir::has_callees(*node); });
}

bool is_recursive(const Function& function) { return ir::reachable_from(function).contains(&function); }

/// Symbols that a function makes itself: sizes of results that nothing before them tells, and defined ones.
class OwnSymbols {
 public:
  explicit OwnSymbols(const Function& function) {
    for (const auto& param : function.params) note(param->shape);
    for (const auto& node : function.nodes) look_at(*node);
  }
  const std::vector<Dim>& all() const { return own_; }

 private:
  static int64_t code(Dim dim) { return sizes(Shape{dim})[0]; }
  void note(Dim dim) {
    if (dim.known() || !known_.insert(code(dim)).second) return;
    const DimParts parts = parts_of(dim);
    if (parts.kind == DimParts::Kind::kNamed) return;
    note(parts.left);
    note(parts.right);
  }
  void note(const Dims& dims) {
    for (Dim dim : dims) note(dim);
  }
  void look_at(const Node& node) {
    if (node.kind == NodeKind::kConstant) return;
    for (const Arg& arg : node.args) {
      if (auto* dims = arg.get<Dims>()) note(*dims);
    }
    if (node.op && node.op == find_intrinsic("define_symbol"))
      add(Dim::symbol(*node.args[1].get<std::string>()));
    for (const auto& result : node.results) {
      for (Dim dim : result->shape) {
        if (is_named(dim)) add(dim);
      }
    }
  }
  void add(Dim symbol) {
    if (known_.insert(code(symbol)).second) own_.push_back(symbol);
  }

  std::unordered_set<int64_t> known_;
  std::vector<Dim> own_;
};

class Inliner {
 public:
  explicit Inliner(Function& function) : rewriter_(function), length_(function.nodes.size()) {}

  /// Whether anything was written out.
  bool run() {
    bool changed = false;
    rewriter_.walk([&](Node& node) {
      sizes_.apply(node);
      const Function* callee = function_to_inline(node);
      if (!callee || length_ + callee->nodes.size() > kMostNodes) return;
      length_ += callee->nodes.size();
      write_out(node, *callee);
      changed = true;
    });
    return changed;
  }

 private:
  const Function* function_to_inline(const Node& node) const {
    const Function* callee = nullptr;
    if (node.kind == NodeKind::kCall) callee = node.functions[0];
    if (node.kind == NodeKind::kIf) callee = known_arm(node);
    return callee && callee != &rewriter_.function() && !is_recursive(*callee) ? callee : nullptr;
  }
  static const Function* known_arm(const Node& node) {
    const Node* producer = ir::producer_of(node.args[0]);
    if (!producer || producer->kind != NodeKind::kConstant) return nullptr;
    bool truth;
    if (auto* number = producer->args[0].get<Scalar>()) {
      truth = number->to_bool();
    } else {
      const ValueImpl& tensor = **producer->args[0].get<Value>();
      if (tensor.device.kind != DeviceKind::kCpu) return nullptr;  // read when the graph runs
      truth = load(tensor.dtype, tensor.data).to_bool();
    }
    return node.functions[truth ? 0 : 1];
  }

  void write_out(Node& call, const Function& callee) {
    const size_t first = ir::first_passed_argument(call);
    Substitution inner;
    for (size_t p = 0; p < callee.params.size(); ++p) {
      const Value& argument = value_at(call, first + p);
      inner.replace(*callee.params[p], argument);
      const Shape& shape = callee.params[p]->shape;
      for (size_t d = 0; d < shape.size(); ++d) {
        if (is_named(shape[d]) && inner(shape[d]) == shape[d]) inner.replace(shape[d], argument->shape[d]);
      }
    }
    const OwnSymbols own(callee);
    for (Dim symbol : own.all()) inner.replace(symbol, Dim::fresh("size"));
    for (const auto& node : callee.nodes) copy_node(*node, call, inner);
    ValueList results;
    for (size_t r = 0; r < callee.results.size(); ++r) {
      results.push_back(inner(Value(callee.results[r])));
      // What follows calls the sizes of the results as the callee does.
      const Shape& expected = call.results[r]->shape;
      for (size_t d = 0; d < expected.size(); ++d) {
        if (is_named(expected[d])) sizes_.replace(expected[d], results.back()->shape[d]);
      }
    }
    rewriter_.replace(call, results);
  }

  void copy_node(const Node& from, const Node& call, Substitution& inner) {
    Node& node = rewriter_.insert_copy(from, [&](const Value& value) { return inner(value); });
    if (from.location.line == 0) node.location = call.location;
    inner.apply(node);
    if (from.op && from.op == find_intrinsic("define_symbol")) {
      node.args[1] = to_text(inner(Dim::symbol(*from.args[1].get<std::string>())));
    }
    for (size_t i = 0; i < node.results.size(); ++i) inner.replace(*from.results[i], node.results[i]);
  }

  Rewriter rewriter_;
  size_t length_;
  Substitution sizes_;  ///< that were results of calls
};

}  // namespace

void inline_calls(ir::Module& module) {
  for (const auto& function : module.functions) {
    while (has_calls(*function) && Inliner(*function).run()) {
    }
  }
}

}  // namespace dyad::passes
