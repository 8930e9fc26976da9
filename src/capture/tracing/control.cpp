#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/in_place.h"
#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "ops/number_operator.h"
#include "tensor/truth.h"
#include "tensor/writes.h"
#include "types/agreement.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool same(const CapturedVariable& a, const CapturedVariable& b) {
  return a.kind == b.kind && a.storage == b.storage && a.number == b.number;
}

const CapturedVariable* find(const std::vector<CapturedVariable>& list, const CapturedVariable& what) {
  for (const CapturedVariable& known : list) {
    if (same(known, what)) return &known;
  }
  return nullptr;
}

/// The shape of what is one of two tensors.
Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!(a[i] == b[i])) shape[i] = Dim::fresh("size");
  }
  return shape;
}

}  // namespace

Item GraphTracer::item_of(Scope& scope, GraphValue& value) {
  if (value.kind == Kind::kNumber) return Number{number_kind(value.dtype), GraphValueRef(&value), {}};
  return tensor_result(scope, value);
}

Item GraphTracer::new_param(Scope& scope, const TypeSpec& spec) {
  if (spec.number)
    return item_of(scope, scope.function->add_param(Kind::kNumber, number_dtype(spec.kind), {}));
  const Kind kind = spec.residual_stack ? Kind::kResidualStack : Kind::kTensor;
  ir::GraphValue& param = scope.function->add_param(kind, spec.dtype, spec.shape);
  param.strides = spec.strides;
  return item_of(scope, param);
}

std::vector<Item> GraphTracer::begin(const std::string& name, std::span<const TypeSpec> specs) {
  Scope& inner = open_scope(name, &scope());
  std::vector<Item> params;
  for (const TypeSpec& spec : specs) params.push_back(new_param(inner, spec));
  inner.own_params = specs.size();
  enter(inner);
  return params;
}

Scope* GraphTracer::suspend() {
  Scope& inner = scope();
  if (!inner.parent) runtime_error("suspend: no function is open besides the main one");
  inner.open = false;
  enter(*inner.parent);
  return &inner;
}

void GraphTracer::resume(Scope& inner) {
  scope();
  require_suspended("resume", inner);
  inner.open = true;
  enter(inner);
}

void GraphTracer::require_suspended(std::string_view what, const Scope& inner) const {
  if (inner.open) runtime_error(what, ": the function @", inner.function->name, " is open; suspend it first");
  if (!inner.uses.empty()) runtime_error(what, ": the function @", inner.function->name, " is used already");
  if (inner.parent != current_) {
    runtime_error(what, ": the function @", inner.function->name, " was begun inside another one");
  }
}

GraphValueRef GraphTracer::truth_of(Scope& here, const Item& condition) {
  GraphValueRef value = value_of(here, condition);
  if (value->kind == Kind::kTensor) {
    if (all_known(value->shape) && numel(value->shape) != 1) {
      refuse_truth(value->shape);
    }
    value = add_operator(here, *find_intrinsic("number_of"), {Value(value)}).results[0];
  }
  if (is_bool(value->dtype)) return value;
  return add_operator(here, *find_number_operator("number_bool"), {Value(value)}).results[0];
}

std::vector<CapturedVariable> GraphTracer::united(std::span<Scope* const> scopes) const {
  std::vector<CapturedVariable> all;
  for (const Scope* inner : scopes) {
    for (const CapturedVariable& what : inner->captured) {
      const CapturedVariable* known = find(all, what);
      if (!known) {
        all.push_back(what);
      } else if (what.tensor && (!known->tensor || !autograd::autograd_meta_of(*known->tensor))) {
        all[static_cast<size_t>(known - all.data())].tensor = what.tensor;
      }
    }
  }
  return all;
}

/// Gives the functions the same parameters: their own, then what either takes from outside, in this order.
void GraphTracer::arrange_params(std::span<Scope* const> scopes, const std::vector<CapturedVariable>& order) {
  for (Scope* inner : scopes) {
    for (const CapturedVariable& what : order) {
      if (!find(inner->captured, what)) give_param(*inner, what);
    }
    ir::Function& function = *inner->function;
    std::vector<GraphValueRef> params(function.params.begin(), function.params.begin() + inner->own_params);
    std::vector<CapturedVariable> captured;
    for (const CapturedVariable& what : order) {
      captured.push_back(*find(inner->captured, what));
      params.push_back(captured.back().param);
    }
    for (size_t i = 0; i < params.size(); ++i) params[i]->index = static_cast<uint32_t>(i);
    function.params = std::move(params);
    inner->captured = std::move(captured);
  }
  for (Scope* inner : scopes) inner->group.assign(scopes.begin(), scopes.end());
}

/// What stands for an argument of a transform is not changed by a function that is differentiated.
void GraphTracer::require_rewritable(const std::vector<CapturedVariable>& changed) const {
  if (!autograd::state().enabled) return;
  for (const CapturedVariable& what : changed) {
    if (what.kind != CapturedVariable::Kind::kStorage || !memory(*what.storage).original || !what.tensor)
      continue;
    autograd::require_rewritable("graph", *what.tensor);
  }
}

