#include <algorithm>
#include <cstring>

#include "autograd/autograd_meta.h"
#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "capture/tracing/layout.h"
#include "eager/dispatch.h"
#include "ops/number_operator.h"
#include "runtime/context.h"
#include "types/dim_symbols.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

[[noreturn]] void refuse_outside() {
  capture_error(
      "graph: a value that was made inside a branch, a loop or a function is used outside of it; hand it out "
      "as a result");
}

}  // namespace

const GraphTracer::Memory& GraphTracer::memory(const Storage& storage) const {
  auto found = memories_.find(&storage);
  if (found == memories_.end()) {
    capture_error("graph: the Tensor belongs to another graph, or to one that was captured before");
  }
  return found->second;
}

Tensor GraphTracer::new_tensor(Scope& scope, GraphValueRef value, const Shape& shape,
                               const Strides* strides) {
  Tensor tensor(new TensorImpl);
  tensor->dtype = value->dtype;
  tensor->device = Context::process().device();
  tensor->shape = shape;
  tensor->strides = strides ? *strides : symbolic_strides(shape);
  tensor->symbolic = true;
  tensor->storage = Storage::symbolic();
  const Storage* storage = tensor->storage.get();
  scope.held[storage].value = std::move(value);
  memories_[storage] = {
      .whole = alias_of(*tensor), .home = &scope, .kind = scope.held[storage].value->kind, .original = {}};
  return tensor;
}

Tensor GraphTracer::separate(const Tensor& tensor) {
  Scope& here = scope();
  const Strides strides = tensor->strides;
  Tensor made = new_tensor(here, value_of(here, *tensor), tensor->shape, &strides);
  if (has_any_layout(*tensor)) note_any_layout(*made);
  return made;
}

Tensor GraphTracer::snapshot(const Tensor& tensor) {
  Tensor made = separate(tensor);
  protect(*made);
  return made;
}

Tensor GraphTracer::stand_for(const Tensor& argument) {
  Tensor made = separate(argument);
  memories_.at(made->storage.get()).original = argument;
  return made;
}

Tensor GraphTracer::whole(const Storage& storage) const { return alias_of(*memory(storage).whole); }

Tensor GraphTracer::tensor_result(Scope& scope, GraphValue& value) {
  return new_tensor(scope, GraphValueRef(&value), value.shape,
                    value.strides.empty() ? nullptr : &value.strides);
}

GraphValue& GraphTracer::capture_variable(Scope& scope, CapturedVariable what) {
  if (!scope.parent) refuse_outside();
  give_param(scope, what);
  const CapturedVariable known = scope.captured.back();
  for (Scope* other : scope.group) {
    if (other != &scope) give_param(*other, what);
  }
  for (auto [node, where] : scope.uses) node->args.push_back(outer_arg(*where, known));
  return *known.param;
}

void GraphTracer::give_param(Scope& scope, CapturedVariable what) {
  ir::Function& function = *scope.function;
  GraphValue* param = nullptr;
  switch (what.kind) {
    case CapturedVariable::Kind::kStorage: {
      const TensorImpl& whole = *memory(*what.storage).whole;
      param = &function.add_param(memory(*what.storage).kind, whole.dtype, whole.shape);
      if (all_known(whole.shape) && !whole.contiguous()) param->strides = whole.strides;
      scope.held[what.storage].value = GraphValueRef(param);
      break;
    }
    case CapturedVariable::Kind::kNumber:
      param = &function.add_param(Kind::kNumber, what.number->dtype, {});
      scope.numbers[what.number.get()] = GraphValueRef(param);
      break;
    case CapturedVariable::Kind::kToken:
      param = &function.add_param(Kind::kToken, DType::kBool, {});
      scope.token = GraphValueRef(param);
      break;
  }
  what.param = GraphValueRef(param);
  scope.captured.push_back(std::move(what));
}

Arg GraphTracer::outer_arg(Scope& scope, const CapturedVariable& what) {
  switch (what.kind) {
    case CapturedVariable::Kind::kStorage:
      return Value(held(scope, *what.storage, what.tensor.get()).value);
    case CapturedVariable::Kind::kNumber:
      return Value(value_of(scope, Number{number_kind(what.number->dtype), what.number, {}}));
    case CapturedVariable::Kind::kToken:
      return Value(token_of(scope));
  }
  return {};
}

