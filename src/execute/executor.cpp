#include "execute/executor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/region_threads.h"
#include "base/team.h"
#include "eager/dispatch.h"
#include "eager/profile.h"
#include "eager/release_host_lock.h"
#include "execute/fused_profile.h"
#include "execute/interpreter.h"
#include "execute/residual_stack.h"

namespace dyad::execute {

namespace {

using Source = plan::Buffer::Source;
using Kind = plan::PlannedStep::Kind;
using Way = plan::ResultPlan::Way;
using Passed = plan::PlannedStep::Passed;

/// Another tensor over a planned_tensor's memory, for somebody who may keep it.
Tensor shown(const TensorImpl& planned_tensor) { return alias_of(planned_tensor); }

/// A tensor that a step chose the memory of becomes what the planned_tensor shows; the plan expects row-major
/// order.
void adopt(Frame& frame, uint32_t planned_tensor, const Value& value) {
  static const Op& copy = OpTable::instance().get("copy");
  Value given = value;
  if (!given->contiguous()) {
    const Arg args[] = {given};
    given = eager::run_one(copy, args);
  }
  frame.bind(frame.function.planned_tensors[planned_tensor].buffer, given->data, as_tensor(given).storage);
}

/// A planned_tensor's tensor, for a residual stack to hold.
Value kept_tensor(const TensorImpl& planned_tensor, bool copies) {
  static const Op& copy = OpTable::instance().get("copy");
  Value value(shown(planned_tensor));
  if (!copies) return value;
  const Arg source[] = {value};
  return eager::run_one(copy, source);
}

/// A residual stack that a loop is the last one to use is its own, so that memory is free as soon as it is
/// taken out. Several variables may begin with the same one: it is let go when all have it.
void let_go_histories(const plan::PlannedStep& step, Frame& frame) {
  for (const plan::Step::Operand& operand : step.step->operands) {
    if (operand.last_use && operand.arg < step.given.size()) frame.stacks[operand.slot] = {};
  }
}

/// The only element of a planned_tensor.
Scalar element(const TensorImpl& planned_tensor) { return load(planned_tensor.dtype, planned_tensor.data); }

bool truth_of(const Frame& frame, const plan::ResultPlan& result) {
  if (result.way == Way::kNumber) return frame.numbers[result.slot].to_bool();
  return element(*frame.planned_tensors[result.planned_tensor]).to_bool();
}

void note_fused(const FusedProfile& watch, const plan::PlannedStep& step, const Frame& frame) {
  std::vector<const ValueImpl*> operands;
  std::vector<const ValueImpl*> results;
  for (const auto& operand : step.tensors)
    operands.push_back(frame.planned_tensors[operand.planned_tensor].get());
  for (const uint32_t out : step.outs) results.push_back(frame.planned_tensors[out].get());
  watch.done(step.code->name(), *step.step->functions[0]->function, operands, results);
}

size_t tensor_of_param(const plan::FunctionPlan& plan, size_t param) {
  return static_cast<size_t>(plan.planned_tensor_of_slot[plan.code->params[param]]);
}

/// Takes over the results of a function that lie in no memory.
void fetch(const Frame& inner, Frame& outer, std::span<const Passed> given) {
  const auto& results = inner.function.results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].way == Way::kNumber) outer.numbers[given[i].slot] = inner.numbers[results[i].slot];
    if (results[i].way == Way::kResidualStack) outer.stacks[given[i].slot] = inner.stacks[results[i].slot];
  }
}

/// Hands the arguments of a function over, and says where its results go.
void connect(Frame& inner, const Frame& outer, std::span<const Passed> passed,
             std::span<const Passed> given) {
  const plan::FunctionPlan& callee = inner.function;
  for (size_t i = 0; i < passed.size(); ++i) {
    if (passed[i].planned_tensor >= 0 || passed[i].slot == plan::kNoSlot) continue;
    inner.numbers[callee.code->params[i]] = outer.numbers[passed[i].slot];
    if (callee.has_histories) inner.stacks[callee.code->params[i]] = outer.stacks[passed[i].slot];
  }
  for (const uint32_t i : callee.bound_buffers) {
    const plan::Buffer& buffer = callee.buffers[i];
    const bool is_given = buffer.source == Source::kGiven && buffer.index < given.size();
    if (buffer.source != Source::kParam && !is_given) continue;
    const Passed& place = is_given ? given[buffer.index] : passed[buffer.index];
    const TensorImpl& planned_tensor = *outer.planned_tensors[static_cast<size_t>(place.planned_tensor)];
    inner.bind(i, planned_tensor.data, planned_tensor.storage);
  }
}

}  // namespace

