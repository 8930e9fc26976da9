#include <algorithm>

#include "autograd/state.h"
#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "capture/tracing/layout.h"
#include "eager/dispatch.h"
#include "ops/number_operator.h"
#include "passes/effects.h"
#include "tensor/writes.h"

namespace dyad::tracing {

using ir::for_each_value;
using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

/// Calls `visit` for each tensor that the operator updates besides giving results, in order.
template <class Visit>
void for_each_updated(const Op& op, std::span<const Arg> args, const Visit& visit) {
  for (int i : op.updates) for_each_value(args[static_cast<size_t>(i)], visit);
}

}  // namespace

/// Whether the value is one of the graph, or must become one.
bool GraphTracer::meets(const Value& value) const {
  if (!value->is_tensor()) return false;
  const TensorImpl& tensor = as_tensor(value);
  return holds(tensor) || ((tracing_ || is_state(tensor)) && !born_here(tensor));
}

/// A write that is seen outside of the function that is being written down happens when the graph runs, and
/// so does one to a constant that nodes before it read.
bool GraphTracer::defers_write(const TensorImpl& target) const {
  if (holds(target) || target.storage->birthplace() != current_->id) return true;
  return std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& scope) {
    return std::any_of(scope->constants.begin(), scope->constants.end(),
                       [&](const auto& constant) { return constant.first->storage == target.storage; });
  });
}

bool GraphTracer::takes(const Op& op, std::span<const Arg> args, const Value* target) {
  if (op.random) return true;
  bool found = target && defers_write(as_tensor(*target));
  for (const Arg& arg : args) for_each_value(arg, [&](const Value& value) { found = found || meets(value); });
  for (const Arg& arg : args) {
    auto* dims = arg.get<Dims>();
    found = found || (dims && !all_known(*dims));
  }
  if (found || (op.writes < 0 && op.updates.empty())) return found;
  if (op.writes >= 0) found = defers_write(as_tensor(*args[static_cast<size_t>(op.writes)].get<Value>()));
  for_each_updated(op, args, [&](const Value& value) { found = found || defers_write(as_tensor(value)); });
  return found;
}

namespace {
thread_local std::string_view called;
}  // namespace

void CalledAs::begin(std::string_view name) {
  outer_ = std::exchange(called, name);
  begun_ = true;
}

void CalledAs::end() { called = outer_; }

ir::Node& GraphTracer::add_node(Scope& scope, ir::NodeKind kind) {
  ir::Node& node = scope.function->add_node(kind);
  node.location = location;
  node.constant = autograd::state().constant;
  return node;
}

ir::Node& GraphTracer::add_operator(Scope& scope, const Operator& op, std::vector<Arg> args) {
  const std::vector<ResultSpec> specs = op.infer_results(args);
  ir::Node& node = add_node(scope, ir::NodeKind::kOperator);
  node.op = &op;
  if (called != op.name) node.location.called = called;
  node.args = std::move(args);
  for (size_t i = 0; i < specs.size(); ++i) {
    node.add_result(ir::result_kind(op, i), specs[i].dtype, specs[i].shape);
  }
  if (passes::checks_data(node)) ++checking_count_;
  return node;
}

std::vector<Value> GraphTracer::targets_of(const Op& op, std::span<const Arg> args) {
  std::vector<Value> targets;
  const auto add_target = [&](const Value& value) {
    TensorImpl& tensor = eager::require_writable(op, value);
    require_rewritable(op, tensor);
    targets.emplace_back(tensor.symbolic ? value : Value(adopt(Tensor(&tensor))));
  };
  if (op.writes >= 0) add_target(*args[static_cast<size_t>(op.writes)].get<Value>());
  for_each_updated(op, args, add_target);
  return targets;
}

void GraphTracer::add(const Op& op, std::span<const Arg> args, ValueList& results) {
  if (op.body && !op.infer) return eager::run_body(op, args, results);
  Scope& here = scope();
  const std::vector<Value> targets = targets_of(op, args);
  if (op.view && !args.empty() && args[0].get<Value>()) {
    // The result is to be found in its memory, though what it shows is known only when the graph runs.
    const Tensor whole(&as_tensor(*args[0].get<Value>()));
    if (tracing_ || (!whole->symbolic && born_here(*whole))) adopt(whole);
  }

  std::vector<GraphValueRef> before;
  const bool assigns = op.state || !op.updates.empty();
  for (const Value& target : targets) {
    if (assigns) preserve(here, as_tensor(target));
    if (!assigns && !autograd::state().constant)
      memories_.at(as_tensor(target).storage.get()).in_place = true;
    before.push_back(value_of(here, as_tensor(target)));
  }
  std::vector<Arg> inside = graph_args(here, args);
  ValueList real;
  if (tracing_) {
    const Aside aside;
    eager::run(op, args, real);
  }
  ir::Node& node = add_operator(here, op, std::move(inside));
  const size_t own = node.results.size() - targets.size() + (op.writes >= 0 ? 1 : 0);
  size_t next = 0;
  for (size_t i = 0; i < own; ++i) {
    if (op.writes >= 0) {
      store(here, as_tensor(targets[next]), before[next], node.results[i], assigns);
      write_original(here, as_tensor(targets[next]), assigns);
      results.push_back(*args[static_cast<size_t>(op.writes)].get<Value>());
      ++next;
    } else {
      const TensorImpl* given = tracing_ ? &as_tensor(real[i]) : nullptr;
      results.push_back(view_result(here, op, args, *node.results[i], given));
      if (tracing_) {
        pair(real[i], results.back());
        results.back() = real[i];
      }
    }
  }
  for (size_t i = own; i < node.results.size(); ++i, ++next) {
    store(here, as_tensor(targets[next]), before[next], node.results[i], assigns);
  }
}