Held& GraphTracer::held(Scope& scope, const Storage& storage, const TensorImpl* seen) {
  if (auto found = scope.held.find(&storage); found != scope.held.end()) {
    if (seen) note_seen(scope, storage, *seen);
    return found->second;
  }
  if (!scope.within(*memory(storage).home)) refuse_outside();
  for (auto [node, where] : scope.uses) {
    auto found = where->held.find(&storage);
    if (found != where->held.end() && found->second.version > 0) {
      capture_error("graph: a function that calls itself uses a Tensor that was written since it was begun");
    }
  }
  capture_variable(scope, {CapturedVariable::Kind::kStorage, &storage, {}, {}, {}});
  if (seen) note_seen(scope, storage, *seen);
  return scope.held.at(&storage);
}

/// Notes through which tensor a function reached a storage from outside. Where several show it, one that a
/// gradient flows to counts; a view leads to what it shows.
void GraphTracer::note_seen(Scope& scope, const Storage& storage, const TensorImpl& seen) {
  if (memory(storage).home == &scope) return;
  const autograd::AutogradMeta* stack = autograd::autograd_meta_of(seen);
  const Tensor base = stack && stack->base ? stack->base : Tensor(const_cast<TensorImpl*>(&seen));
  for (CapturedVariable& what : scope.captured) {
    if (what.storage != &storage || what.kind != CapturedVariable::Kind::kStorage) continue;
    if (!what.tensor || !autograd::autograd_meta_of(*what.tensor)) what.tensor = base;
  }
}

Tensor GraphTracer::captured_tensor(const CapturedVariable& what) const {
  return what.tensor && !what.tensor->window ? what.tensor : whole(*what.storage);
}

bool GraphTracer::made_inside(const Scope& scope, const TensorImpl& tensor) const {
  const auto found = memories_.find(tensor.storage.get());
  return found != memories_.end() && found->second.home->within(scope);
}

/// `seen` is the tensor that the program used, which this one may stand for.
GraphValueRef GraphTracer::value_of(Scope& scope, const TensorImpl& tensor, const TensorImpl* seen) {
  if (!tensor.symbolic) {
    if (const Tensor known = stand_in(tensor)) return value_of(scope, *known, &tensor);
    if ((tracing_ || is_state(tensor)) && !born_here(tensor)) {
      return value_of(scope, *adopt(Tensor(const_cast<TensorImpl*>(&tensor))), &tensor);
    }
    return constant(scope, tensor);
  }
  if (!tensor.storage) capture_error("graph: a number of the graph is used where a Tensor is needed");
  const Held& whole = held(scope, *tensor.storage, seen ? seen : &tensor);
  if (!tensor.window) return whole.value;
  return view_of(scope, *tensor.storage, Ref<Window>(static_cast<Window*>(tensor.window.get())));
}

GraphValueRef GraphTracer::view_of(Scope& scope, const Storage& storage, const Ref<Window>& window) {
  if (!window) return held(scope, storage).value;
  const uint32_t version = held(scope, storage).version;
  auto found = scope.views.find(window.get());
  if (found != scope.views.end() && found->second.version == version) return found->second.value;
  std::vector<Arg> args = graph_args(scope, window->args);
  args[0] = Value(view_of(scope, storage, window->before));
  require_known_sizes(scope, args);
  ir::Node& node = add_operator(scope, *window->op, std::move(args));
  node.constant = window->constant;
  const GraphValueRef value = node.results[0];
  scope.views[window.get()] = {window, value, version};
  return value;
}

void GraphTracer::require_known_sizes(const Scope& scope, std::span<const Arg> args) const {
  std::vector<Dim> symbols;
  for (const Arg& arg : args) {
    if (auto* sizes = arg.get<Dims>()) {
      for (const Dim size : *sizes) add_symbols(size, symbols);
    }
  }
  for (const auto& home : scopes_) {
    if (scope.within(*home)) continue;
    for (const auto& [number, symbol] : home->symbols) {
      if (std::ranges::find(symbols, symbol) != symbols.end())
        capture_error("graph: a view whose size a branch or loop has worked out is used outside of it");
    }
  }
}

