#include "passes/eliminate_common_subexpressions.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::Node;
using ir::NodeKind;

/// Bytes that are equal exactly where two nodes are.
class Key {
 public:
  explicit Key(const Node& node) {
    add(static_cast<int>(node.kind));
    add(node.op);
    for (const Arg& arg : node.args) add(arg);
    // A conversion may infer by what it is to give: the type is part of the node.
    for (const auto& result : node.results) {
      add(static_cast<int>(result->dtype));
      for (Dim dim : result->shape) add(dim);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void add(const T& item) {
    bytes_.append(reinterpret_cast<const char*>(&item), sizeof(T));
  }
  void add(const Scalar& number) {
    add(static_cast<int>(number.kind()));
    add(number.to_int());
    add(number.to_complex());  // the bits: -0.0 is not 0.0, and a NaN is itself
  }
  void add(const Arg& arg) {
    if (auto* value = arg.get<Value>()) {
      add('v');
      add(value->get());
    } else if (auto* number = arg.get<Scalar>()) {
      add('n');
      add(*number);
    } else if (auto* dims = arg.get<Dims>()) {
      add('d');
      add(dims->size());
      for (Dim dim : *dims) add(dim);
    } else if (auto* dtype = arg.get<DType>()) {
      add('t');
      add(static_cast<int>(*dtype));
    } else if (auto* text = arg.get<std::string>()) {
      add('s');
      add(text->size());
      bytes_ += *text;
    } else if (auto* list = arg.get<ValueList>()) {
      add('l');
      add(list->size());
      for (const Value& value : *list) add(value.get());
    } else if (auto* numbers = arg.get<Floats>()) {
      add('f');
      add(numbers->size());
      for (double number : *numbers) add(number);
    } else {
      add('-');
    }
  }
  std::string bytes_;
};

/// Groups of values whose memory is written or seen from outside.
std::unordered_set<size_t> groups_apart(const Function& function, const ModuleMemory& module,
                                        const FunctionMemory& memory) {
  std::unordered_set<size_t> apart;
  const auto add = [&](const Value& value) { apart.insert(memory.group(*value)); };
  for (const auto& node : function.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    for (size_t i = 0; i < node->args.size(); ++i) {
      if (node->kind == NodeKind::kHost || module.consumes(*node, i)) ir::for_each_value(node->args[i], add);
    }
  }
  for (const auto& result : function.results) add(result);
  for (const auto& update : function.updates) add(update.value);
  return apart;
}

void merge_in(Function& function, const ModuleMemory& module) {
  const FunctionMemory memory(function, module);
  const std::unordered_set<size_t> apart = groups_apart(function, module, memory);
  const auto stays = [&](const Node& node) {
    for (const auto& result : node.results) {
      if (result->kind == GraphValue::Kind::kTensor && apart.contains(memory.group(*result))) return true;
    }
    return false;
  };
  std::unordered_map<std::string, const Node*> seen;
  Substitution substitution;
  std::vector<std::unique_ptr<Node>> dropped;
  for (auto at = function.nodes.begin(); at != function.nodes.end();) {
    Node& node = **at;
    substitution.apply(node);
    if (!may_merge(node)) {
      ++at;
      continue;
    }
    const auto [found, added] = seen.try_emplace(Key(node).take(), &node);
    if (added || stays(node)) {
      ++at;
      continue;
    }
    for (size_t i = 0; i < node.results.size(); ++i) {
      substitution.replace(*node.results[i], Value(found->second->results[i]));
    }
    dropped.push_back(std::move(*at));  // the substitution still knows its results by their address
    at = function.nodes.erase(at);
  }
  substitution.apply_to_end(function);
}

}  // namespace

void eliminate_common_subexpressions(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) merge_in(*function, memory);
}

}  // namespace dyad::passes
