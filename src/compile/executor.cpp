#include "compile/executor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/region_threads.h"
#include "base/team.h"
#include "compile/fused_watch.h"
#include "compile/interpreter.h"
#include "compile/put_aside.h"
#include "eager/dispatch.h"
#include "eager/others_run.h"
#include "eager/profile.h"

namespace dyad::compile {

namespace {

using Source = Root::Source;
using Kind = PlannedStep::Kind;
using Way = ResultPlan::Way;
using Passed = PlannedStep::Passed;

/// Another tensor over a cell's memory, for somebody who may keep it.
Tensor shown(const TensorImpl& cell) { return alias_of(cell); }

/// A tensor that a step chose the memory of becomes what the cell shows; the plan expects row-major order.
void adopt(Frame& frame, uint32_t cell, const Value& value) {
  static const Op& copy = OpTable::instance().get("copy");
  Value given = value;
  if (!given->contiguous()) {
    const Arg args[] = {given};
    given = eager::run_one(copy, args);
  }
  frame.bind(frame.plan.cells[cell].root, given->data, as_tensor(given).storage);
}

/// A cell's tensor, for a history to hold.
Value kept_tensor(const TensorImpl& cell, bool copies) {
  static const Op& copy = OpTable::instance().get("copy");
  Value value(shown(cell));
  if (!copies) return value;
  const Arg source[] = {value};
  return eager::run_one(copy, source);
}

/// A history that a loop is the last one to use is its own, so that memory is free as soon as it is taken
/// out. Several variables may begin with the same one: it is let go when all have it.
void let_go_histories(const PlannedStep& step, Frame& frame) {
  for (const Step::Operand& operand : step.step->operands) {
    if (operand.last_use && operand.arg < step.given.size()) frame.histories[operand.slot] = {};
  }
}

/// The only element of a cell.
Scalar element(const TensorImpl& cell) { return load(cell.dtype, cell.data); }

bool truth_of(const Frame& frame, const ResultPlan& result) {
  if (result.way == Way::kNumber) return frame.numbers[result.slot].to_bool();
  return element(*frame.cells[result.cell]).to_bool();
}

void note_fused(const FusedWatch& watch, const PlannedStep& step, const Frame& frame) {
  std::vector<const ValueImpl*> operands;
  std::vector<const ValueImpl*> results;
  for (const auto& operand : step.tensors) operands.push_back(frame.cells[operand.cell].get());
  for (const uint32_t out : step.outs) results.push_back(frame.cells[out].get());
  watch.done(step.code->name(), *step.step->functions[0]->function, operands, results);
}

size_t param_cell(const FunctionPlan& plan, size_t param) {
  return static_cast<size_t>(plan.cell_of_slot[plan.code->params[param]]);
}

/// Takes over the results of a function that lie in no memory.
void fetch(const Frame& inner, Frame& outer, std::span<const Passed> given) {
  const auto& results = inner.plan.results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].way == Way::kNumber) outer.numbers[given[i].slot] = inner.numbers[results[i].slot];
    if (results[i].way == Way::kHistory) outer.histories[given[i].slot] = inner.histories[results[i].slot];
  }
}

/// Hands the arguments of a function over, and says where its results go.
void connect(Frame& inner, const Frame& outer, std::span<const Passed> passed,
             std::span<const Passed> given) {
  const FunctionPlan& callee = inner.plan;
  for (size_t i = 0; i < passed.size(); ++i) {
    if (passed[i].cell >= 0 || passed[i].slot == kNoSlot) continue;
    inner.numbers[callee.code->params[i]] = outer.numbers[passed[i].slot];
    if (callee.has_histories) inner.histories[callee.code->params[i]] = outer.histories[passed[i].slot];
  }
  for (const uint32_t i : callee.bound_roots) {
    const Root& root = callee.roots[i];
    const bool is_given = root.source == Source::kGiven && root.index < given.size();
    if (root.source != Source::kParam && !is_given) continue;
    const Passed& place = is_given ? given[root.index] : passed[root.index];
    const TensorImpl& cell = *outer.cells[static_cast<size_t>(place.cell)];
    inner.bind(i, cell.data, cell.storage);
  }
}

}  // namespace