GraphValueRef GraphTracer::constant(Scope& scope, const TensorImpl& tensor) {
  if (auto found = scope.constants.find(&tensor); found != scope.constants.end()) {
    return found->second.node->results[0];
  }
  static const Op& copy = OpTable::instance().get("copy");
  Value known(const_cast<TensorImpl*>(&tensor));
  if (tracing_ ||
      !tensor.contiguous()) {  // in a trace it may be written, and the graph begins with what it was
    const Aside aside;
    known = eager::run_one(copy, std::vector<Arg>{known});
  }
  ir::Node& node = add_node(scope, ir::NodeKind::kConstant);
  node.args = {known};
  node.add_result(Kind::kTensor, tensor.dtype, tensor.shape);
  scope.constants[&tensor] = {Tensor(const_cast<TensorImpl*>(&tensor)), &node};
  return node.results[0];
}

GraphValueRef GraphTracer::constant(Scope& scope, const Scalar& number) {
  ir::Node& node = add_node(scope, ir::NodeKind::kConstant);
  node.args = {number};
  node.add_result(Kind::kNumber, number_dtype(number.kind()), {});
  return node.results[0];
}

GraphValueRef GraphTracer::value_of(Scope& scope, const Number& number) {
  if (number.is_size()) {
    const Dims size{number.size};
    auto [found, added] = scope.sizes.try_emplace(sizes(size)[0]);
    if (added) found->second = add_operator(scope, *find_intrinsic("dim"), {size}).results[0];
    return found->second;
  }
  if (number.value->function == scope.function) return number.value;
  if (auto found = scope.numbers.find(number.value.get()); found != scope.numbers.end()) return found->second;
  const Scope* home = scope.parent;
  while (home && home->function != number.value->function) home = home->parent;
  if (!home) refuse_outside();
  return GraphValueRef(
      &capture_variable(scope, {CapturedVariable::Kind::kNumber, nullptr, number.value, {}, {}}));
}

GraphValueRef GraphTracer::value_of(Scope& scope, const Item& item) {
  if (auto* tensor = std::get_if<Tensor>(&item)) return value_of(scope, **tensor);
  if (auto* number = std::get_if<Number>(&item)) return value_of(scope, *number);
  return constant(scope, std::get<Scalar>(item));
}

GraphValueRef GraphTracer::token_of(Scope& scope) {
  if (!scope.token && scope.parent)
    capture_variable(scope, {CapturedVariable::Kind::kToken, nullptr, {}, {}, {}});
  if (!scope.token) scope.token = GraphValueRef(&scope.function->add_param(Kind::kToken, DType::kBool, {}));
  return scope.token;
}

/// A gradient rule may know no more of a tensor than dtype and shape, and the operator asks for no more. A
/// single zero, repeated, has both and takes no memory.
GraphValueRef GraphTracer::described(Scope& scope, const ValueImpl& value) {
  static const Op& broadcast_to = OpTable::instance().get("broadcast_to");
  const Tensor zero = empty(value.dtype, {});
  std::memset(zero->data, 0, static_cast<size_t>(itemsize(value.dtype)));
  return add_operator(scope, broadcast_to, {Value(constant(scope, *zero)), Dims(value.shape)}).results[0];
}

Arg GraphTracer::graph_arg(Scope& scope, const Arg& arg) {
  const auto inside = [&](const Value& value) { return Value(value_of(scope, as_tensor(value))); };
  if (auto* value = arg.get<Value>()) {
    return (*value)->is_tensor() ? inside(*value) : Value(described(scope, **value));
  }
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? inside(value) : Value());
    return members;
  }
  return arg;
}

std::vector<Arg> GraphTracer::graph_args(Scope& scope, std::span<const Arg> args) {
  std::vector<Arg> inside;
  inside.reserve(args.size());
  for (const Arg& arg : args) inside.push_back(graph_arg(scope, arg));
  return inside;
}

}  // namespace dyad::tracing
