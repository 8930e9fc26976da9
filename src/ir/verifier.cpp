#include "ir/verifier.h"

#include <unordered_set>

#include "base/error.h"
#include "ir/calls.h"
#include "ir/printer.h"
#include "types/agreement.h"

namespace dyad::ir {

namespace {

using Kind = GraphValue::Kind;

using Functions = std::unordered_set<const Function*>;

class FunctionVerifier {
 public:
  FunctionVerifier(const Functions& functions, const Function& function, OldVersions old_versions)
      : functions_(functions), function_(function), old_versions_(old_versions) {}

  void run() {
    require(function_.state.size() == function_.params.size(),
            "the parameters and their states differ in number");
    for (size_t i = 0; i < function_.params.size(); ++i) define(*function_.params[i], nullptr, i);
    for (const auto& node : function_.nodes) {
      node_ = node.get();
      check_node();
      for (size_t i = 0; i < node->results.size(); ++i) define(*node->results[i], node.get(), i);
    }
    node_ = nullptr;
    for (const GraphValueRef& result : function_.results) use(result);
    for (const Function::Update& update : function_.updates) {
      require(update.index < function_.params.size() && function_.state[update.index],
              "an update is bound to what is no state");
      use(update.value);
      require_same(*update.value, *function_.params[update.index], "an update and its state");
    }
  }

 private:
  template <class... Parts>
  void require(bool condition, const Parts&... parts) const {
    if (!condition) fail(cat(parts...));
  }
  [[noreturn]] void fail(const std::string& what) const {
    std::string shown = print(function_);
    raise(ErrorKind::kInternal, cat("internal error: the graph @", function_.name, " is malformed: ", what,
                                    node_ ? cat(" (node ", place(), ")") : "", "\n", shown));
  }
  size_t place() const {
    size_t count = 0;
    for (const auto& node : function_.nodes) {
      if (node.get() == node_) break;
      ++count;
    }
    return count;
  }

  void define(const GraphValue& value, const Node* producer, size_t index) {
    require(value.producer == producer && value.function == &function_ && value.index == index,
            "a value does not know where it is made");
    require(!value.data, "a value of the graph has data");
    require(value.kind == Kind::kTensor || value.kind == Kind::kResidualStack || value.shape.empty(),
            "a number or token has a shape");
    require(defined_.insert(&value).second, "a value is made twice");
  }
  void locate(const Value& value) {
    require(static_cast<bool>(value), "an empty value is used");
    require(defined_.contains(value.get()), "a value is used before it is made, or in another function");
  }
  void use(const Value& value) {
    locate(value);
    require(!consumed_.contains(value.get()), "a value is used after it was consumed");
    if (as_graph_value(value).kind == Kind::kToken) {
      require(spent_.insert(value.get()).second, "a token is used twice");
    }
  }
  /// Sizes that are known only when the program runs are believed: the arms of an if may write one size in
  /// two ways.
  void require_same(const GraphValue& a, const GraphValue& b, std::string_view what) const {
    const bool same =
        a.kind == b.kind && (a.kind == Kind::kToken || (a.dtype == b.dtype && may_agree(a.shape, b.shape)));
    require(same, what, " differ in type: ", type_text(a), " and ", type_text(b));
  }

  void check_node() {
    const Node& node = *node_;
    require(node.function == &function_, "a node does not know its function");
    if (node.kind == NodeKind::kConstant) return check_constant(node);
    for (size_t i = 0; i < node.args.size(); ++i) {
      const bool read = node.kind != NodeKind::kOperator || node.op->reads(i);
      for_each_value(node.args[i], [&](const Value& value) { read ? use(value) : locate(value); });
    }
    for (const Function* callee : node.functions) {
      require(functions_.contains(callee), "a function of another module is called");
    }
    if (node.kind == NodeKind::kOperator) return check_operator(node);
    node.kind == NodeKind::kHost ? check_host(node) : check_calls(node);
  }

  void check_constant(const Node& node) const {
    require(node.args.size() == 1 && node.results.size() == 1, "a constant has one argument and one result");
    const GraphValue& result = *node.results[0];
    if (auto* value = node.args[0].get<Value>()) {
      require((*value)->data && result.kind == Kind::kTensor, "a constant has no data");
      require((*value)->dtype == result.dtype && (*value)->shape == result.shape,
              "a constant is of another type than its result");
    } else {
      require(node.args[0].get<Scalar>() && result.kind == Kind::kNumber,
              "a constant is neither tensor nor number");
    }
  }

