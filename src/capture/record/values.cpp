#include <algorithm>

#include "base/error.h"
#include "capture/record/layout.h"
#include "capture/record/recording.h"
#include "eager/dispatch.h"
#include "ops/number_operator.h"

namespace dyad::record {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool same_geometry(const TensorImpl& a, const TensorImpl& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

[[noreturn]] void refuse_outside() {
  capture_error(
      "graph: a value that was made inside a branch, a loop or a function is used outside of it; hand it out "
      "as a result");
}

}  // namespace

const Recording::Memory& Recording::memory(const Storage& storage) const {
  auto found = memories_.find(&storage);
  if (found == memories_.end()) {
    capture_error("graph: the Tensor belongs to another graph, or to one that was captured before");
  }
  return found->second;
}

Tensor Recording::new_tensor(Scope& scope, GraphValueRef value, const Shape& shape, const Strides* strides) {
  Tensor tensor(new TensorImpl);
  tensor->dtype = value->dtype;
  tensor->shape = shape;
  tensor->strides = strides ? *strides : symbolic_strides(shape);
  tensor->symbolic = true;
  tensor->storage = Storage::symbolic();
  const Storage* storage = tensor->storage.get();
  scope.held[storage].value = std::move(value);
  memories_[storage] = {alias_of(*tensor), &scope};
  return tensor;
}

Tensor Recording::tensor_result(Scope& scope, GraphValue& value) {
  return new_tensor(scope, GraphValueRef(&value), value.shape, nullptr);
}

GraphValue& Recording::lift(Scope& scope, Lifted what) {
  if (!scope.parent) refuse_outside();
  give_param(scope, what);
  const Lifted known = scope.lifted.back();
  for (Scope* other : scope.group) {
    if (other != &scope) give_param(*other, what);
  }
  for (auto [node, where] : scope.uses) node->args.push_back(outer_arg(*where, known));
  return *known.param;
}

void Recording::give_param(Scope& scope, Lifted what) {
  ir::Function& function = *scope.function;
  GraphValue* param = nullptr;
  switch (what.kind) {
    case Lifted::Kind::kStorage: {
      const TensorImpl& whole = *memory(*what.storage).whole;
      param = &function.add_param(Kind::kTensor, whole.dtype, whole.shape);
      scope.held[what.storage].value = GraphValueRef(param);
      break;
    }
    case Lifted::Kind::kNumber:
      param = &function.add_param(Kind::kNumber, what.number->dtype, {});
      scope.numbers[what.number.get()] = GraphValueRef(param);
      break;
    case Lifted::Kind::kToken:
      param = &function.add_param(Kind::kToken, DType::kBool, {});
      scope.token = GraphValueRef(param);
      break;
  }
  what.param = GraphValueRef(param);
  scope.lifted.push_back(std::move(what));
}

Arg Recording::outer_arg(Scope& scope, const Lifted& what) {
  switch (what.kind) {
    case Lifted::Kind::kStorage:
      return Value(held(scope, *what.storage).value);
    case Lifted::Kind::kNumber:
      return Value(value_of(scope, Number{number_kind(what.number->dtype), what.number, {}}));
    case Lifted::Kind::kToken:
      return Value(token_of(scope));
  }
  return {};
}

Held& Recording::held(Scope& scope, const Storage& storage) {
  if (auto found = scope.held.find(&storage); found != scope.held.end()) return found->second;
  if (!scope.within(*memory(storage).home)) refuse_outside();
  for (auto [node, where] : scope.uses) {
    auto found = where->held.find(&storage);
    if (found != where->held.end() && found->second.version > 0) {
      capture_error("graph: a function that calls itself uses a Tensor that was written since it was begun");
    }
  }
  lift(scope, {Lifted::Kind::kStorage, &storage, {}, {}});
  return scope.held.at(&storage);
}

bool Recording::made_inside(const Scope& scope, const TensorImpl& tensor) const {
  const auto found = memories_.find(tensor.storage.get());
  return found != memories_.end() && found->second.home->within(scope);
}

const TensorImpl* Recording::stand_in(const TensorImpl& tensor) const {
  auto found = adopted_.find(tensor.storage.get());
  if (found == adopted_.end()) return nullptr;
  if (!same_geometry(*found->second.tensor, tensor)) return nullptr;
  return found->second.stand_in.get();
}

bool Recording::born_here(const TensorImpl& tensor) const {
  const uint64_t place = tensor.storage->birthplace();
  if (place == 0) return false;
  return std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& scope) { return scope->id == place; });
}

