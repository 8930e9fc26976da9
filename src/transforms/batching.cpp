#include "transforms/batching.h"

#include <algorithm>

#include "eager/dispatch.h"
#include "ops/call.h"
#include "ops/number_operator.h"
#include "transforms/node_location.h"
#include "transforms/residual_stack.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::Node;
using ir::NodeKind;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(copy, copy_into, index_gather, index_update);

const GraphValue* value_in(const Arg& arg) {
  auto* value = arg.get<Value>();
  return value ? &ir::as_graph_value(*value) : nullptr;
}

/// The value that this one is the next version of, or null.
const GraphValue* version_before(const GraphValue& value) {
  const Node* node = value.producer;
  if (!node || node->kind != NodeKind::kOperator) return nullptr;
  if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node->op)) {
    return intrinsic->task == Intrinsic::Task::kWriteView ? value_in(node->args[0]) : nullptr;
  }
  auto* op = dynamic_cast<const Op*>(node->op);
  return op && op->writes >= 0 ? value_in(node->args[static_cast<size_t>(op->writes)]) : nullptr;
}

/// The views that lead from a storage to a window on it, the innermost last.
std::vector<const Node*> views_between(const GraphValue& base, const GraphValue& window) {
  std::vector<const GraphValue*> versions;
  for (const GraphValue* version = &base; version; version = version_before(*version))
    versions.push_back(version);
  std::vector<const Node*> views;
  const GraphValue* place = &window;
  while (std::find(versions.begin(), versions.end(), place) == versions.end()) {
    const GraphValue* before = version_before(*place);
    if (!before) {
      DYAD_ASSERT(place->producer && place->producer->kind == NodeKind::kOperator);
      views.push_back(place->producer);
      before = value_in(place->producer->args[0]);
    }
    place = before;
  }
  std::reverse(views.begin(), views.end());
  return views;
}

bool mentions(Dim size, Dim symbol) {
  if (size == symbol) return true;
  if (size.known()) return false;
  const DimParts parts = parts_of(size);
  return parts.kind != DimParts::Kind::kNamed &&
         (mentions(parts.left, symbol) || mentions(parts.right, symbol));
}

/// Index tensors that choose `place` along the axis of a `select_at`.
ValueList index_at(const Node& node, const Value& input, const Value& place) {
  const int64_t axis = normalize_axis("index", node.args[1].get<Scalar>()->to_int(), input->rank());
  ValueList indices(static_cast<size_t>(axis));
  indices.push_back(place);
  return indices;
}

}  // namespace

bool differs(const Batching::Slot& slot) {
  auto* value = std::get_if<Value>(&slot);
  return value && is_mapped(*value);
}

std::string place_text(const ir::Location& location) {
  return location.line == 0 ? std::string() : cat(", at ", location.file, ":", location.line);
}

Batching::Batching(GraphTracer& tracer, Dim count, bool draws_alike)
    : tracer_(tracer), builder_(eager::builder(), count, draws_alike) {}

Batching::Slot Batching::common(const Item& item) {
  if (auto* tensor = std::get_if<Tensor>(&item)) return builder_.common(*tensor);
  return item;
}

BatchedItem Batching::given(const Slot& slot) const {
  if (auto* item = std::get_if<Item>(&slot)) return {*item, false};
  const Value& value = std::get<Value>(slot);
  return {tensor_of(unbatched(value)), is_mapped(value)};
}

std::vector<Batching::Slot> Batching::walk(const ir::Function& function, std::span<const Slot> args) {
  DYAD_ASSERT(args.size() == function.params.size());
  for (size_t i = 0; i < args.size(); ++i) define(*function.params[i], args[i]);
  for (const auto& node : function.nodes) visit(*node);
  std::vector<Slot> results;
  for (const auto& result : function.results) results.push_back(slots_.at(result.get()));
  return results;
}

/// Sizes that only the original knows are those that the new value has.
void Batching::define(const GraphValue& value, Slot slot) {
  if (auto* tensor = std::get_if<Value>(&slot); tensor && value.kind == Kind::kTensor) {
    for (size_t d = 0; d < value.shape.size(); ++d) {
      const Dim size = value.shape[d];
      if (!size.known() && !(size == (*tensor)->shape[d]) && parts_of(size).kind == DimParts::Kind::kNamed) {
        sizes_.replace(size, (*tensor)->shape[d]);
      }
    }
  }
  slots_.insert_or_assign(&value, std::move(slot));
}

