#include "capture/tracing/graph_tracer.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/error.h"
#include "eager/dispatch.h"
#include "eager/location.h"
#include "ops/number_operator.h"
#include "passes/eliminate.h"
#include "tensor/writes.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

thread_local std::vector<Ref<GraphTracer>> active;
thread_local std::vector<autograd::State> tapes_outside;
thread_local int aside = 0;
bool (*state_test)(const TensorImpl&) = nullptr;
ControlFlowTape* control_flow_tape = nullptr;

/// The hook of eager dispatch: the newest tracer of this thread.
class ThreadTracer final : public eager::Tracer {
 public:
  bool takes(const Op& op, std::span<const Arg> args, const Value* target) override {
    if (aside > 0) return false;
    if (!active.empty() && !active.back()->finished()) return active.back()->takes(op, args, target);
    if (target) refuse_symbolic(op, *target);
    for (const Arg& arg : args)
      ir::for_each_value(arg, [&](const Value& value) { refuse_symbolic(op, value); });
    return false;
  }
  Value add_one(const Op& op, std::span<const Arg> args) override {
    ValueList results;
    add(op, args, results);
    return std::move(results.front());
  }
  void add(const Op& op, std::span<const Arg> args, ValueList& results) override {
    active.back()->add(op, args, results);
  }

 private:
  static void refuse_symbolic(const Op& op, const Value& value) {
    if (!value->symbolic) return;
    capture_error(BreakKind::kCondition, op.name,
                  ": a Tensor of a graph is used where that graph is not captured; its value is known "
                  "only when the graph runs");
  }
};

/// Where in the program the tracer of this thread is.
class ThreadLocations final : public eager::LocationSource {
 public:
  Ref<RefCounted> here() override {
    if (active.empty() || active.back()->finished()) return {};
    return Ref<RefCounted>(new HeldLocation(active.back()->location));
  }
  void go(const RefCounted& place) override {
    if (!active.empty()) active.back()->location = static_cast<const HeldLocation&>(place).location;
  }

 private:
  struct HeldLocation : RefCounted {
    explicit HeldLocation(ir::Location at) : location(std::move(at)) {}
    ir::Location location;
  };
};

uint64_t next_scope() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}

/// Puts the element with the number order[i] at place i.
template <typename T>
void permute(std::span<T> elements, std::span<const size_t> order) {
  if (order.size() != elements.size() || std::set(order.begin(), order.end()).size() != order.size()) {
    value_error("finish: input_order has ", order.size(), " numbers for ", elements.size(),
                " inputs; each input must be named once");
  }
  std::vector<T> moved;
  for (const size_t i : order) {
    if (i >= elements.size()) value_error("finish: there is no input ", i, "; there are ", elements.size());
    moved.push_back(std::move(elements[i]));
  }
  std::move(moved.begin(), moved.end(), elements.begin());
}

}  // namespace

GraphTracer* current() { return active.empty() ? nullptr : active.back().get(); }

void push(Ref<GraphTracer> tracer) {
  active.push_back(std::move(tracer));
  tapes_outside.push_back(autograd::state());
  if (!active.back()->tracing()) autograd::state() = {};
  if (active.size() == 1) {
    Storage::captures.fetch_add(1);
    Writes::begin();
  }
  active.back()->note_place();
}

void pop(const GraphTracer& tracer) {
  if (active.empty() || active.back().get() != &tracer) {
    runtime_error("deactivate: the graph is not the one that this thread records into");
  }
  const Ref<GraphTracer> kept = std::move(active.back());
  active.pop_back();
  autograd::state() = tapes_outside.back();
  tapes_outside.pop_back();
  if (active.empty()) {
    Storage::captures.fetch_sub(1);
    Writes::end();
    Storage::set_birthplace(0);
  } else {
    active.back()->note_place();
  }
}

Aside::Aside() { ++aside; }
Aside::~Aside() { --aside; }

void set_control_flow_tape(ControlFlowTape* tape) { control_flow_tape = tape; }
void set_state_test(bool (*is_state)(const TensorImpl&)) { state_test = is_state; }
bool is_state(const TensorImpl& tensor) { return state_test && !tensor.symbolic && state_test(tensor); }

GraphTracer::GraphTracer(const std::string& name) : module_(std::make_shared<ir::Module>()) {
  static ThreadTracer capture;
  eager::set_tracer(&capture);
  static ThreadLocations places;
  eager::set_location_source(&places);
  current_ = &open_scope(name, nullptr);
}

GraphTracer::~GraphTracer() = default;

void GraphTracer::discard() {
  finished_ = true;
  bound_.clear();
  forget();
  module_ = std::make_shared<ir::Module>();
  inputs_ = 0;
  note_place();
}

void GraphTracer::note_place() const {
  if (tracing::current() == this) Storage::set_birthplace(current_ ? current_->id : 0);
}

