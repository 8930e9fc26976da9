#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

bool fits(const TypeSpec& spec, const GraphValue& value) {
  if (spec.number) return value.kind == Kind::kNumber && value.dtype == number_dtype(spec.kind);
  if (value.kind != (spec.residual_stack ? Kind::kResidualStack : Kind::kTensor) ||
      value.dtype != spec.dtype || value.shape.size() != spec.shape.size()) {
    return false;
  }
  for (size_t d = 0; d < spec.shape.size(); ++d) {
    if (spec.shape[d].known() && !(spec.shape[d] == value.shape[d])) return false;
  }
  return true;
}

[[noreturn]] void refuse(std::string_view what, size_t i, const ir::Function& function,
                         const GraphValue& value) {
  type_error(what, " ", i, " of @", function.name, " is ", type_text(value),
             ", which is not what the function was declared with");
}

/// What a caller takes back from a function besides its results. One that is not closed yet is taken to write
/// to nothing; closing it checks that.
std::vector<CapturedVariable> changed_by(const Scope& function, bool complete) {
  std::vector<CapturedVariable> changed;
  for (const CapturedVariable& what : function.captured) {
    const bool token = what.kind == CapturedVariable::Kind::kToken;
    if (token || (complete && is_changed(function, what))) changed.push_back(what);
  }
  return changed;
}

const Declared& need_declared(std::string_view what, const Scope& scope) {
  if (!scope.declared) runtime_error(what, ": the function @", scope.function->name, " was not declared");
  return *scope.declared;
}

}  // namespace

Scope* GraphTracer::declare(const std::string& name, std::vector<TypeSpec> params,
                            std::vector<TypeSpec> results) {
  Scope& made = open_scope(name, &scope());
  made.open = false;
  made.declared = std::make_unique<Declared>();
  for (const TypeSpec& spec : params) made.declared->stand_ins.push_back(new_param(made, spec));
  made.own_params = params.size();
  made.declared->params = std::move(params);
  made.declared->results = std::move(results);
  return &made;
}

std::vector<Item> GraphTracer::open(Scope& function) {
  scope();
  const Declared& declared = need_declared("open", function);
  if (function.open || declared.closed) {
    runtime_error("open: the function @", function.function->name, " was opened before");
  }
  function.open = true;
  function.caller = current_;
  enter(function);
  return declared.stand_ins;
}

void GraphTracer::close(Scope& function, std::span<const Item> items) {
  const Declared& declared = need_declared("close", function);
  if (&scope() != &function) {
    runtime_error("close: the function @", function.function->name, " is not the one that is open");
  }
  if (items.size() != declared.results.size()) {
    value_error("close: @", function.function->name, " gives ", items.size(),
                " results and was declared with ", declared.results.size());
  }
  std::vector<GraphValueRef> given;
  for (size_t i = 0; i < items.size(); ++i) {
    given.push_back(value_of(function, items[i]));
    if (!fits(declared.results[i], *given[i])) refuse("close: result", i, *function.function, *given[i]);
  }
  const std::vector<CapturedVariable> changed = changed_by(function, true);
  for (const CapturedVariable& what : changed) {
    if (function.uses.empty() || what.kind == CapturedVariable::Kind::kToken) continue;
    capture_error(
        "close: @", function.function->name,
        " calls itself and writes to a Tensor from outside of it; hand the Tensor over as an argument "
        "and return it");
  }
  give_results(function, given, changed);
  function.open = false;
  function.declared->closed = true;
  enter(*function.caller);
}

void GraphTracer::abandon(Scope& function) {
  function.open = false;
  enter(*function.caller);
}

std::vector<Item> GraphTracer::add_call(Scope& function, std::span<const Item> items) {
  Scope& here = scope();
  const Declared& declared = need_declared("add_call", function);
  if (items.size() != declared.params.size()) {
    value_error("add_call: @", function.function->name, " takes ", declared.params.size(),
                " arguments and is given ", items.size());
  }
  if (!declared.closed) token_of(function);  // whether it acts on the outside is not known yet
  std::vector<Arg> args;
  for (size_t i = 0; i < items.size(); ++i) {
    const GraphValueRef value = argument_value(here, items[i]);
    if (!fits(declared.params[i], *value)) refuse("add_call: argument", i, *function.function, *value);
    args.emplace_back(Value(value));
  }
  // Looking for what the function takes from outside may let it take more, where it calls itself.
  for (size_t i = 0; i < function.captured.size(); ++i)
    args.push_back(outer_arg(here, CapturedVariable(function.captured[i])));
  ir::Node& node = add_node(here, ir::NodeKind::kCall);
  node.functions = {function.function};
  node.args = std::move(args);
  function.uses.emplace_back(&node, &here);
  std::vector<Item> results;
  for (const TypeSpec& spec : declared.results) results.push_back(new_result(here, node, spec));
  const std::vector<CapturedVariable> changed = changed_by(function, declared.closed);
  Scope* functions[] = {&function};
  take_changed(here, functions, changed, node);
  record({here, node, items, function.captured, results, changed});
  return results;
}