/// Returns whether a tape keeps the contents of the memory, or of one whose data the graph has taken over.
bool GraphTracer::is_kept(const Storage& storage) const {
  return storage.is_kept() || std::ranges::any_of(adopted_, [&](const auto& entry) {
           const Adopted& adopted = entry.second;
           return adopted.stand_in->storage.get() == &storage && adopted.tensor->storage->is_kept();
         });
}

/// Refuses a write on some of the paths to memory that a tape keeps: which path a run takes is not known, so
/// Python runs the function.
void GraphTracer::require_certain_writes(std::span<Scope* const> paths,
                                         const std::vector<CapturedVariable>& changed) const {
  for (const CapturedVariable& what : changed) {
    if (what.kind != CapturedVariable::Kind::kStorage) continue;
    const auto overwrites = [&](const Scope* path) { return is_overwritten(*path, *what.storage); };
    const auto overwriting = static_cast<size_t>(std::ranges::count_if(paths, overwrites));
    if (overwriting == 0 || overwriting == paths.size() || !is_kept(*what.storage)) continue;
    capture_error(
        "graph: a Tensor that a gradient may need is written in place on a path that data decides; write to "
        "a copy() instead");
  }
}

/// After a node: the storages that its functions changed hold its last results.
void GraphTracer::take_changed(Scope& here, std::span<Scope* const> functions,
                               const std::vector<CapturedVariable>& changed, ir::Node& node) {
  for (const CapturedVariable& what : changed) {
    if (what.kind == CapturedVariable::Kind::kToken) {
      here.token = GraphValueRef(&node.add_result(Kind::kToken, DType::kBool, {}));
      here.acts = true;
      continue;
    }
    const TensorImpl& whole = *memory(*what.storage).whole;
    DYAD_ASSERT(memory(*what.storage).kind == Kind::kTensor);
    Held& state = held(here, *what.storage);
    state.value = GraphValueRef(&node.add_result(Kind::kTensor, whole.dtype, whole.shape));
    ++state.version;
    state.written = true;
    state.overwritten = state.overwritten || std::ranges::any_of(functions, [&](const Scope* function) {
                          return is_overwritten(*function, *what.storage);
                        });
    Writes::add(*whole.storage);
  }
}

GraphValueRef GraphTracer::never_given(Scope& here, const GraphValue& like) {
  if (like.kind == Kind::kNumber) {
    const Scalar::Kind kind = number_kind(like.dtype);
    if (kind == Scalar::Kind::kBool) return constant(here, Scalar(false));
    return constant(here, kind == Scalar::Kind::kInt ? Scalar(0) : Scalar(0.0));
  }
  if (like.kind == Kind::kResidualStack) {
    std::vector<Arg> args;
    args.emplace_back(like.dtype);
    args.emplace_back(like.shape);
    return add_operator(here, *find_intrinsic("new_residual_stack"), std::move(args)).results[0];
  }
  Shape shape = like.shape;
  for (Dim& size : shape) {
    if (!size.known()) size = 0;
  }
  static const Op& zeros = OpTable::instance().get("zeros");
  std::vector<Arg> args{shape, like.dtype};
  for (size_t i = args.size(); i < zeros.signature.params.size(); ++i) {
    args.push_back(zeros.signature.params[i].default_value);
  }
  return add_operator(here, zeros, std::move(args)).results[0];
}

/// A node that runs these functions, which take `args` and what they capture.
ir::Node& GraphTracer::add_function_node(Scope& here, ir::NodeKind kind, std::span<Scope* const> functions,
                                         std::vector<Arg> args,
                                         const std::vector<CapturedVariable>& captured) {
  for (const CapturedVariable& what : captured) args.push_back(outer_arg(here, what));
  ir::Node& node = add_node(here, kind);
  node.args = std::move(args);
  for (Scope* function : functions) {
    node.functions.push_back(function->function);
    function->uses.emplace_back(&node, &here);
  }
  return node;
}

/// What is one of two values, or the one of the arm that is left.
Item GraphTracer::joined_result(Scope& here, ir::Node& node, const GraphValue& a, const GraphValue& b,
                                std::optional<int> dead) {
  if (a.kind != b.kind || a.dtype != b.dtype || a.rank() != b.rank()) {
    type_error("add_if: result ", node.results.size(), " is ", type_text(a), " in one arm and ", type_text(b),
               " in the other; both must have one kind, dtype and number of dimensions");
  }
  const Shape shape = dead ? with_fresh_sizes(*dead == 0 ? b.shape : a.shape) : joined(a.shape, b.shape);
  return item_of(here, node.add_result(a.kind, a.dtype, shape));
}