Executor::Fit Executor::fit(const FunctionPlan& plan, std::span<const Arg> args) {
  Fit found = Fit::kYes;
  for (size_t i = 0; i < args.size(); ++i) {
    auto* value = args[i].get<Value>();
    if (!value || plan.cell_of_slot[plan.code->params[i]] < 0) continue;
    const Cell& cell = plan.cells[param_cell(plan, i)];
    const ValueImpl& tensor = **value;
    if (!tensor.data || tensor.dtype != cell.dtype || tensor.shape != cell.shape) return Fit::kNo;
    if (tensor.contiguous()) continue;
    if (!plan.copyable[i]) return Fit::kNo;
    found = Fit::kAfterCopies;
  }
  return found;
}

void Executor::arrange(std::span<Arg> args) {
  static const Op& copy = OpTable::instance().get("copy");
  for (Arg& arg : args) {
    auto* value = arg.get<Value>();
    if (!value || (*value)->contiguous()) continue;
    const Arg source[] = {*value};
    arg = eager::run_one(copy, source);
  }
}

void Executor::run(const FunctionPlan& plan, std::span<const Arg> args, std::vector<Arg>& results,
                   std::vector<Arg>* owned) {
  const ProgramThreads threads;
  const FrameHolder holder(plan);
  Frame& frame = *holder;
  for (size_t i = 0; i < args.size(); ++i) {
    const Slot slot = plan.code->params[i];
    if (auto* number = args[i].get<Scalar>()) frame.numbers[slot] = *number;
    if (!plan.has_histories || slot == kNoSlot || !is_history(*plan.code->function->params[i])) continue;
    frame.histories[slot] = *args[i].get<Value>();
    if (owned) (*owned)[i] = {};
  }
  for (const uint32_t i : plan.bound_roots) {
    if (plan.roots[i].source != Source::kParam) continue;
    const TensorImpl& tensor = as_tensor(*args[plan.roots[i].index].get<Value>());
    frame.bind(i, tensor.data, tensor.storage);
  }
  frame.open();
  execute(plan, frame, owned);
  for (const ResultPlan& result : plan.results) {
    if (result.way == Way::kNone) {
      results.emplace_back();
    } else if (result.way == Way::kNumber) {
      results.emplace_back(frame.numbers[result.slot]);
    } else if (result.way == Way::kHistory) {
      results.emplace_back(frame.histories[result.slot]);
    } else {
      const Root& root = plan.roots[plan.cells[result.cell].root];
      const bool is_input = root.source == Source::kParam && param_cell(plan, root.index) == result.cell;
      if (is_input) {
        results.push_back(args[root.index]);
        continue;
      }
      Value given(shown(*frame.cells[result.cell]));
      if (as_tensor(given).storage == frame.arena) {  // a step without a kernel handed on one of its operands
        static const Op& copy = OpTable::instance().get("copy");
        const Arg source[] = {given};
        given = eager::run_one(copy, source);
      }
      results.emplace_back(std::move(given));
    }
  }
}

void Executor::execute(const FunctionPlan& plan, Frame& frame, std::vector<Arg>* owned) {
  size_t index = 0;
  auto starting = plan.owned_starts.begin();
  auto ending = plan.param_ends.begin();
  // What is given away gets its memory late, so that it can be that of an argument which is over.
  const auto allocate = [&] {
    for (; starting != plan.owned_starts.end() && plan.roots[*starting].first <= index; ++starting)
      frame.allocate(*starting);
  };
  try {
    for (; index < plan.steps.size(); ++index) {
      allocate();
      carry_out(plan.steps[index], index, frame);
      if (!owned) continue;
      for (; ending != plan.param_ends.end() && plan.roots[*ending].last <= index; ++ending) {
        frame.unbind(*ending);
        (*owned)[plan.roots[*ending].index] = {};
      }
    }
    allocate();
  } catch (...) {
    const bool has_place = index < plan.steps.size() && plan.steps[index].step;
    if (!reported_ && has_place) host_.failed_at(plan.steps[index].step->node->location);
    reported_ = true;
    throw;
  }
}