Executor::Fit Executor::fit(const plan::FunctionPlan& plan, std::span<const Arg> args) {
  Fit found = Fit::kYes;
  for (size_t i = 0; i < args.size(); ++i) {
    auto* value = args[i].get<Value>();
    if (!value || plan.planned_tensor_of_slot[plan.code->params[i]] < 0) continue;
    const plan::PlannedTensor& planned_tensor = plan.planned_tensors[tensor_of_param(plan, i)];
    const ValueImpl& tensor = **value;
    if (!tensor.data || tensor.dtype != planned_tensor.dtype || tensor.shape != planned_tensor.shape)
      return Fit::kNo;
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

void Executor::run(const plan::FunctionPlan& plan, std::span<const Arg> args, std::vector<Arg>& results,
                   std::vector<Arg>* owned) {
  const ProgramThreads threads;
  const FrameHolder holder(executable_.frames_of(plan), plan);
  Frame& frame = *holder;
  for (size_t i = 0; i < args.size(); ++i) {
    const plan::Slot slot = plan.code->params[i];
    if (auto* number = args[i].get<Scalar>()) frame.numbers[slot] = *number;
    if (!plan.has_histories || slot == plan::kNoSlot ||
        !plan::is_residual_stack(*plan.code->function->params[i]))
      continue;
    frame.stacks[slot] = *args[i].get<Value>();
    if (owned) (*owned)[i] = {};
  }
  for (const uint32_t i : plan.bound_buffers) {
    if (plan.buffers[i].source != Source::kParam) continue;
    const TensorImpl& tensor = as_tensor(*args[plan.buffers[i].index].get<Value>());
    frame.bind(i, tensor.data, tensor.storage);
  }
  frame.open();
  execute(plan, frame, owned);
  for (const plan::ResultPlan& result : plan.results) {
    if (result.way == Way::kNone) {
      results.emplace_back();
    } else if (result.way == Way::kNumber) {
      results.emplace_back(frame.numbers[result.slot]);
    } else if (result.way == Way::kResidualStack) {
      results.emplace_back(frame.stacks[result.slot]);
    } else {
      const plan::Buffer& buffer = plan.buffers[plan.planned_tensors[result.planned_tensor].buffer];
      const bool is_input =
          buffer.source == Source::kParam && tensor_of_param(plan, buffer.index) == result.planned_tensor;
      if (is_input) {
        results.push_back(args[buffer.index]);
        continue;
      }
      Value given(shown(*frame.planned_tensors[result.planned_tensor]));
      if (as_tensor(given).storage == frame.arena) {  // a step without a kernel handed on one of its operands
        static const Op& copy = OpTable::instance().get("copy");
        const Arg source[] = {given};
        given = eager::run_one(copy, source);
      }
      results.emplace_back(std::move(given));
    }
  }
}

void Executor::execute(const plan::FunctionPlan& plan, Frame& frame, std::vector<Arg>* owned) {
  size_t index = 0;
  auto starting = plan.owned_starts.begin();
  auto ending = plan.param_ends.begin();
  // What is given away gets its memory late, so that it can be that of an argument which is over.
  const auto allocate = [&] {
    for (; starting != plan.owned_starts.end() && plan.buffers[*starting].first <= index; ++starting)
      frame.allocate(*starting);
  };
  try {
    for (; index < plan.steps.size(); ++index) {
      allocate();
      carry_out(plan.steps[index], index, frame);
      if (!owned) continue;
      for (; ending != plan.param_ends.end() && plan.buffers[*ending].last <= index; ++ending) {
        frame.unbind(*ending);
        (*owned)[plan.buffers[*ending].index] = {};
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

void Executor::carry_out(const plan::PlannedStep& step, size_t index, Frame& frame) {
  const eager::ProfiledLocation place(step.step ? &step.step->node->location : nullptr);
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
      frame.numbers[step.step->results[0]] = element(*frame.planned_tensors[step.tensors[0].planned_tensor]);
      return;
    case Kind::kTensorOf: {
      const TensorImpl& made = *frame.planned_tensors[step.outs[0]];
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
      const bool truth =
          condition.planned_tensor < 0
              ? frame.numbers[condition.slot].to_bool()
              : element(*frame.planned_tensors[static_cast<size_t>(condition.planned_tensor)]).to_bool();
      return call(step, *step.functions[truth ? 0 : 1], 1, frame);
    }
    case Kind::kWhile:
      return repeat(step, frame);
    case Kind::kHost:
      return call_host(step, index, frame);
    case Kind::kResidualStack:
      return cross_history(step, frame);
  }
}

void Executor::launch(const plan::PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const plan::PlannedStep::NumberOperand& number : step.numbers)
    args[number.arg] = frame.numbers[number.slot];
  for (const uint32_t planned_tensor : step.written) {
    TensorImpl& target = eager::require_writable(*step.op, Value(frame.planned_tensors[planned_tensor]));
    if (step.preserves) target.storage->preserve();
  }
  eager::launch(*step.op, step.kernel, args, frame.outs[index], step.long_work);
  for (const uint32_t planned_tensor : step.written)
    frame.planned_tensors[planned_tensor]->storage->bump_version();
}

void Executor::launch_fused(const plan::PlannedStep& step, Frame& frame) {
  for (const uint32_t planned_tensor : step.written) {
    TensorImpl& target = eager::require_writable(*step.op, Value(frame.planned_tensors[planned_tensor]));
    if (step.preserves) target.storage->preserve();
  }
  if (step.launch) {
    SmallVector<const void*, 32> operands;
    SmallVector<void*, 32> results;
    for (const auto& operand : step.tensors)
      operands.push_back(frame.planned_tensors[operand.planned_tensor]->data);
    for (const uint32_t out : step.outs) results.push_back(frame.planned_tensors[out]->data);
    const eager::ReleaseHostLock meanwhile(step.long_work);
    const FusedProfile watch;
    step.launch->run(operands.data(), results.data());
    if (watch.on()) [[unlikely]]
      note_fused(watch, step, frame);
  } else {
    run_operators(step, frame);
  }
  for (const uint32_t planned_tensor : step.written)
    frame.planned_tensors[planned_tensor]->storage->bump_version();
}

void Executor::run_operators(const plan::PlannedStep& step, Frame& frame) {
  static const Op& assign = OpTable::instance().get("assign");
  std::vector<Arg> args;
  for (const auto& operand : step.tensors)
    args.emplace_back(Value(shown(*frame.planned_tensors[operand.planned_tensor])));
  std::vector<Arg> results;
  Interpreter(executable_, host_, Executable::Sight::kPerOperator)
      .run(*step.step->functions[0], std::move(args), results);
  for (size_t i = 0; i < results.size(); ++i) {
    ValueImpl* place = frame.planned_tensors[step.outs[i]].get();
    const Arg copied[] = {Value(frame.planned_tensors[step.outs[i]]), results[i]};
    eager::launch(assign, eager::kernel_of(assign), copied, {&place, 1}, step.long_work);
  }
}

void Executor::dispatch(const plan::PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const plan::PlannedStep::NumberOperand& number : step.numbers)
    args[number.arg] = frame.numbers[number.slot];
  ValueList results;
  eager::run(*step.op, args, results);
  for (size_t i = 0; i < step.outs.size(); ++i) adopt(frame, step.outs[i], results[i]);
}

void Executor::evaluate_number(const plan::PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg>& args = frame.args[index];
  for (const plan::PlannedStep::NumberOperand& number : step.numbers)
    args[number.arg] = frame.numbers[number.slot];
  Scalar operands[2];
  size_t count = 0;
  for (const Arg& arg : args) {
    if (!arg.none()) operands[count++] = *arg.get<Scalar>();
  }
  const auto& op = static_cast<const NumberOperator&>(*step.step->node->op);
  frame.numbers[step.step->results[0]] = op.evaluate({operands, count});
}

void Executor::cross_history(const plan::PlannedStep& step, Frame& frame) {
  using Task = Intrinsic::Task;
  const plan::Slot made = step.step->results[0];
  const Task task = static_cast<const Intrinsic&>(*step.step->node->op).task;
  if (task == Task::kNewStack) {
    frame.stacks[made] = Value(new ResidualStack);
    return;
  }
  const Value stack = frame.stacks[step.passed[0].slot];
  if (task == Task::kPush) {
    const Passed& kept = step.passed[1];
    const Value top =
        kept.planned_tensor < 0
            ? frame.stacks[kept.slot]
            : kept_tensor(*frame.planned_tensors[static_cast<size_t>(kept.planned_tensor)], step.copies);
    frame.stacks[made] = push_residual(stack, top);
    return;
  }
  const auto [top, below] = pop_residual(stack, *step.step->node->results[1]);
  frame.stacks[made] = below;
  if (step.outs.empty()) {
    frame.stacks[step.step->results[1]] = top;
  } else {
    adopt(frame, step.outs[0], top);
  }
}

void Executor::call_host(const plan::PlannedStep& step, size_t index, Frame& frame) {
  std::vector<Arg> args = frame.args[index];
  for (const plan::PlannedStep::NumberOperand& number : step.numbers)
    args[number.arg] = frame.numbers[number.slot];
  for (const plan::PlannedStep::TensorOperand& operand : step.tensors) {
    args[operand.arg] = Value(shown(*frame.planned_tensors[operand.planned_tensor]));
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
    if (given.planned_tensor < 0) {
      frame.numbers[given.slot] = *results[i].get<Scalar>();
    } else {
      adopt(frame, static_cast<uint32_t>(given.planned_tensor), *results[i].get<Value>());
    }
  }
}

void Executor::call(const plan::PlannedStep& step, const plan::FunctionPlan& callee, size_t first,
                    Frame& frame) {
  const FrameHolder inner(executable_.frames_of(callee), callee);
  connect(*inner, frame, std::span(step.passed).subspan(first), step.given);
  inner->open();
  execute(callee, *inner);
  fetch(*inner, frame, step.given);
}

void Executor::repeat(const plan::PlannedStep& step, Frame& frame) {
  const plan::FunctionPlan& condition = *step.functions[0];
  const plan::FunctionPlan& body = *step.functions[1];
  const FrameHolder test(executable_.frames_of(condition), condition);
  const FrameHolder round(executable_.frames_of(body), body);
  // Numbers and residual stacks of the variables lie in the slots of the results, from the first round on.
  std::vector<Passed> current = step.passed;
  std::vector<Passed> next = step.given;
  for (size_t i = 0; i < step.given.size(); ++i) {
    if (step.given[i].planned_tensor >= 0 || step.given[i].slot == plan::kNoSlot) continue;
    frame.numbers[step.given[i].slot] = frame.numbers[current[i].slot];
    if (frame.function.has_histories) frame.stacks[step.given[i].slot] = frame.stacks[current[i].slot];
    current[i].slot = step.given[i].slot;
  }
  if (frame.function.has_histories) let_go_histories(step, frame);
  alignas(64) char truth[64];
  for (unsigned count = 1;; ++count) {
    if (count % kBetweenChecks == 0) give_way();
    for (const uint32_t i : condition.bound_buffers) {
      if (condition.buffers[i].source == Source::kGiven) test->bind(i, truth, {});
    }
    connect(*test, frame, current, {});
    test->open();
    execute(condition, *test);
    if (!truth_of(*test, condition.results[0])) break;
    for (const auto& variable : step.alternating) {
      const bool in_result = current[variable.variable].planned_tensor == static_cast<int>(variable.result);
      next[variable.variable].planned_tensor = static_cast<int>(in_result ? variable.spare : variable.result);
    }
    connect(*round, frame, current, next);
    round->open();
    execute(body, *round);
    fetch(*round, frame, step.given);
    for (const auto& variable : step.alternating)
      current[variable.variable].planned_tensor = next[variable.variable].planned_tensor;
  }
  for (const auto& variable : step.alternating) {
    const auto last = static_cast<uint32_t>(current[variable.variable].planned_tensor);
    if (last == variable.result) continue;
    const plan::Buffer& buffer =
        frame.function.buffers[frame.function.planned_tensors[variable.result].buffer];
    std::memcpy(frame.planned_tensors[variable.result]->data, frame.planned_tensors[last]->data,
                buffer.bytes);
  }
}

}  // namespace dyad::execute