std::vector<Item> GraphTracer::add_if(const Item& condition, Scope& yes, std::span<const Item> yes_items,
                                      Scope& no, std::span<const Item> no_items, std::optional<int> dead) {
  Scope& here = scope();
  require_suspended("add_if", yes);
  require_suspended("add_if", no);
  if (&yes == &no) runtime_error("add_if: both arms are the function @", yes.function->name);
  if (!dead && yes_items.size() != no_items.size()) {
    value_error("add_if: the arms give ", yes_items.size(), " and ", no_items.size(),
                " results; they must give equally many");
  }
  Scope* arms[] = {&yes, &no};
  const std::span<const Item> items[] = {yes_items, no_items};
  std::vector<GraphValueRef> given[2];
  for (int arm = 0; arm < 2; ++arm) {
    if (dead == arm) continue;
    for (const Item& item : items[arm]) given[arm].push_back(value_of(*arms[arm], item));
  }
  if (dead) {
    for (const GraphValueRef& value : given[1 - *dead])
      given[*dead].push_back(never_given(*arms[*dead], *value));
  }
  const GraphValueRef truth = truth_of(here, condition);
  const std::vector<CapturedVariable> order = united(arms);
  arrange_params(arms, order);
  std::vector<CapturedVariable> changed;
  for (const CapturedVariable& what : order) {
    if (is_changed(yes, what) || is_changed(no, what)) changed.push_back(what);
  }
  require_rewritable(changed);
  const std::span<Scope* const> paths = arms;
  require_certain_writes(dead ? paths.subspan(static_cast<size_t>(1 - *dead), 1) : paths, changed);
  for (int arm = 0; arm < 2; ++arm) give_results(*arms[arm], given[arm], changed);

  ir::Node& node = add_function_node(here, ir::NodeKind::kIf, arms, {Value(truth)}, order);
  std::vector<Item> results;
  for (size_t i = 0; i < given[0].size(); ++i)
    results.push_back(joined_result(here, node, *given[0][i], *given[1][i], dead));
  take_changed(here, arms, changed, node);
  record({here, node, {}, order, results, changed});
  return results;
}

std::vector<Item> GraphTracer::add_while(Scope& condition, const Item& truth, Scope& body,
                                         std::span<const Item> body_items, std::span<const Item> initial) {
  Scope& here = scope();
  require_suspended("add_while", condition);
  require_suspended("add_while", body);
  if (condition.own_params != initial.size() || body.own_params != initial.size() ||
      body_items.size() != initial.size()) {
    value_error("add_while: there are ", initial.size(), " variables; the condition takes ",
                condition.own_params, ", the body takes ", body.own_params, " and gives ", body_items.size());
  }
  const GraphValueRef decision = truth_of(condition, truth);
  std::vector<GraphValueRef> given;
  for (const Item& item : body_items) given.push_back(value_of(body, item));
  std::vector<Arg> args;
  for (const Item& item : initial) args.emplace_back(Value(argument_value(here, item)));
  for (size_t i = 0; i < given.size(); ++i) {
    const GraphValue& variable = *body.function->params[i];
    require_variable(i, variable, ir::as_graph_value(*args[i].get<Value>()), "starts as");
    require_variable(i, variable, *given[i], "becomes");
  }
  require_unchanged(condition);
  Scope* parts[] = {&condition, &body};
  std::vector<CapturedVariable> order = united(parts);
  const auto others = std::stable_partition(
      order.begin(), order.end(), [&](const CapturedVariable& what) { return is_changed(body, what); });
  const std::vector<CapturedVariable> changed(order.begin(), others);
  require_rewritable(changed);
  require_certain_writes(parts, changed);
  arrange_params(parts, order);
  condition.function->results = {decision};
  give_results(body, given, changed);

  ir::Node& node = add_function_node(here, ir::NodeKind::kWhile, parts, std::move(args), order);
  std::vector<Item> results;
  for (const GraphValueRef& variable : std::span(body.function->params).first(given.size())) {
    results.push_back(
        item_of(here, node.add_result(variable->kind, variable->dtype, with_fresh_sizes(variable->shape))));
  }
  take_changed(here, parts, changed, node);
  record({here, node, initial, order, results, changed});
  return results;
}

void GraphTracer::require_unchanged(const Scope& condition) const {
  for (const CapturedVariable& what : condition.captured) {
    if (is_changed(condition, what)) {
      capture_error(
          "add_while: the condition of a loop writes to a Tensor or acts on the outside; do so in the "
          "body");
    }
  }
}

/// A loop's variable keeps its kind, dtype and the sizes that are known of it.
void GraphTracer::require_variable(size_t i, const GraphValue& variable, const GraphValue& value,
                                   std::string_view event) const {
  bool fits = variable.kind == value.kind && variable.dtype == value.dtype && variable.rank() == value.rank();
  for (size_t d = 0; fits && d < variable.shape.size(); ++d) {
    fits = !variable.shape[d].known() || variable.shape[d] == value.shape[d];
  }
  if (!fits) {
    type_error("add_while: variable ", i, " is ", type_text(variable), " and ", event, " ", type_text(value),
               "; it must keep its kind, dtype and shape");
  }
}

}  // namespace dyad::tracing