void Executor::carry_out(const PlannedStep& step, size_t index, Frame& frame) {
  const eager::ProfiledPlace place(step.step ? &step.step->node->location : nullptr);
  switch (step.kind) {
    case Kind::kKernel:
      return launch(step, index, frame);
    case Kind::kFused:
      return launch_fused(step, frame);
    case Kind::kDispatch:
      return dispatch(step, index, frame);
    case Kind::kNumber:
      return evaluate_number(step, index, frame);
    case Kind::kNumberOf:
      frame.numbers[step.step->results[0]] = element(*frame.cells[step.tensors[0].cell]);
      return;
    case Kind::kTensorOf: {
      const TensorImpl& made = *frame.cells[step.outs[0]];
      const Scalar number =
          step.numbers.empty() ? *step.args[0].get<Scalar>() : frame.numbers[step.numbers[0].slot];
      return store(number, made.dtype, made.data);
    }
    case Kind::kCall:
      if (depth_ >= kMostCalls) raise(ErrorKind::kRecursion, "maximum recursion depth exceeded");
      ++depth_;
      call(step, *step.functions[0], 0, frame);
      --depth_;
      return;
    case Kind::kIf: {
      const Passed& condition = step.passed[0];
      const bool truth = condition.cell < 0
                             ? frame.numbers[condition.slot].to_bool()
                             : element(*frame.cells[static_cast<size_t>(condition.cell)]).to_bool();
      return call(step, *step.functions[truth ? 0 : 1], 1, frame);
    }
    case Kind::kWhile:
      return repeat(step, frame);
    case Kind::kHost:
      return call_host(step, index, frame);
    case Kind::kHistory:
      return cross_history(step, frame);
  }
}

void Executor::launch(const PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const PlannedStep::NumberOperand& number : step.numbers) args[number.arg] = frame.numbers[number.slot];
  for (const uint32_t cell : step.written) {
    TensorImpl& target = eager::require_writable(*step.op, Value(frame.cells[cell]));
    if (step.preserves) target.storage->preserve();
  }
  eager::launch(*step.op, step.kernel, args, frame.outs[index], step.long_work);
  for (const uint32_t cell : step.written) frame.cells[cell]->storage->bump_version();
}

void Executor::launch_fused(const PlannedStep& step, Frame& frame) {
  for (const uint32_t cell : step.written) {
    TensorImpl& target = eager::require_writable(*step.op, Value(frame.cells[cell]));
    if (step.preserves) target.storage->preserve();
  }
  if (step.launch) {
    SmallVector<const void*, 32> operands;
    SmallVector<void*, 32> results;
    for (const auto& operand : step.tensors) operands.push_back(frame.cells[operand.cell]->data);
    for (const uint32_t out : step.outs) results.push_back(frame.cells[out]->data);
    const eager::OthersRun meanwhile(step.long_work);
    const FusedWatch watch;
    step.launch->run(operands.data(), results.data());
    if (watch.on()) [[unlikely]]
      note_fused(watch, step, frame);
  } else {
    run_operators(step, frame);
  }
  for (const uint32_t cell : step.written) frame.cells[cell]->storage->bump_version();
}

void Executor::run_operators(const PlannedStep& step, Frame& frame) {
  static const Op& assign = OpTable::instance().get("assign");
  std::vector<Arg> args;
  for (const auto& operand : step.tensors) args.emplace_back(Value(shown(*frame.cells[operand.cell])));
  std::vector<Arg> results;
  Interpreter(host_, Interpreter::Sight::kEachOperator)
      .run(*step.step->functions[0], std::move(args), results);
  for (size_t i = 0; i < results.size(); ++i) {
    ValueImpl* place = frame.cells[step.outs[i]].get();
    const Arg copied[] = {Value(frame.cells[step.outs[i]]), results[i]};
    eager::launch(assign, eager::kernel_of(assign), copied, {&place, 1}, step.long_work);
  }
}

void Executor::dispatch(const PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const PlannedStep::NumberOperand& number : step.numbers) args[number.arg] = frame.numbers[number.slot];
  ValueList results;
  eager::run(*step.op, args, results);
  for (size_t i = 0; i < step.outs.size(); ++i) adopt(frame, step.outs[i], results[i]);
}

void Executor::evaluate_number(const PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const PlannedStep::NumberOperand& number : step.numbers) args[number.arg] = frame.numbers[number.slot];
  Scalar operands[2];
  size_t count = 0;
  for (const Arg& arg : args) {
    if (!arg.none()) operands[count++] = *arg.get<Scalar>();
  }
  const auto& op = static_cast<const NumberOperator&>(*step.step->node->op);
  frame.numbers[step.step->results[0]] = op.evaluate({operands, count});
}