Scope& GraphTracer::open_scope(const std::string& name, Scope* parent) {
  scopes_.push_back(std::make_unique<Scope>());
  Scope& made = *scopes_.back();
  made.id = next_scope();
  made.parent = parent;
  made.function = &module_->add_function(name);
  made.tape.constant = autograd::state().constant;
  return made;
}

/// What is differentiated outside of a function is no concern of its inside: there the tape begins anew.
void GraphTracer::enter(Scope& inner) {
  current_->tape = autograd::state();
  autograd::state() = inner.tape;
  current_ = &inner;
  note_place();
}

Scope& GraphTracer::scope() const {
  if (finished_) runtime_error("graph: it is finished or discarded; nothing can be added");
  return *current_;
}

void GraphTracer::record(const ControlFlowStep& step) {
  if (autograd::state().enabled && control_flow_tape) control_flow_tape->record(*this, step);
}

Tensor GraphTracer::add_input(DType dtype, const Shape& shape, const Strides& strides, std::string name) {
  scope();
  Scope& main = *scopes_.front();
  GraphValue& param = main.function->add_param(Kind::kTensor, dtype, shape, std::move(name));
  ++inputs_;
  if (all_known(shape) && !is_contiguous(shape, strides)) param.strides = strides;
  Tensor made = new_tensor(main, GraphValueRef(&param), shape, all_known(shape) ? &strides : nullptr);
  input_values_[made->storage.get()] = GraphValueRef(&param);
  return made;
}

Number GraphTracer::add_number_input(Scalar::Kind kind, std::string name) {
  scope();
  GraphValue& param =
      scopes_.front()->function->add_param(Kind::kNumber, number_dtype(kind), {}, std::move(name));
  ++inputs_;
  return {kind, GraphValueRef(&param), {}};
}

void GraphTracer::trace_input(const Tensor& tensor, const Shape& shape) {
  if (adopted_.contains(tensor->storage.get())) {
    capture_error("trace_input: the Tensor shares memory with another one of the trace");
  }
  const Tensor made = add_input(tensor->dtype, shape, tensor->strides, {});
  if (!all_known(shape) && !tensor->contiguous()) note_any_layout(*made);
  adopted_[tensor->storage.get()] = {tensor, made, {}};
}

void GraphTracer::finish(std::span<const Item> items, std::span<const size_t> input_order) {
  Scope& main = scope();
  if (&main != scopes_.front().get()) {
    runtime_error("finish: the function @", main.function->name, " is still open; suspend or close it first");
  }
  ir::Function& function = *main.function;
  for (const Item& item : items) function.results.push_back(value_of(main, item));
  if (main.acts) function.results.push_back(main.token);
  arrange_inputs(input_order);
  passes::eliminate_dead_functions(*module_);
  for (const auto& [storage, input] : input_values_) {
    if (memories_.at(storage).state) function.state[input->index] = true;
  }
  for (const auto& [storage, state] : main.held) {
    if (!state.written) continue;
    auto found = input_values_.find(storage);
    if (found == input_values_.end()) continue;
    function.state[found->second->index] = true;
    function.updates.push_back({found->second->index, state.value});
  }
  std::sort(function.updates.begin(), function.updates.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  finished_ = true;
  note_place();
  forget();
}

/// What is needed while the program is written down only.
void GraphTracer::forget() {
  memories_.clear();
  adopted_.clear();
  hooks_.clear();
  input_values_.clear();
  current_ = nullptr;
  scopes_.clear();
}

/// Inputs of the caller first, in the order asked for, then what is bound by reference, then the token.
void GraphTracer::arrange_inputs(std::span<const size_t> order) {
  ir::Function& function = *scopes_.front()->function;
  std::unordered_map<const GraphValue*, int> rank;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const GraphValue& param = *function.params[i];
    rank[&param] = param.kind == Kind::kToken ? 2 : function.state[i] ? 1 : 0;
  }
  std::stable_sort(function.params.begin(), function.params.end(),
                   [&](const auto& a, const auto& b) { return rank[a.get()] < rank[b.get()]; });
  if (!order.empty()) permute(std::span(function.params).first(inputs_), order);
  for (size_t i = 0; i < function.params.size(); ++i) {
    function.params[i]->index = static_cast<uint32_t>(i);
    function.state[i] = rank[function.params[i].get()] == 1;
  }
}

std::vector<size_t> GraphTracer::written_inputs() const {
  std::vector<size_t> indices;
  if (module_->functions.empty()) return indices;
  for (const ir::Function::Update& update : module_->main().updates) indices.push_back(update.index);
  return indices;
}

size_t GraphTracer::node_count() const {
  size_t count = 0;
  for (const auto& function : module_->functions) count += function->nodes.size();
  return count;
}

}  // namespace dyad::tracing
