#include "execute/interpreter.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/region_threads.h"
#include "eager/dispatch.h"
#include "eager/profile.h"
#include "execute/residual_stack.h"
#include "ops/call.h"
#include "tensor/tensor.h"

namespace dyad::execute {

namespace {

bool truth_of(const Arg& condition) {
  if (auto* number = condition.get<Scalar>()) return number->to_bool();
  return item(**condition.get<Value>()).to_bool();
}

Scalar number_in(const Arg& arg) { return *arg.get<Scalar>(); }

/// The arguments of a step with the values and sizes of this run.
std::vector<Arg> filled(const plan::Step& step, std::vector<Arg>& slots, std::span<const int64_t> symbols,
                        bool moves) {
  std::vector<Arg> args = step.args;
  for (size_t i = 0; i < step.operands.size();) {
    const plan::Step::Operand& operand = step.operands[i];
    if (operand.member < 0) {
      Arg& from = slots[operand.slot];
      args[operand.arg] = moves && operand.last_use ? std::move(from) : from;
      ++i;
      continue;
    }
    ValueList list = *args[operand.arg].get<ValueList>();
    for (; i < step.operands.size() && step.operands[i].arg == operand.arg; ++i) {
      list[static_cast<size_t>(step.operands[i].member)] = *slots[step.operands[i].slot].get<Value>();
    }
    args[operand.arg] = std::move(list);
  }
  for (const plan::Step::Size& size : step.sizes) {
    Dims dims = *args[size.arg].get<Dims>();
    dims[size.position] = size.value.evaluate(symbols);
    args[size.arg] = std::move(dims);
  }
  return args;
}

void bind_symbols(const std::vector<plan::Step::Binding>& bindings, std::span<const Arg> values,
                  std::vector<int64_t>& symbols) {
  for (const plan::Step::Binding& binding : bindings) {
    symbols[binding.symbol] = (*values[binding.result].get<Value>())->shape[binding.axis].value();
  }
}

std::vector<int64_t> inherited_symbols(const plan::Step& step, size_t function,
                                       std::span<const int64_t> own) {
  std::vector<int64_t> symbols(step.functions[function]->symbols.all().size(), plan::kUnbound);
  for (const plan::Step::Inherited& symbol : step.inherited[function])
    symbols[symbol.callee] = own[symbol.own];
  return symbols;
}

bool same_place(const TensorImpl& a, const TensorImpl& b) {
  return a.storage == b.storage && a.data == b.data && a.strides == b.strides;
}

/// Puts what was computed apart from its place into the window that shows the place.
void write_back(const Value& value, const Value& base, const Value& window) {
  if (same_place(as_tensor(value), as_tensor(window))) return;
  DYAD_ASSERT(may_overlap(as_tensor(base), as_tensor(window)));
  static const Op& assign = OpTable::instance().get("assign");
  const Arg args[] = {window, value};
  eager::call_one(assign, args);
}

Value tensor_from(const Scalar& number, DType dtype) {
  Tensor made = empty(dtype, {});
  store(number, dtype, made->data);
  return made;
}

}  // namespace

void give_way() {
  check_interrupt();
  eager::yield_host_lock();
}

void Interpreter::run(const plan::FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results) {
  call(code, std::move(args), results, std::vector<int64_t>(code.symbols.all().size(), plan::kUnbound));
}

void Interpreter::call(const plan::FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results,
                       std::vector<int64_t> symbols) {
  Frame frame{std::vector<Arg>(code.slots), std::move(symbols)};
  bind_symbols(code.bindings, args, frame.symbols);
  for (size_t i = 0; i < args.size(); ++i) {
    if (code.params[i] != plan::kNoSlot) frame.slots[code.params[i]] = std::move(args[i]);
  }
  for (const plan::FunctionCode::Constant& constant : code.constants)
    frame.slots[constant.slot] = constant.value;
  for (const plan::Slot unused : code.unused_params) frame.slots[unused] = {};
  const plan::Step* current = nullptr;
  try {
    for (const plan::Step& step : code.steps) {
      current = &step;
      carry_out(step, frame);
      for (const plan::Slot dead : step.dying) frame.slots[dead] = {};
    }
  } catch (...) {
    if (!reported_) host_.failed_at(current->node->location);
    reported_ = true;
    throw;
  }
  for (const plan::FunctionCode::Update& update : code.updates) {
    const Value& state = *frame.slots[update.state].get<Value>();
    write_back(*frame.slots[update.value].get<Value>(), state, state);
  }
  for (const plan::Slot result : code.results)
    results.push_back(result == plan::kNoSlot ? Arg() : frame.slots[result]);
}

void Interpreter::carry_out(const plan::Step& step, Frame& frame) {
  const eager::ProfiledLocation place(&step.node->location);
  switch (step.kind) {
    case plan::Step::Kind::kOperator:
      return apply_operator(step, frame);
    case plan::Step::Kind::kNumber:
      return evaluate_number(step, frame);
    case plan::Step::Kind::kIntrinsic:
      return run_intrinsic(step, frame);
    case plan::Step::Kind::kCall:
      if (call_fused(step, frame)) return;
      if (depth_ >= kMostCalls) raise(ErrorKind::kRecursion, "maximum recursion depth exceeded");
      ++depth_;
      call_function(step, frame, 0, 0);
      --depth_;
      return;
    case plan::Step::Kind::kIf: {
      const bool truth = truth_of(frame.slots[step.operands[0].slot]);
      return call_function(step, frame, truth ? 0 : 1, 1);
    }
    case plan::Step::Kind::kWhile:
      return repeat(step, frame);
    case plan::Step::Kind::kHost:
      return call_host(step, frame);
  }
}

void Interpreter::give(const plan::Step& step, Frame& frame, std::vector<Arg>& results) {
  bind_symbols(step.bindings, results, frame.symbols);
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.results[i] != plan::kNoSlot) frame.slots[step.results[i]] = std::move(results[i]);
  }
}