Batching::Slot Batching::slot_of(const Arg& arg) const {
  if (auto* value = arg.get<Value>()) return slots_.at(value->get());
  return Item(*arg.get<Scalar>());
}

std::vector<Batching::Slot> Batching::slots_of(std::span<const Arg> args) const {
  std::vector<Slot> slots;
  for (const Arg& arg : args) slots.push_back(slot_of(arg));
  return slots;
}

Arg Batching::argument(const Arg& arg) const {
  const auto batched = [&](const Value& value) { return std::get<Value>(slots_.at(value.get())); };
  if (auto* value = arg.get<Value>()) return batched(*value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? batched(value) : Value());
    return members;
  }
  if (auto* dims = arg.get<Dims>()) {
    for (const auto& [symbol, place] : places_) {
      if (std::any_of(dims->begin(), dims->end(), [&](Dim dim) { return mentions(dim, symbol); })) {
        runtime_error("vmap: a size is computed from the data of a slice; all slices need one shape",
                      place_text(tracer_.location));
      }
    }
    return sizes_(*dims);
  }
  return arg;
}

/// A constant of the function. Memory that the function took over is its own: what it held is what counts.
Value Batching::known(const Value& constant) const {
  if (!tracer_.is_adopted(*as_tensor(constant).storage)) return constant;
  const tracing::Aside aside;
  return copy(constant);
}

void Batching::visit(const Node& node) {
  const NodeLocation place(tracer_, node);
  switch (node.kind) {
    case NodeKind::kConstant:
      if (auto* value = node.args[0].get<Value>())
        return define(*node.results[0], builder_.common(known(*value)));
      return define(*node.results[0], Item(*node.args[0].get<Scalar>()));
    case NodeKind::kOperator:
      if (dynamic_cast<const Intrinsic*>(node.op)) return visit_intrinsic(node);
      return dynamic_cast<const NumberOperator*>(node.op) ? visit_number(node) : visit_operator(node);
    case NodeKind::kIf:
      return visit_if(node);
    case NodeKind::kWhile:
      return visit_while(node);
    case NodeKind::kCall:
      return node.functions.size() == 2 ? visit_custom(node) : visit_call(node);
    case NodeKind::kHost:
      return visit_host(node);
  }
}

/// One place along an axis that differs between slices: not a view but a choice.
bool Batching::select_differing(const Node& node) {
  if (node.op->name != "select_at") return false;
  const Dim position = (*node.args[2].get<Dims>())[0];
  for (const auto& [symbol, place] : places_) {
    if (!(symbol == position)) continue;
    const Value input = std::get<Value>(slot_of(node.args[0]));
    define(*node.results[0], index_gather(input, index_at(node, input, place)));
    return true;
  }
  return false;
}

/// Puts copies in the places of what an operator updates besides giving results, and gives them: they become
/// its new versions, and who had the tensors before keeps what they were. What slices had in common differs
/// between them from now on.
ValueList Batching::copy_updated(const Op& op, std::vector<Arg>& args) {
  ValueList copies;
  const auto copied = [&](const Value& value) {
    copies.push_back(builder_.mapped(copy(builder_.whole(value))));
    return copies.back();
  };
  for (const int i : op.updates) {
    Arg& arg = args[static_cast<size_t>(i)];
    if (auto* value = arg.get<Value>()) arg = copied(*value);
    if (auto* list = arg.get<ValueList>()) {
      ValueList members;
      for (const Value& value : *list) members.push_back(value ? copied(value) : Value());
      arg = std::move(members);
    }
  }
  return copies;
}

void Batching::visit_operator(const Node& node) {
  if (select_differing(node)) return;
  const Op& op = static_cast<const Op&>(*node.op);
  std::vector<Arg> args;
  for (const Arg& arg : node.args) args.push_back(argument(arg));
  const ValueList updated = copy_updated(op, args);
  ValueList results;
  try {
    builder_.apply(op, args, results);
  } catch (const Error& error) {
    const std::string place = place_text(node.location);
    if (place.empty() || error.about_call() || error.owner() != "vmap") throw;
    throw Error(error.kind(), error.owner(), error.text() + place, error.break_kind());
  }
  results.insert(results.end(), updated.begin(), updated.end());
  for (size_t i = 0; i < node.results.size(); ++i) define(*node.results[i], results[i]);
}