  void check_operator(const Node& node) {
    require(node.op != nullptr, "an operator's node has no operator");
    require(node.args.size() == node.op->parameter_count(), node.op->name, " has ", node.args.size(),
            " arguments; it takes ", node.op->parameter_count());
    const std::vector<ResultSpec> inferred = node.op->infer_results(node.args);
    require(inferred.size() == node.results.size(), node.op->name, " gives ", inferred.size(),
            " results; the node has ", node.results.size());
    for (size_t i = 0; i < inferred.size(); ++i) {
      const GraphValue& result = *node.results[i];
      const Kind kind = result_kind(*node.op, i);
      require(result.kind == kind && result.dtype == inferred[i].dtype &&
                  may_agree(result.shape, inferred[i].shape),
              node.op->name, " gives a ", inferred[i].dtype, " of shape ", inferred[i].shape,
              "; the node says ", type_text(result));
    }
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (!node.op->consumes(i) || old_versions_ == OldVersions::kUsed) continue;
      for_each_value(node.args[i], [&](const Value& value) { consumed_.insert(value.get()); });
    }
  }

  void check_calls(const Node& node) const {
    if (is_loop(node)) {
      require(node.functions.size() == 2, "a while has a condition and a body");
      require(node.args.size() >= carried_count(node), "a while has fewer arguments than variables");
    } else if (node.kind == NodeKind::kIf) {
      require(node.functions.size() == 2 && !node.args.empty(), "an if has a condition and two arms");
      auto* condition = node.args[0].get<Value>();
      require(condition && gives_truth(*condition), "the condition of an if is no bool without dimensions");
    } else {
      require(node.functions.size() == 1 || node.functions.size() == 2, "a call has ", node.functions.size(),
              " functions");
    }
    for (const Callee& callee : callees_of(node)) {
      if (!callee.runs()) continue;
      const Function& function = *callee.function;
      check_params(node, function, callee.first_argument);
      if (callee.gives_results()) {
        check_results(node, function);
      } else {
        require(function.results.size() == 1 && gives_truth(function.results[0]), "@", function.name,
                " decides a while and gives no bool without dimensions");
      }
    }
  }
  void check_params(const Node& node, const Function& callee, size_t first) const {
    require(node.args.size() - first == callee.params.size(), "@", callee.name, " takes ",
            callee.params.size(), " arguments and is given ", node.args.size() - first);
    for (size_t i = 0; i < callee.params.size(); ++i) {
      auto* value = node.args[first + i].get<Value>();
      require(value != nullptr, "argument ", i, " of @", callee.name, " is no value");
      require_same(as_graph_value(*value), *callee.params[i],
                   cat("argument ", i, " of @", callee.name, " and its parameter"));
    }
  }
  void check_results(const Node& node, const Function& callee) const {
    require(callee.updates.empty(), "@", callee.name, " updates state, which only the first function may");
    require(callee.results.size() == node.results.size(), "@", callee.name, " gives ", callee.results.size(),
            " results; the node has ", node.results.size());
    for (size_t i = 0; i < node.results.size(); ++i) {
      require_same(*callee.results[i], *node.results[i],
                   cat("the results of @", callee.name, " and the node's"));
    }
  }
  bool gives_truth(const Value& value) const {
    const GraphValue& truth = as_graph_value(value);
    return is_bool(truth.dtype) && truth.shape.empty() && truth.kind != Kind::kToken;
  }

  void check_host(const Node& node) const {
    auto* token = node.args.empty() ? nullptr : node.args[0].get<Value>();
    require(token && as_graph_value(*token).kind == Kind::kToken, "a host node takes no token");
    require(!node.results.empty() && node.results[0]->kind == Kind::kToken, "a host node gives no token");
  }

  const Functions& functions_;  ///< of the module
  const Function& function_;
  const OldVersions old_versions_;
  const Node* node_ = nullptr;
  std::unordered_set<const ValueImpl*> defined_;
  std::unordered_set<const ValueImpl*> spent_;     ///< tokens
  std::unordered_set<const ValueImpl*> consumed_;  ///< written over
};

}  // namespace

void verify(const Module& module, OldVersions old_versions) {
  Functions functions;
  for (const auto& function : module.functions) functions.insert(function.get());
  for (const auto& function : module.functions) FunctionVerifier(functions, *function, old_versions).run();
}

}  // namespace dyad::ir