void Interpreter::apply_operator(const plan::Step& step, Frame& frame) {
  const std::vector<Arg> args = filled(step, frame.slots, frame.symbols, false);
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
  give(step, frame, results);
}

void Interpreter::evaluate_number(const plan::Step& step, Frame& frame) {
  Scalar operands[2];
  size_t count = 0;
  const std::vector<Arg> args = filled(step, frame.slots, frame.symbols, false);
  for (const Arg& arg : args) {
    if (!arg.none()) operands[count++] = number_in(arg);
  }
  const auto& op = static_cast<const NumberOperator&>(*step.node->op);
  frame.slots[step.results[0]] = op.evaluate({operands, count});
}

void Interpreter::run_intrinsic(const plan::Step& step, Frame& frame) {
  using Task = Intrinsic::Task;
  const std::vector<Arg> args = filled(step, frame.slots, frame.symbols, false);
  switch (static_cast<const Intrinsic&>(*step.node->op).task) {
    case Task::kNumberOf:
      frame.slots[step.results[0]] = item(**args[0].get<Value>());
      return;
    case Task::kTensorOf:
      frame.slots[step.results[0]] = tensor_from(number_in(args[0]), *args[1].get<DType>());
      return;
    case Task::kDim:
      frame.slots[step.results[0]] = (*args[0].get<Dims>())[0].value();
      return;
    case Task::kDefineSymbol:
      frame.symbols[step.defines] = number_in(args[0]).to_int();
      return;
    case Task::kWriteView:
      write_back(*args[1].get<Value>(), *args[0].get<Value>(), *args[2].get<Value>());
      frame.slots[step.results[0]] = args[0];
      return;
    case Task::kNewStack:
      frame.slots[step.results[0]] = Value(new ResidualStack);
      return;
    case Task::kPush:
      frame.slots[step.results[0]] = push_residual(*args[0].get<Value>(), *args[1].get<Value>());
      return;
    case Task::kPop:
    case Task::kPopStack: {
      const Value& stack = *args[0].get<Value>();
      const auto [top, below] = pop_residual(stack, *step.node->results[1]);
      frame.slots[step.results[1]] = top;
      frame.slots[step.results[0]] = below;
      return;
    }
  }
}

void Interpreter::call_function(const plan::Step& step, Frame& frame, size_t function, size_t first_arg) {
  std::vector<Arg> args = filled(step, frame.slots, frame.symbols, true);
  args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(first_arg));
  std::vector<Arg> results;
  call(*step.functions[function], std::move(args), results, inherited_symbols(step, function, frame.symbols));
  give(step, frame, results);
}

bool Interpreter::call_fused(const plan::Step& step, Frame& frame) {
  const FusedCode* code = executable_.fused_code_of(*step.functions[0]);
  if (!code || sight_ == Sight::kPerOperator) return false;
  std::vector<Arg> results;
  if (!code->run(filled(step, frame.slots, frame.symbols, false), results)) return false;
  give(step, frame, results);
  return true;
}

void Interpreter::repeat(const plan::Step& step, Frame& frame) {
  std::vector<Arg> variables = filled(step, frame.slots, frame.symbols, true);
  const std::vector<Arg> others(variables.begin() + static_cast<std::ptrdiff_t>(step.results.size()),
                                variables.end());
  variables.resize(step.results.size());
  const auto all_of = [&](std::vector<Arg> first) {
    first.insert(first.end(), others.begin(), others.end());
    return first;
  };
  for (unsigned count = 1;; ++count) {
    if (count % kBetweenChecks == 0) give_way();
    std::vector<Arg> truth;
    call(*step.functions[0], all_of(variables), truth, inherited_symbols(step, 0, frame.symbols));
    if (!truth_of(truth[0])) break;
    std::vector<Arg> next;
    call(*step.functions[1], all_of(std::move(variables)), next, inherited_symbols(step, 1, frame.symbols));
    variables = std::move(next);
  }
  give(step, frame, variables);
}

void Interpreter::call_host(const plan::Step& step, Frame& frame) {
  std::vector<Arg> args = filled(step, frame.slots, frame.symbols, false);
  std::vector<Arg> results;
  leave_region();
  host_.call(*step.node, std::span(args).subspan(1), results);
  if (results.size() + 1 != step.results.size()) {
    raise(ErrorKind::kInternal, cat("internal error: the host's ", step.node->host, " gave ", results.size(),
                                    " results; the graph needs ", step.results.size() - 1));
  }
  results.insert(results.begin(), Arg());
  give(step, frame, results);
}

}  // namespace dyad::execute