void Batching::visit_intrinsic(const Node& node) {
  using Task = Intrinsic::Task;
  const auto& intrinsic = static_cast<const Intrinsic&>(*node.op);
  switch (intrinsic.task) {
    case Task::kNumberOf: {
      const Value value = std::get<Value>(slot_of(node.args[0]));
      if (is_mapped(value)) return define(*node.results[0], as_tensor_slot(value, node.results[0]->dtype));
      return define(*node.results[0], Item(tracer_.number_of(tensor_of(unbatched(value)))));
    }
    case Task::kTensorOf:
      return define(*node.results[0], as_tensor_slot(slot_of(node.args[0]), *node.args[1].get<DType>()));
    case Task::kDim:
      return define(*node.results[0], tracer_.size_item(sizes_(*node.args[0].get<Dims>())[0]));
    case Task::kDefineSymbol:
      return define_symbol(node);
    case Task::kWriteView:
      return write_view(node);
    case Task::kNewStack: {
      const Shape shape = sizes_(*node.args[1].get<Dims>());
      return define(*node.results[0],
                    builder_.common(new_residual_stack(tracer_, *node.args[0].get<DType>(), shape)));
    }
    case Task::kPush:
      return push(node);
    case Task::kPop:
    case Task::kPopStack: {
      const Value stack = std::get<Value>(slot_of(node.args[0]));
      const auto [below, top] =
          pop_residual(tracer_, tensor_of(unbatched(stack)), intrinsic.task == Task::kPopStack);
      define(*node.results[0], slot_from(below, is_mapped(stack)));
      return define(*node.results[1], slot_from(top, is_mapped(stack)));
    }
  }
}

/// A size that differs between slices may still be a place along an axis.
void Batching::define_symbol(const Node& node) {
  const Dim symbol = Dim::symbol(*node.args[1].get<std::string>());
  const Slot slot = slot_of(node.args[0]);
  if (differs(slot)) {
    places_.emplace_back(symbol, std::get<Value>(slot));
    return;
  }
  const Item& number = std::get<Item>(slot);
  auto* known = std::get_if<Scalar>(&number);
  sizes_.replace(symbol, known ? Dim(known->to_int()) : tracer_.size_of(std::get<Number>(number)));
}

/// Puts a value aside. Where it is the first that differs between slices, so does the residual stack from now
/// on: the loop around is written again with such a one.
void Batching::push(const Node& node) {
  const Value stack = std::get<Value>(slot_of(node.args[0]));
  const Value value = std::get<Value>(slot_of(node.args[1]));
  const bool mapped = is_mapped(stack) || is_mapped(value);
  const GraphValue& put_aside = *value_in(node.args[1]);
  const Tensor before = std::get<Tensor>(item_of(stack, mapped, *value_in(node.args[0])));
  const Tensor top = std::get<Tensor>(item_of(value, mapped, put_aside));
  define(*node.results[0], slot_from(push_residual(tracer_, before, top), mapped));
}

/// The same at a place that differs between slices.
bool Batching::write_differing(const Node& node, std::span<const Node* const> views) {
  if (views.size() != 1 || views[0]->op->name != "select_at") return false;
  const Dim position = (*views[0]->args[2].get<Dims>())[0];
  for (const auto& [symbol, place] : places_) {
    if (!(symbol == position)) continue;
    const Value base = std::get<Value>(slot_of(node.args[0]));
    const Value value = std::get<Value>(slot_of(node.args[1]));
    define(*node.results[0], index_update(base, index_at(*views[0], base, place), value));
    return true;
  }
  return false;
}