void GraphTracer::pair(const Value& real, const Value& symbolic) {
  const Tensor tensor(&as_tensor(real));
  Adopted& known = adopted_[tensor->storage.get()];
  if (!known.tensor) known = {tensor, Tensor(&as_tensor(symbolic)), {}};
  known.views[tensor.get()] = {tensor, Tensor(&as_tensor(symbolic))};
}

Value GraphTracer::view_result(Scope& scope, const Op& op, std::span<const Arg> args, GraphValue& value,
                               const TensorImpl* real) {
  auto* first = args.empty() ? nullptr : args[0].get<Value>();
  if (!op.view || !first) return tensor_result(scope, value);
  Tensor whole(&as_tensor(*first));
  if (!whole->symbolic) whole = stand_in(*whole);
  Strides strides;
  bool lies = static_cast<bool>(whole);
  if (lies && real) {
    lies = real->storage == as_tensor(*first).storage;
    strides = real->strides;
  } else if (lies) {
    lies = lies_in_argument(op, args, {value.dtype, value.shape}, strides);
  }
  const bool unsettled =
      whole && has_any_layout(*whole) && depends_on_layout(op, args, {value.dtype, value.shape});
  if (unsettled) memories_.at(whole->storage.get()).unsettled = true;
  if (!lies) {
    Tensor apart = tensor_result(scope, value);
    memories_.at(apart->storage.get()).unsettled = unsettled;
    return apart;
  }
  Tensor view = alias_of(*whole);
  view->dtype = value.dtype;
  view->shape = value.shape;
  view->strides = strides;
  Ref<Window> window(new Window);
  window->op = &op;
  window->args.assign(args.begin(), args.end());
  window->args[0] = Arg();
  window->before = Ref<Window>(static_cast<Window*>(whole->window.get()));
  window->constant = autograd::state().constant;
  view->window = window;
  scope.views[window.get()] = {window, GraphValueRef(&value), held(scope, *view->storage).version};
  return view;
}

void GraphTracer::protect(const TensorImpl& tensor) {
  if (auto found = memories_.find(tensor.storage.get()); found != memories_.end())
    found->second.shared = true;
}

/// A write to what stands for an argument of a transform: one that would have to be differentiated is an
/// error, as it is where nothing is captured.
void GraphTracer::require_rewritable(const Op& op, const TensorImpl& target) const {
  const auto found = memories_.find(target.storage.get());
  if (found == memories_.end() || !found->second.original) return;
  if (!op.state && op.updates.empty() && !autograd::state().constant) {
    runtime_error(
        op.name,
        ": A leaf tensor that need grad is being used in an inplace operator and cannot be written in place; "
        "write to a copy(), or inside no_grad");
  }
  const Tensor& original = found->second.original;
  if (target.window || !original->symbolic || original->window) {
    capture_error(op.name,
                  ": a part of an argument that a gradient is taken by is written; write to a copy()");
  }
}

/// The argument itself gets what was written to its stand-in.
void GraphTracer::write_original(Scope& scope, const TensorImpl& target, bool assigns) {
  const Tensor original = memory(*target.storage).original;
  if (!original) return;
  store(scope, *original, value_of(scope, *original), held(scope, *target.storage).value, assigns);
}

void GraphTracer::store(Scope& scope, const TensorImpl& target, GraphValueRef before, GraphValueRef after,
                        bool assigns) {
  if (auto found = memories_.find(target.storage.get()); found != memories_.end() && found->second.shared) {
    capture_error(
        BreakKind::kCondition,
        "graph: a Tensor is written in place that is one of several, and others hold it too; which one is "
        "known "
        "only when the graph runs; write to a copy()");
  }
  if (const auto found = memories_.find(target.storage.get());
      found != memories_.end() && found->second.unsettled) {
    raise(
        ErrorKind::kSymbolicDim,
        "graph: a Tensor is written in place whose memory may be another's too; that depends on the strides "
        "of the argument, which has symbolic dimensions and is not contiguous");
  }
  Held& whole = held(scope, *target.storage);
  if (target.window) {
    const Operator& write_view = *find_intrinsic("write_view");
    std::vector<Arg> args{Value(whole.value), Value(after), Value(before)};
    whole.value = add_operator(scope, write_view, std::move(args)).results[0];
    Ref<Window> window(static_cast<Window*>(target.window.get()));
    scope.views[window.get()] = {window, after, whole.version + 1};
  } else {
    whole.value = std::move(after);
  }
  ++whole.version;
  whole.written = true;
  whole.overwritten = whole.overwritten || !assigns;
  Writes::add(*target.storage);
  if (tracing_) return;
  // A tape may keep tensors with data that the graph has taken over: they are overwritten too.
  for (auto& [data, adopted] : adopted_) {
    if (adopted.stand_in->storage == target.storage) Writes::add(*adopted.tensor->storage);
  }
}

/// What differentiation keeps of state is put aside, as the dynamic graph does before it overwrites it.
void GraphTracer::preserve(Scope& scope, const TensorImpl& target) {
  Storage& storage = *target.storage;
  if (!storage.is_kept() || storage.preserved(storage.version())) return;
  static const Op& copy = OpTable::instance().get("copy");
  ir::Node& node = add_operator(scope, copy, {Value(held(scope, storage).value)});
  const Tensor kept = new_tensor(scope, node.results[0], memory(storage).whole->shape, nullptr);
  storage.preserve(kept->storage);
}

}  // namespace dyad::tracing