void Executor::cross_history(const PlannedStep& step, Frame& frame) {
  using Task = BridgeOperator::Task;
  const Slot made = step.step->results[0];
  const Task task = static_cast<const BridgeOperator&>(*step.step->node->op).task;
  if (task == Task::kNewHistory) {
    frame.histories[made] = Value(new PutAside);
    return;
  }
  const Value history = frame.histories[step.passed[0].slot];
  if (task == Task::kPush) {
    const Passed& kept = step.passed[1];
    const Value top = kept.cell < 0 ? frame.histories[kept.slot]
                                    : kept_tensor(*frame.cells[static_cast<size_t>(kept.cell)], step.copies);
    frame.histories[made] = put_aside(history, top);
    return;
  }
  const auto [top, below] = taken_out(history, *step.step->node->results[1]);
  frame.histories[made] = below;
  if (step.outs.empty()) {
    frame.histories[step.step->results[1]] = top;
  } else {
    adopt(frame, step.outs[0], top);
  }
}

void Executor::call_host(const PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg> args = frame.args[index];
  for (const PlannedStep::NumberOperand& number : step.numbers) args[number.arg] = frame.numbers[number.slot];
  for (const PlannedStep::TensorOperand& operand : step.tensors) {
    args[operand.arg] = Value(shown(*frame.cells[operand.cell]));
  }
  std::vector<Arg> results;
  leave_region();
  host_.call(*step.step->node, std::span(args).subspan(1), results);
  if (results.size() != step.given.size()) {
    raise(ErrorKind::kInternal, cat("internal error: the host's ", step.step->node->host, " gave ",
                                    results.size(), " results; the graph needs ", step.given.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Passed& given = step.given[i];
    if (given.cell < 0) {
      frame.numbers[given.slot] = *results[i].get<Scalar>();
    } else {
      adopt(frame, static_cast<uint32_t>(given.cell), *results[i].get<Value>());
    }
  }
}

void Executor::call(const PlannedStep& step, const FunctionPlan& callee, size_t first, Frame& frame) {
  const FrameHolder inner(callee);
  connect(*inner, frame, std::span(step.passed).subspan(first), step.given);
  inner->open();
  execute(callee, *inner);
  fetch(*inner, frame, step.given);
}

void Executor::repeat(const PlannedStep& step, Frame& frame) {
  const FunctionPlan& condition = *step.functions[0];
  const FunctionPlan& body = *step.functions[1];
  const FrameHolder test(condition);
  const FrameHolder round(body);
  // Numbers and histories of the variables lie in the slots of the results, from the first round on.
  std::vector<Passed> current = step.passed;
  std::vector<Passed> next = step.given;
  for (size_t i = 0; i < step.given.size(); ++i) {
    if (step.given[i].cell >= 0 || step.given[i].slot == kNoSlot) continue;
    frame.numbers[step.given[i].slot] = frame.numbers[current[i].slot];
    if (frame.plan.has_histories) frame.histories[step.given[i].slot] = frame.histories[current[i].slot];
    current[i].slot = step.given[i].slot;
  }
  if (frame.plan.has_histories) let_go_histories(step, frame);
  alignas(64) char truth[64];
  for (unsigned count = 1;; ++count) {
    if (count % kBetweenChecks == 0) give_way();
    for (const uint32_t i : condition.bound_roots) {
      if (condition.roots[i].source == Source::kGiven) test->bind(i, truth, {});
    }
    connect(*test, frame, current, {});
    test->open();
    execute(condition, *test);
    if (!truth_of(*test, condition.results[0])) break;
    for (const auto& variable : step.alternating) {
      const bool in_result = current[variable.variable].cell == static_cast<int>(variable.result);
      next[variable.variable].cell = static_cast<int>(in_result ? variable.spare : variable.result);
    }
    connect(*round, frame, current, next);
    round->open();
    execute(body, *round);
    fetch(*round, frame, step.given);
    for (const auto& variable : step.alternating)
      current[variable.variable].cell = next[variable.variable].cell;
  }
  for (const auto& variable : step.alternating) {
    const auto last = static_cast<uint32_t>(current[variable.variable].cell);
    if (last == variable.result) continue;
    const Root& root = frame.plan.roots[frame.plan.cells[variable.result].root];
    std::memcpy(frame.cells[variable.result]->data, frame.cells[last]->data, root.bytes);
  }
}

}  // namespace dyad::compile