/// Writes into a copy: who had the tensor before keeps what it was.
void Batching::write_view(const Node& node) {
  const Value base = std::get<Value>(slot_of(node.args[0]));
  const Value value = std::get<Value>(slot_of(node.args[1]));
  const std::vector<const Node*> views = views_between(*value_in(node.args[0]), *value_in(node.args[2]));
  if (write_differing(node, views)) return;
  const bool mapped = is_mapped(base) || is_mapped(value);
  const Value whole = copy(mapped ? builder_.whole(base) : unbatched(base));
  Value window = mapped ? builder_.mapped(whole) : builder_.common(whole);
  const Value written = window;
  for (const Node* view : views) {
    std::vector<Arg> args;
    args.emplace_back(window);
    for (size_t i = 1; i < view->args.size(); ++i) args.push_back(argument(view->args[i]));
    window = builder_.apply_one(static_cast<const Op&>(*view->op), args);
  }
  if (!(as_tensor(unbatched(window)).storage == as_tensor(whole).storage)) {
    runtime_error(
        "vmap: a Tensor is written through a view that takes a copy where there are many slices; "
        "write to the Tensor itself",
        place_text(node.location));
  }
  copy_into(unbatched(window), mapped ? builder_.whole(value) : unbatched(value));
  define(*node.results[0], written);
}

void Batching::visit_host(const Node& node) {
  const std::span<const Arg> args = std::span(node.args).subspan(1);
  const std::vector<Slot> slots = slots_of(args);
  // Weights that the function makes are drawn once, for all slices.
  const bool once = node.host == "raise" || node.host == "initializer";
  if (!once || undecided_ > 0 || std::any_of(slots.begin(), slots.end(), differs)) {
    runtime_error("vmap: ", node.host,
                  " acts on the outside, which every slice would do in its own way; do it outside "
                  "of the function",
                  place_text(node.location));
  }
  std::vector<Item> items;
  for (const Slot& slot : slots) items.push_back(given(slot).item);
  const std::vector<Item> made =
      tracer_.add_host(node.host, node.payload, items, type_specs_of(node.results));
  define(*node.results[0], std::monostate());
  for (size_t i = 0; i < made.size(); ++i) define(*node.results[i + 1], common(made[i]));
}

namespace {

/// What the function of one slice captures, as all slices have it.
std::vector<Batching::Slot> captured_slots(GraphTracer& tracer, Batching& batching, const Scope& function,
                                           std::span<const std::pair<Tensor, Tensor>> replaced) {
  std::unordered_map<const Storage*, Tensor> stacked;
  for (const auto& [tensor, whole] : replaced) {
    if (const Tensor known = tracer.graph_tensor(tensor)) stacked[known->storage.get()] = whole;
  }
  std::vector<Batching::Slot> slots;
  for (const CapturedVariable& what : function.captured) {
    switch (what.kind) {
      case CapturedVariable::Kind::kStorage: {
        if (is_changed(function, what)) {
          runtime_error(
              "vmap: the function writes to a Parameter or a Tensor from outside of it, which every slice "
              "would do in its own way; return the new value instead");
        }
        auto found = stacked.find(what.storage);
        slots.push_back(found != stacked.end() ? batching.mapped(found->second)
                                               : batching.common(tracer.captured_tensor(what)));
        break;
      }
      case CapturedVariable::Kind::kNumber:
        slots.push_back(batching.common(Number{number_kind(what.number->dtype), what.number, {}}));
        break;
      case CapturedVariable::Kind::kToken:
        slots.emplace_back();
        break;
    }
  }
  return slots;
}

}  // namespace

std::vector<BatchedItem> vmap(GraphTracer& tracer, Scope& function, std::span<const Item> results,
                              std::span<const Item> args, Dim count, bool draws_alike,
                              std::span<const std::pair<Tensor, Tensor>> replaced) {
  tracer.scope();
  tracer.require_suspended("add_batched", function);
  DYAD_ASSERT(args.size() == function.own_params);
  function.function->results.clear();
  for (const Item& item : results) function.function->results.push_back(tracer.value_of(function, item));
  Batching batching(tracer, count, draws_alike);
  std::vector<Batching::Slot> slots;
  for (const Item& item : args) slots.push_back(batching.mapped(tensor_in(item)));
  const std::vector<Batching::Slot> captured = captured_slots(tracer, batching, function, replaced);
  slots.insert(slots.end(), captured.begin(), captured.end());
  std::vector<BatchedItem> given;
  for (const Batching::Slot& slot : batching.walk(*function.function, slots))
    given.push_back(batching.given(slot));
  return given;
}

}  // namespace dyad::transforms
