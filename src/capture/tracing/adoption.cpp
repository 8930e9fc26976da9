#include <algorithm>

#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "tensor/writes.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool same_geometry(const TensorImpl& a, const TensorImpl& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

/// All of the memory that a tensor shows a part of: the tensor itself, or its elements in a row.
Tensor whole_of(const TensorImpl& tensor) {
  const Storage& storage = *tensor.storage;
  const auto bytes = static_cast<size_t>(tensor.size() * itemsize(tensor.dtype));
  if (tensor.contiguous() && tensor.data == storage.data() && bytes == storage.bytes()) {
    return Tensor(const_cast<TensorImpl*>(&tensor));
  }
  const int64_t offset = (static_cast<char*>(storage.data()) - tensor.as<char>()) / itemsize(tensor.dtype);
  const int64_t count = static_cast<int64_t>(storage.bytes()) / itemsize(tensor.dtype);
  int64_t last = -offset;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    last += std::max<int64_t>(0, (tensor.shape[d].value() - 1) * tensor.strides[d]);
  }
  // Memory of another owner may reach further than it said.
  if (last >= count) return Tensor(const_cast<TensorImpl*>(&tensor));
  return make_view(tensor, tensor.dtype, {count}, {1}, offset);
}

/// Moves a node before another one, or to the front.
void move_before(ir::Function& function, const ir::Node& node, const ir::Node* place) {
  auto& nodes = function.nodes;
  const auto find = [&](const ir::Node* wanted) {
    return std::find_if(nodes.begin(), nodes.end(), [&](const auto& known) { return known.get() == wanted; });
  };
  nodes.splice(place ? find(place) : nodes.begin(), nodes, find(&node));
}

}  // namespace

/// A view that was made while its tensor had data: where it lies in all of the memory.
Tensor GraphTracer::window_on(const Adopted& adopted, const TensorImpl& tensor) {
  static const Op& strided_view = OpTable::instance().get("strided_view");
  const TensorImpl& whole = *adopted.tensor;
  if (same_geometry(whole, tensor)) return adopted.stand_in;
  if (whole.dtype != tensor.dtype || !whole.contiguous()) {
    capture_error("graph: a Tensor of shape ", tensor.shape, " shares memory with one of shape ", whole.shape,
                  " that the graph uses; make the view inside, or take a copy()");
  }
  Dims strides;
  for (int64_t stride : tensor.strides) strides.push_back(stride);
  const int64_t offset = (tensor.as<char>() - whole.as<char>()) / itemsize(tensor.dtype);
  Ref<Window> window(new Window);
  window->op = &strided_view;
  window->args.resize(1);
  window->args.emplace_back(tensor.shape);
  window->args.emplace_back(strides);
  window->args.emplace_back(offset);
  Tensor view = alias_of(*adopted.stand_in);
  view->shape = tensor.shape;
  view->strides = tensor.strides;
  view->window = window;
  return view;
}

Tensor GraphTracer::stand_in(const TensorImpl& tensor) {
  auto found = adopted_.find(tensor.storage.get());
  if (found == adopted_.end()) return {};
  Tensor& known = found->second.views[&tensor].second;
  if (!known) {
    found->second.views[&tensor].first = Tensor(const_cast<TensorImpl*>(&tensor));
    known = window_on(found->second, tensor);
  }
  return known;
}

Tensor GraphTracer::graph_tensor(const Tensor& tensor) {
  return tensor->symbolic ? tensor : stand_in(*tensor);
}

bool GraphTracer::born_here(const TensorImpl& tensor) const {
  const uint64_t place = tensor.storage->birthplace();
  if (place == 0) return false;
  return std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& scope) { return scope->id == place; });
}

bool GraphTracer::holds(const TensorImpl& tensor) const {
  return tensor.symbolic || adopted_.contains(tensor.storage.get());
}

Tensor GraphTracer::bind(const Tensor& tensor, std::string name) {
  scope();
  if (Tensor known = stand_in(*tensor)) return known;
  if (const Tensor whole = whole_of(*tensor); !(whole == tensor)) {
    bind(whole, std::move(name));
    return stand_in(*tensor);
  }
  Scope& main = *scopes_.front();
  GraphValue& param =
      main.function->add_param(Kind::kTensor, tensor->dtype, tensor->shape, std::move(name), true);
  if (!tensor->contiguous()) param.strides = tensor->strides;
  Tensor made = new_tensor(main, GraphValueRef(&param), tensor->shape, &tensor->strides);
  input_values_[made->storage.get()] = GraphValueRef(&param);
  memories_.at(made->storage.get()).state = is_state(*tensor);
  bound_.push_back(tensor);
  adopted_[tensor->storage.get()] = {tensor, made, {}};
  replace_constants(*tensor->storage, *made->storage);
  return made;
}

Tensor GraphTracer::adopt(const Tensor& tensor) {
  if (Tensor known = stand_in(*tensor)) return known;
  Scope* home = current_;
  while (home && home->id != tensor->storage->birthplace()) home = home->parent;
  if (!home) return bind(tensor, {});
  const Tensor whole = whole_of(*tensor);
  // Every run begins with what the memory holds now.
  static const Op& copy = OpTable::instance().get("copy");
  const GraphValueRef contents = constant(*home, *whole);
  home->constants.erase(whole.get());
  GraphValueRef value = add_operator(*home, copy, {Value(contents)}).results[0];
  move_before(*home->function, *value->producer, nullptr);
  move_before(*home->function, *contents->producer, nullptr);
  Tensor made = new_tensor(*home, std::move(value), whole->shape, &whole->strides);
  adopted_[tensor->storage.get()] = {whole, made, {}};
  if (!tracing_) {
    // What a tape keeps of it is what the memory holds now.
    tensor->storage->preserve();
    tensor->storage->take_over();
    Writes::add(*tensor->storage);
  }
  replace_constants(*tensor->storage, *made->storage);
  return stand_in(*tensor);
}

void GraphTracer::replace_constant(Scope& scope, const Scope::Constant& constant) {
  const GraphValueRef now = value_of(scope, *stand_in(*constant.tensor));
  // A view is made at the end of the function; the constant was used before.
  if (now->producer && now->producer->op) move_before(*scope.function, *now->producer, constant.node);
  scope.function->replace_uses(*constant.node->results[0], now);
}

/// What was a constant so far may change: from now on each use reads what the storage `by` holds.
void GraphTracer::replace_constants(const Storage& storage, const Storage& by) {
  const Scope& home = *memory(by).home;
  for (const auto& scope : scopes_) {
    if (!scope->within(home)) continue;
    std::vector<Scope::Constant> found;
    for (const auto& [tensor, constant] : scope->constants) {
      if (tensor->storage.get() == &storage) found.push_back(constant);
    }
    for (const Scope::Constant& constant : found) {
      scope->constants.erase(constant.tensor.get());
      replace_constant(*scope, constant);
      std::erase_if(scope->function->nodes, [&](const auto& node) { return node.get() == constant.node; });
    }
  }
}

}  // namespace dyad::tracing
