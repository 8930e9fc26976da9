#include "execute/dynamic_frame.h"

#include "base/error.h"
#include "eager/dispatch.h"
#include "execute/executable.h"
#include "ir/calls.h"
#include "runtime/context.h"
#include "tensor/transfer.h"

namespace dyad::execute {

namespace {

bool truth_of(const Arg& condition) {
  if (auto* number = condition.get<Scalar>()) return number->to_bool();
  return item(**condition.get<Value>()).to_bool();
}

bool same_place(const TensorImpl& a, const TensorImpl& b) {
  return a.storage == b.storage && a.data == b.data && a.strides == b.strides;
}

void bind_symbols(const std::vector<plan::Step::Binding>& bindings, std::span<const Arg> values,
                  std::vector<int64_t>& symbols) {
  for (const plan::Step::Binding& binding : bindings) {
    symbols[binding.symbol] = (*values[binding.result].get<Value>())->shape[binding.axis].value();
  }
}

/// What the function gets: arguments before that are the step's own.
std::vector<Arg> those_passed(const plan::Step& step, std::vector<Arg> args) {
  args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(ir::first_passed_argument(*step.node)));
  return args;
}

}  // namespace

void write_back(const Value& value, const Value& base, const Value& window) {
  if (same_place(as_tensor(value), as_tensor(window))) return;
  DYAD_ASSERT(may_overlap(as_tensor(base), as_tensor(window)));
  static const Op& assign = OpTable::instance().get("assign");
  const Arg args[] = {window, value};
  eager::call_one(assign, args);
}

DynamicFrame::DynamicFrame(const plan::FunctionCode& code, std::vector<Arg> args, Symbols symbols)
    : code_(code), slots_(code.slots), symbols_(std::move(symbols)) {
  bind_symbols(code.bindings, args, symbols_);
  for (size_t i = 0; i < args.size(); ++i) {
    if (code.params[i] != plan::kNoSlot) slots_[code.params[i]] = std::move(args[i]);
  }
  for (const plan::FunctionCode::Constant& constant : code.constants) slots_[constant.slot] = constant.value;
  for (const plan::Slot unused : code.unused_params) slots_[unused] = {};
}

DynamicFrame::Symbols DynamicFrame::unbound(const plan::FunctionCode& code) {
  return Symbols(code.symbols.all().size(), plan::kUnbound);
}

std::vector<Arg> DynamicFrame::results() const {
  std::vector<Arg> results;
  for (const plan::Slot slot : code_.results) results.push_back(slot == plan::kNoSlot ? Arg() : slots_[slot]);
  return results;
}

void DynamicFrame::finish() {
  for (const plan::FunctionCode::Update& update : code_.updates) {
    const Value& state = *slots_[update.state].get<Value>();
    write_back(*slots_[update.value].get<Value>(), state, state);
  }
}

/// The arguments of a step with the values and sizes of this run; `fetch` gives the value of an operand.
template <class Fetch>
std::vector<Arg> DynamicFrame::filled(const Step& step, const Fetch& fetch) const {
  std::vector<Arg> args = step.args;
  for (size_t i = 0; i < step.operands.size();) {
    const Step::Operand& operand = step.operands[i];
    if (operand.member < 0) {
      args[operand.arg] = fetch(operand);
      ++i;
      continue;
    }
    ValueList list = *args[operand.arg].get<ValueList>();
    for (; i < step.operands.size() && step.operands[i].arg == operand.arg; ++i) {
      list[static_cast<size_t>(step.operands[i].member)] = *slots_[step.operands[i].slot].get<Value>();
    }
    args[operand.arg] = std::move(list);
  }
  for (const Step::Size& size : step.sizes) {
    Dims dims = *args[size.arg].get<Dims>();
    dims[size.position] = size.value.evaluate(symbols_);
    args[size.arg] = std::move(dims);
  }
  return args;
}

std::vector<Arg> DynamicFrame::arguments(const Step& step) const {
  return filled(step, [&](const Step::Operand& operand) -> const Arg& { return slots_[operand.slot]; });
}

std::vector<Arg> DynamicFrame::passed_arguments(const Step& step) {
  return filled(step, [&](const Step::Operand& operand) {
    return operand.last_use ? std::move(slots_[operand.slot]) : slots_[operand.slot];
  });
}

bool DynamicFrame::condition(const Step& step) const { return truth_of(slots_[step.operands[0].slot]); }

DynamicFrame::Symbols DynamicFrame::callee_symbols(const Step& step, size_t function) const {
  Symbols symbols = unbound(*step.functions[function]);
  for (const Step::Inherited& symbol : step.inherited[function]) {
    symbols[symbol.callee] = symbols_[symbol.own];
  }
  return symbols;
}

void DynamicFrame::set_scalar(const Step& step, Scalar number) {
  const Tensor made = empty(*step.args[1].get<DType>(), {});
  store(number, made->dtype, made->data);
  // On the CPU it could be an operand anywhere, but what is made of it alone, its rows say, would stay there.
  set_value(step.results[0], on_device(*made, Context::process().device()));
}

void DynamicFrame::take_results(const Step& step, std::vector<Arg> results) {
  bind_symbols(step.bindings, results, symbols_);
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.results[i] != plan::kNoSlot) slots_[step.results[i]] = std::move(results[i]);
  }
}

void DynamicFrame::apply(const Step& step) {
  const std::vector<Arg> args = arguments(step);
  const Op& op = *step.op;
  std::vector<Arg> results;
  if (op.signature.results == 1 && !op.signature.results_listed && op.updates.empty()) {
    results.emplace_back(eager::call_one(op, args));
  } else {
    ValueList made;
    eager::call(op, args, made);
    for (Value& value : made) results.emplace_back(std::move(value));
    for (const int updated : op.updates) {
      const auto add = [&](const Value& value) { results.emplace_back(value); };
      ir::for_each_value(args[static_cast<size_t>(updated)], add);
    }
  }
  take_results(step, std::move(results));
}

bool DynamicFrame::run_generated(const Step& step, const Run& run) {
  if (run.per_operator) return false;
  std::vector<Arg> results;
  if (!run.executable.fused_code_of(*step.functions[0]).run(arguments(step), results)) return false;
  take_results(step, std::move(results));
  return true;
}

DynamicFrame::Call::Call(const Step& step, size_t function, DynamicFrame& caller, Run&)
    : step_(step),
      caller_(caller),
      callee_(*step.functions[function], those_passed(step, caller.passed_arguments(step)),
              caller.callee_symbols(step, function)) {}

DynamicFrame::Loop::Loop(const Step& step, DynamicFrame& caller, Run&)
    : step_(step), caller_(caller), variables_(caller.passed_arguments(step)) {
  const auto first = variables_.begin() + static_cast<std::ptrdiff_t>(step.results.size());
  invariant_.assign(first, variables_.end());
  variables_.resize(step.results.size());
}

DynamicFrame& DynamicFrame::Loop::enter(size_t function, std::vector<Arg> variables) {
  variables.insert(variables.end(), invariant_.begin(), invariant_.end());
  return inner_.emplace(*step_.functions[function], std::move(variables),
                        caller_.callee_symbols(step_, function));
}

bool DynamicFrame::Loop::leave_condition() {
  const Arg condition = inner_->results()[0];
  inner_.reset();
  return truth_of(condition);
}

void DynamicFrame::Loop::leave_body() {
  variables_ = inner_->results();
  inner_.reset();
}

}  // namespace dyad::execute