bool Recording::holds(const TensorImpl& tensor) const {
  return tensor.symbolic || adopted_.contains(tensor.storage.get());
}

GraphValueRef Recording::value_of(Scope& scope, const TensorImpl& tensor) {
  if (!tensor.symbolic) {
    if (const TensorImpl* known = stand_in(tensor)) return value_of(scope, *known);
    if (auto found = adopted_.find(tensor.storage.get()); found != adopted_.end()) {
      const Storage& storage = *found->second.stand_in->storage;
      for (const auto& other : scopes_) {
        auto state = other->held.find(&storage);
        if (state == other->held.end() || !state->second.written) continue;
        capture_error(
            "graph: a Tensor of shape ", tensor.shape,
            " shares memory with one that the graph writes, and was made before; make the view inside");
      }
      return value_of(scope, *bind(Tensor(const_cast<TensorImpl*>(&tensor)), {}));
    }
    if (is_state(tensor) && !born_here(tensor)) {
      return value_of(scope, *bind(Tensor(const_cast<TensorImpl*>(&tensor)), {}));
    }
    return constant(scope, tensor);
  }
  if (!tensor.storage) capture_error("graph: a number of the graph is used where a Tensor is needed");
  if (!tensor.window) return held(scope, *tensor.storage).value;
  return view_of(scope, *tensor.storage, Ref<Window>(static_cast<Window*>(tensor.window.get())));
}

GraphValueRef Recording::view_of(Scope& scope, const Storage& storage, const Ref<Window>& window) {
  if (!window) return held(scope, storage).value;
  const uint32_t version = held(scope, storage).version;
  auto found = scope.views.find(window.get());
  if (found != scope.views.end() && found->second.version == version) return found->second.value;
  std::vector<Arg> args = graph_args(scope, window->args);
  args[0] = Value(view_of(scope, storage, window->before));
  GraphValueRef value = add_operator(scope, *window->op, std::move(args)).results[0];
  scope.views[window.get()] = {window, value, version};
  return value;
}

GraphValueRef Recording::constant(Scope& scope, const TensorImpl& tensor) {
  if (auto found = scope.constants.find(&tensor); found != scope.constants.end()) {
    return found->second.node->results[0];
  }
  static const Op& copy = OpTable::instance().get("copy");
  Value known(const_cast<TensorImpl*>(&tensor));
  if (!tensor.contiguous()) known = eager::run_one(copy, std::vector<Arg>{known});
  ir::Node& node = add_node(scope, ir::NodeKind::kConstant);
  node.args = {known};
  node.add_result(Kind::kTensor, tensor.dtype, tensor.shape);
  scope.constants[&tensor] = {Tensor(const_cast<TensorImpl*>(&tensor)), &node};
  return node.results[0];
}

GraphValueRef Recording::constant(Scope& scope, const Scalar& number) {
  ir::Node& node = add_node(scope, ir::NodeKind::kConstant);
  node.args = {number};
  node.add_result(Kind::kNumber, number_dtype(number.kind()), {});
  return node.results[0];
}

GraphValueRef Recording::value_of(Scope& scope, const Number& number) {
  if (number.is_size()) {
    const Dims size{number.size};
    auto [found, added] = scope.sizes.try_emplace(sizes(size)[0]);
    if (added) found->second = add_operator(scope, *find_bridge_operator("dim"), {size}).results[0];
    return found->second;
  }
  if (number.value->function == scope.function) return number.value;
  if (auto found = scope.numbers.find(number.value.get()); found != scope.numbers.end()) return found->second;
  const Scope* home = scope.parent;
  while (home && home->function != number.value->function) home = home->parent;
  if (!home) refuse_outside();
  return GraphValueRef(&lift(scope, {Lifted::Kind::kNumber, nullptr, number.value, {}}));
}