std::vector<Item> GraphTracer::add_custom(Scope& forward, std::span<const Item> given, Scope& backward,
                                          std::span<const Item> gradients, std::span<const Item> args) {
  Scope& here = scope();
  require_suspended("add_custom", forward);
  require_suspended("add_custom", backward);
  if (forward.own_params != args.size() || gradients.size() != args.size() ||
      backward.own_params != args.size() + 2 * given.size()) {
    value_error("add_custom: ", args.size(), " arguments and ", given.size(), " results; the function takes ",
                forward.own_params, ", its gradient takes ", backward.own_params, " and gives ",
                gradients.size());
  }
  std::vector<GraphValueRef> results;
  std::vector<GraphValueRef> found;
  for (const Item& item : given) results.push_back(value_of(forward, item));
  for (const Item& item : gradients) found.push_back(value_of(backward, item));
  for (const CapturedVariable& what : backward.captured) {
    if (what.kind == CapturedVariable::Kind::kStorage && is_changed(backward, what)) {
      capture_error("graph: the backward of @", forward.function->name,
                    " writes to a Tensor from outside of it; return what it computes");
    }
  }
  Scope* parts[] = {&forward, &backward};
  const std::vector<CapturedVariable> order = united(parts);
  arrange_params(parts, order);
  std::vector<CapturedVariable> changed;
  std::vector<CapturedVariable> acts;
  for (const CapturedVariable& what : order) {
    if (is_changed(forward, what)) changed.push_back(what);
    if (what.kind == CapturedVariable::Kind::kToken) acts.push_back(what);
  }
  give_results(forward, results, changed);
  give_results(backward, found, acts);

  std::vector<Arg> passed;
  for (const Item& item : args) passed.emplace_back(Value(argument_value(here, item)));
  ir::Node& node = add_function_node(here, ir::NodeKind::kCall, parts, std::move(passed), order);
  std::vector<Item> made;
  for (const GraphValueRef& value : results) {
    made.push_back(item_of(here, node.add_result(value->kind, value->dtype, value->shape)));
  }
  take_changed(here, parts, changed, node);
  return made;
}

/// A value as a function gets it that may write to it: a constant is copied first.
GraphValueRef GraphTracer::argument_value(Scope& here, const Item& item) {
  GraphValueRef value = value_of(here, item);
  const bool constant = value->producer && value->producer->kind == ir::NodeKind::kConstant;
  if (!constant || value->kind != Kind::kTensor) return value;
  std::vector<Arg> args;
  args.emplace_back(Value(value));
  return add_operator(here, OpTable::instance().get("copy"), std::move(args)).results[0];
}

Item GraphTracer::new_result(Scope& here, ir::Node& node, const TypeSpec& spec) {
  if (spec.number) return item_of(here, node.add_result(Kind::kNumber, number_dtype(spec.kind), {}));
  const Kind kind = spec.residual_stack ? Kind::kResidualStack : Kind::kTensor;
  return item_of(here, node.add_result(kind, spec.dtype, with_fresh_sizes(spec.shape)));
}

std::vector<Item> GraphTracer::add_host(std::string what, int payload, std::span<const Item> args,
                                        std::span<const TypeSpec> specs) {
  Scope& here = scope();
  std::vector<Arg> given;
  given.emplace_back(Value(token_of(here)));
  for (const Item& item : args) {
    auto* known = std::get_if<Scalar>(&item);
    given.push_back(known ? Arg(*known) : Arg(Value(value_of(here, item))));
  }
  ir::Node& node = add_node(here, ir::NodeKind::kHost);
  node.host = std::move(what);
  node.payload = payload;
  node.args = std::move(given);
  here.token = GraphValueRef(&node.add_result(Kind::kToken, DType::kBool, {}));
  here.acts = true;
  std::vector<Item> results;
  for (const TypeSpec& spec : specs) results.push_back(new_result(here, node, spec));
  return results;
}

}  // namespace dyad::tracing
