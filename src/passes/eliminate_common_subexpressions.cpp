#include "passes/eliminate.h"

#include <string>
#include <unordered_map>

#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

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

void merge_in(Function& function, const ModuleMemory& module) {
  const FunctionMemory memory(function, module);
  // Memory that is written or seen from outside.
  std::unordered_set<size_t> apart = memory.groups_written_or_shown();
  for (const auto& result : function.results) apart.insert(memory.group(*result));
  for (const auto& update : function.updates) apart.insert(memory.group(*update.value));
  const auto stays = [&](const Node& node) {
    for (const auto& result : node.results) {
      if (result->kind == GraphValue::Kind::kTensor && apart.contains(memory.group(*result))) return true;
    }
    return false;
  };
  std::unordered_map<std::string, const Node*> seen;
  Rewriter rewriter(function);
  rewriter.walk([&](Node& node) {
    if (!may_merge(node)) return;
    const auto [found, added] = seen.try_emplace(Key(node).take(), &node);
    if (added || stays(node)) return;
    const auto& results = found->second->results;
    rewriter.replace(node, ValueList(results.begin(), results.end()));
  });
}

}  // namespace

void eliminate_common_subexpressions(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) merge_in(*function, memory);
}

}  // namespace dyad::passes