GraphValueRef Recording::value_of(Scope& scope, const Item& item) {
  if (auto* tensor = std::get_if<Tensor>(&item)) return value_of(scope, **tensor);
  if (auto* number = std::get_if<Number>(&item)) return value_of(scope, *number);
  return constant(scope, std::get<Scalar>(item));
}

GraphValueRef Recording::token_of(Scope& scope) {
  if (!scope.token && scope.parent) lift(scope, {Lifted::Kind::kToken, nullptr, {}, {}});
  if (!scope.token) scope.token = GraphValueRef(&scope.function->add_param(Kind::kToken, DType::kBool, {}));
  return scope.token;
}

Arg Recording::graph_arg(Scope& scope, const Arg& arg) {
  if (auto* value = arg.get<Value>()) return Value(value_of(scope, as_tensor(*value)));
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) {
      members.push_back(value ? Value(value_of(scope, as_tensor(value))) : Value());
    }
    return members;
  }
  return arg;
}

std::vector<Arg> Recording::graph_args(Scope& scope, std::span<const Arg> args) {
  std::vector<Arg> inside;
  inside.reserve(args.size());
  for (const Arg& arg : args) inside.push_back(graph_arg(scope, arg));
  return inside;
}

Tensor Recording::bind(const Tensor& tensor, std::string name) {
  if (const TensorImpl* known = stand_in(*tensor)) return Tensor(const_cast<TensorImpl*>(known));
  Scope& main = *scopes_.front();
  GraphValue& param =
      main.function->add_param(Kind::kTensor, tensor->dtype, tensor->shape, std::move(name), true);
  Tensor made = new_tensor(main, GraphValueRef(&param), tensor->shape, &tensor->strides);
  input_values_[made->storage.get()] = GraphValueRef(&param);
  bound_.push_back(tensor);
  if (adopted_.try_emplace(tensor->storage.get(), Adopted{tensor, made}).second) {
    replace_constants(*tensor->storage, *made->storage);
  }
  return made;
}

TensorImpl& Recording::adopt(const Tensor& tensor) {
  if (const TensorImpl* known = stand_in(*tensor)) return const_cast<TensorImpl&>(*known);
  if (adopted_.contains(tensor->storage.get())) {
    capture_error("graph: a Tensor of shape ", tensor->shape,
                  " is written, and shares memory with one that the graph uses; make the view inside");
  }
  Scope* home = current_;
  while (home && home->id != tensor->storage->birthplace()) home = home->parent;
  if (!home) return *bind(tensor, {});
  GraphValueRef value = constant(*home, *tensor);
  home->constants.erase(tensor.get());
  Tensor made = new_tensor(*home, std::move(value), tensor->shape, &tensor->strides);
  adopted_[tensor->storage.get()] = {tensor, made};
  tensor->storage->take_over();
  replace_constants(*tensor->storage, *made->storage);
  return *made;
}

/// What was a constant so far may change: from now on each use reads what the storage `by` holds.
void Recording::replace_constants(const Storage& storage, const Storage& by) {
  const Scope& home = *memory(by).home;
  for (const auto& scope : scopes_) {
    if (!scope->within(home)) continue;
    std::vector<Scope::Constant> found;
    for (const auto& [tensor, constant] : scope->constants) {
      if (tensor->storage.get() == &storage && stand_in(*tensor)) found.push_back(constant);
    }
    for (const Scope::Constant& constant : found) {
      scope->constants.erase(constant.tensor.get());
      scope->function->replace_uses(*constant.node->results[0], held(*scope, by).value);
      std::erase_if(scope->function->nodes, [&](const auto& node) { return node.get() == constant.node; });
    }
  }
}

}  // namespace dyad::record
