#include "passes/inline_calls.h"

#include <unordered_map>
#include <unordered_set>

#include "ops/number_operator.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::Module;
using ir::Node;
using ir::NodeKind;

constexpr size_t kMostNodes = 20000;

bool calls(const Function& from, const Function& target, std::unordered_set<const Function*>& seen) {
  for (const auto& node : from.nodes) {
    for (const Function* callee : node->functions) {
      if (callee == &target || (seen.insert(callee).second && calls(*callee, target, seen))) return true;
    }
  }
  return false;
}
bool is_recursive(const Function& function) {
  std::unordered_set<const Function*> seen;
  return calls(function, function, seen);
}

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
        if (!dim.known() && parts_of(dim).kind == DimParts::Kind::kNamed) add(dim);
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
  explicit Inliner(Function& function) : function_(function) {}

  bool run() {
    size_t length = function_.nodes.size();
    bool changed = false;
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      outer_.apply(node);
      const Function* callee = function_to_inline(node);
      if (!callee || length + callee->nodes.size() > kMostNodes) {
        ++at;
        continue;
      }
      length += callee->nodes.size();
      write_out(at, *callee);
      inlined_.push_back(std::move(*at));  // the substitution knows its results by their address
      at = function_.nodes.erase(at);
      changed = true;
    }
    outer_.apply_to_end(function_);
    return changed;
  }

 private:
  const Function* function_to_inline(const Node& node) const {
    const Function* callee = nullptr;
    if (node.kind == NodeKind::kCall) callee = node.functions[0];
    if (node.kind == NodeKind::kIf) callee = known_arm(node);
    return callee && callee != &function_ && !is_recursive(*callee) ? callee : nullptr;
  }
  static const Function* known_arm(const Node& node) {
    const Node* producer = ir::as_graph_value(*node.args[0].get<Value>()).producer;
    if (!producer || producer->kind != NodeKind::kConstant) return nullptr;
    bool truth;
    if (auto* number = producer->args[0].get<Scalar>()) {
      truth = number->to_bool();
    } else {
      const ValueImpl& tensor = **producer->args[0].get<Value>();
      truth = load(tensor.dtype, tensor.data).to_bool();
    }
    return node.functions[truth ? 0 : 1];
  }

  void write_out(Function::Nodes::iterator place, const Function& callee) {
    const Node& call = **place;
    const size_t first = call.kind == NodeKind::kIf ? 1 : 0;
    Substitution inner;
    for (size_t p = 0; p < callee.params.size(); ++p) {
      const Value& argument = *call.args[first + p].get<Value>();
      inner.replace(*callee.params[p], argument);
      const Shape& shape = callee.params[p]->shape;
      for (size_t d = 0; d < shape.size(); ++d) {
        const bool symbol = !shape[d].known() && parts_of(shape[d]).kind == DimParts::Kind::kNamed;
        if (symbol && inner(shape[d]) == shape[d]) inner.replace(shape[d], argument->shape[d]);
      }
    }
    const OwnSymbols own(callee);
    for (Dim symbol : own.all()) inner.replace(symbol, Dim::fresh("size"));
    for (const auto& node : callee.nodes) copy_node(place, *node, call, inner);
    for (size_t r = 0; r < callee.results.size(); ++r) {
      const Value given = inner(Value(callee.results[r]));
      outer_.replace(*call.results[r], given);
      // What follows calls the sizes of the results as the callee does.
      const Shape& expected = call.results[r]->shape;
      for (size_t d = 0; d < expected.size(); ++d) {
        const bool symbol = !expected[d].known() && parts_of(expected[d]).kind == DimParts::Kind::kNamed;
        if (symbol) outer_.replace(expected[d], given->shape[d]);
      }
    }
  }

  void copy_node(Function::Nodes::iterator place, const Node& from, const Node& call, Substitution& inner) {
    Node& node = function_.insert_node(place, from.kind);
    node.op = from.op;
    node.host = from.host;
    node.payload = from.payload;
    node.functions = from.functions;
    node.location = from.location.line > 0 ? from.location : call.location;
    for (const Arg& arg : from.args) node.args.push_back(from.kind == NodeKind::kConstant ? arg : inner(arg));
    if (from.op && from.op == find_intrinsic("define_symbol")) {
      node.args[1] = to_text(inner(Dim::symbol(*from.args[1].get<std::string>())));
    }
    for (const auto& result : from.results) {
      GraphValue& made = node.add_result(result->kind, result->dtype, inner(result->shape), result->name);
      inner.replace(*result, Value(ir::GraphValueRef(&made)));
    }
  }

  Function& function_;
  Substitution outer_;
  std::vector<std::unique_ptr<Node>> inlined_;
};

}  // namespace

void inline_calls(Module& module) {
  for (const auto& function : module.functions) {
    while (Inliner(*function).run()) {
    }
  }
}

}  // namespace dyad::passes
