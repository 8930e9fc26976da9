#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/operator.h"
#include "types/arg.h"

namespace dyad::ir {

class Function;
class Node;

/// A place in the user's program; line 0 where there is none.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  std::string called = {};  ///< what the program calls the operator, where that is not its own name
  bool operator==(const Location&) const = default;
};

/// A value of a graph: a parameter of a function, or a result of a node. Rules and bodies of operators see it
/// as any other value. The strides are those that a parameter has in the calls it was captured for, where
/// they are known and not row-major; otherwise there are none.
class GraphValue final : public ValueImpl {
 public:
  enum class Kind : uint8_t {
    kTensor,
    kNumber,  ///< a Python number that is known when the program runs: it does not decide a result's width
    kToken,   ///< nothing but an order: who takes the token comes after who gave it
    kResidualStack,  ///< tensors of this dtype and shape that a loop has put aside, the last one on top
  };

  Kind kind = Kind::kTensor;
  /// The node that makes it; null for a parameter.
  Node* producer = nullptr;
  Function* function = nullptr;
  /// Its place among the results of the node or the parameters of the function.
  uint32_t index = 0;
  /// What the program calls it, for printing; may be empty.
  std::string name;

  Builder& builder() const override;
  bool same_type(const GraphValue& other) const {
    return kind == other.kind && (kind == Kind::kToken || (dtype == other.dtype && shape == other.shape));
  }
};
using GraphValueRef = Ref<GraphValue>;

/// The graph value behind a value; a tensor with data is none, which is an internal error.
GraphValue& as_graph_value(const Value& value);
/// What a result of this operator is.
GraphValue::Kind result_kind(const Operator& op, size_t result);
/// "float32[2, n]", "number int64", "token", "residual_stack float32[2]".
std::string type_text(const GraphValue& value);

/// What a node computes. Each kind says what its arguments, functions and results are.
enum class NodeKind : uint8_t {
  /// `op(args)`: results as the operator infers them. Two nodes with equal arguments are equal, unless the
  /// operator draws random numbers. What it consumes (`Operator::consumes`) is used up: the node is the last
  /// one that uses this version, views of it included, and a result is the next version, in the same memory.
  kOperator,
  /// A tensor or number that is known now, in `args[0]`.
  kConstant,
  /// `functions[0](args)`, which may call itself; its gradient is `functions[1]` if there is one (README).
  kCall,
  /// `functions[0](args[1…])` if `args[0]`, a bool, is true, else `functions[1](args[1…])`.
  kIf,
  /// The first args are the variables, one per result, the others stay as they are. While
  /// `functions[0](variables, others)` is true, the variables become `functions[1](variables, others)`; at
  /// the end they are the results.
  kWhile,
  /// What the host language does: `args[0]` and the first result are the token.
  kHost,
};

/// One step of a function. Its arguments are values made before it in the same function, numbers and other
/// attributes.
class Node {
 public:
  Node(NodeKind kind, Function& function) : kind(kind), function(&function) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodeKind kind;
  Function* function;
  const Operator* op = nullptr;  ///< of an operator's node
  std::string host;              ///< of a host node: what it does, for people
  int payload = -1;              ///< of a host node: which of the host's functions it is
  bool constant = false;         ///< who differentiates the function takes the results for constants
  std::vector<Arg> args;
  std::vector<Function*> functions;  ///< the callee, the arms, or condition and body
  std::vector<GraphValueRef> results;
  Location location;

  GraphValue& add_result(GraphValue::Kind result, DType dtype, Shape shape, std::string name = {});
  /// Number of variables of a loop; the other arguments do not change.
  size_t variables() const { return results.size(); }
};

/// A function: parameters, nodes in the order they run, results.
class Function {
 public:
  /// State, a Parameter's memory, that the function leaves changed: parameter `index` ends as `value`. The
  /// runner lets both share the memory.
  struct Update {
    uint32_t index;
    GraphValueRef value;
  };
  using Nodes = std::list<std::unique_ptr<Node>>;

  explicit Function(std::string name) : name(std::move(name)) {}
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  std::string name;
  /// Its nodes are computed together, element by element, as one kernel (passes/region.h says what it may
  /// hold).
  bool fused = false;
  std::vector<GraphValueRef> params;
  std::vector<bool> state;  ///< per parameter: whether it is a Parameter's memory
  Nodes nodes;
  std::vector<GraphValueRef> results;
  std::vector<Update> updates;
  Builder* builder = nullptr;  ///< adds nodes at the end, while the function is being built

  GraphValue& add_param(GraphValue::Kind kind, DType dtype, Shape shape, std::string param_name = {},
                        bool is_state = false);
  Node& add_node(NodeKind kind);
  /// A new node before `place`.
  Node& insert_node(Nodes::iterator place, NodeKind kind);
  /// Lets every use of `old` in this function be one of `replacement`.
  void replace_uses(const GraphValue& old, const GraphValueRef& replacement);
};

/// Functions that call each other; the first one is where it starts.
class Module {
 public:
  std::list<std::unique_ptr<Function>> functions;

  /// A new function; a name that is taken gets a number.
  Function& add_function(const std::string& name);
  Function* find(const std::string& name) const;
  Function& main() const { return *functions.front(); }

  /// Removes the functions for which `unused(function)` is true.
  template <class Unused>
  void remove_functions(const Unused& unused) {
    std::erase_if(functions, [&](const auto& function) {
      if (!unused(*function)) return false;
      by_name_.erase(function->name);
      return true;
    });
  }

 private:
  std::unordered_map<std::string, Function*> by_name_;
  std::unordered_map<std::string, int> last_numbers_;  ///< of functions whose name was taken
};

/// Calls `visit(const Value&)` for every value among the arguments.
template <class Visit>
void for_each_value(const Arg& arg, const Visit& visit) {
  if (auto* value = arg.get<Value>()) visit(*value);
  if (auto* list = arg.get<ValueList>()) {
    for (const Value& value : *list) {
      if (value) visit(value);
    }
  }
}

}  // namespace dyad::ir
