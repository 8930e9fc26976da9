#pragma once

#include "autograd/state.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/region_threads.h"
#include "eager/dispatch.h"
#include "eager/profile.h"
#include "execute/dynamic_frame.h"
#include "execute/residual_stack.h"
#include "execute/run.h"
#include "tensor/tensor.h"

namespace dyad::execute {

/// How deep functions may call each other; Python's own limit is of this size. Arms and loops do not count.
inline constexpr int kMostCalls = 1000;
/// Every so many turns a loop notices an interrupt and lets the host's other threads run.
inline constexpr unsigned kTurnsBetweenChecks = 64;

/// Carries out the steps of a function, and of those that it calls, in the order of the program. It serves
/// planned memory and memory that is taken as it is needed: a frame knows where operands come from and where
/// results go. A frame has
///
///   Step, steps()                of its function; `origin()` of a step is the one of plan/steps.h
///   before(step), after(step)    take and give back memory around a step; finish() after the last one
///   arguments(step)              as operators take them
///   passed_arguments(step)       the same for a callee that may keep them
///   element(step)                the number in its first operand, a tensor
///   residual(step, operand)      a residual stack, or what is to be pushed on one
///   set_number(slot, number), set_value(slot, value), define_symbol(step, value)
///   set_scalar(step, number)     a tensor without dimensions that holds it
///   apply(step)                  runs an operator
///   run_generated(step, run)     runs the code of a fused function; false if there is none
///   callee_symbols(step)         those that the function called inherits
///   write_results(step, values), take_results(step, values)
///                                copies values to where results lie; results lie where the values do
///   condition(step)              of a branch
///   Call, Loop                   functions called once, and again and again; see dynamic_frame.h
template <class Frame>
class StepRunner {
 public:
  using Step = typename Frame::Step;

  explicit StepRunner(Run& run) : run_(run) {}

  /// An exception leaves what was written until then, and tells the host at which node it was raised.
  void run(Frame& frame) {
    const Step* current = nullptr;
    try {
      for (const Step& step : frame.steps()) {
        current = &step;
        const autograd::ConstantRegion constant(run_.per_operator && is_constant(step));
        frame.before(step);
        carry_out(step, frame);
        frame.after(step);
      }
    } catch (...) {
      const ir::Location* location = current->location();
      if (!run_.reported && location) run_.host.failed_at(*location);
      run_.reported = true;
      throw;
    }
    frame.finish();
  }

 private:
  static bool is_constant(const Step& step) {
    const ir::Node* node = step.origin().node;
    return node && node->constant;
  }

  void carry_out(const Step& step, Frame& frame) {
    using plan::StepKind;
    const eager::ProfiledLocation location(step.location());
    switch (step.kind) {
      case StepKind::kOperator:
        return frame.apply(step);
      case StepKind::kFused:
        return call_fused(step, frame);
      case StepKind::kNumber:
        return evaluate_number(step, frame);
      case StepKind::kIntrinsic:
        return evaluate_intrinsic(step, frame);
      case StepKind::kCall:
        if (run_.depth >= kMostCalls) raise(ErrorKind::kRecursion, "maximum recursion depth exceeded");
        ++run_.depth;
        call(step, 0, frame);
        --run_.depth;
        return;
      case StepKind::kIf:
        return call(step, frame.condition(step) ? 0 : 1, frame);
      case StepKind::kWhile:
        return repeat(step, frame);
      case StepKind::kHost:
        return call_host(step, frame);
    }
  }

  /// Without code for it a fused function runs operator by operator, in memory taken as it is needed.
  void call_fused(const Step& step, Frame& frame) {
    if (frame.run_generated(step, run_)) return;
    DynamicFrame inner(*step.origin().functions[0], frame.passed_arguments(step), frame.callee_symbols(step));
    StepRunner<DynamicFrame>(run_).run(inner);
    frame.write_results(step, inner.results());
  }

  void call(const Step& step, size_t function, Frame& frame) {
    typename Frame::Call call(step, function, frame, run_);
    run(call.frame());
    call.finish();
  }

  void repeat(const Step& step, Frame& frame) {
    typename Frame::Loop loop(step, frame, run_);
    for (unsigned turn = 1;; ++turn) {
      if (turn % kTurnsBetweenChecks == 0) {
        check_interrupt();
        eager::yield_host_lock();
      }
      run(loop.enter_condition());
      if (!loop.leave_condition()) break;
      run(loop.enter_body());
      loop.leave_body();
    }
    loop.finish();
  }

  void call_host(const Step& step, Frame& frame) {
    const plan::Step& origin = step.origin();
    const std::vector<Arg> args = frame.passed_arguments(step);
    std::vector<Arg> results(1);  // the token
    leave_region();
    std::vector<Arg> given;
    run_.host.call(*origin.node, std::span(args).subspan(1), given);
    if (given.size() + 1 != origin.results.size()) {
      raise(ErrorKind::kInternal, cat("internal error: the host's ", origin.node->host, " gave ",
                                      given.size(), " results; the graph needs ", origin.results.size() - 1));
    }
    results.insert(results.end(), std::make_move_iterator(given.begin()),
                   std::make_move_iterator(given.end()));
    frame.take_results(step, results);
  }

  void evaluate_number(const Step& step, Frame& frame) {
    Scalar operands[2];
    size_t count = 0;
    const auto& args = frame.arguments(step);
    for (const Arg& arg : args) {
      if (!arg.none()) operands[count++] = *arg.template get<Scalar>();
    }
    const plan::Step& origin = step.origin();
    const auto& op = static_cast<const NumberOperator&>(*origin.node->op);
    frame.set_number(origin.results[0], op.evaluate({operands, count}));
  }

  void evaluate_intrinsic(const Step& step, Frame& frame) {
    using Task = Intrinsic::Task;
    const plan::Step& origin = step.origin();
    switch (static_cast<const Intrinsic&>(*origin.node->op).task) {
      case Task::kNumberOf:
        return frame.set_number(origin.results[0], frame.element(step));
      case Task::kTensorOf:
        return frame.set_scalar(step, *frame.arguments(step)[0].template get<Scalar>());
      case Task::kDim:
        return frame.set_number(origin.results[0],
                                (*frame.arguments(step)[0].template get<Dims>())[0].value());
      case Task::kDefineSymbol:
        return frame.define_symbol(step, frame.arguments(step)[0].template get<Scalar>()->to_int());
      case Task::kWriteView: {
        const auto& args = frame.arguments(step);
        const Value& base = *args[0].template get<Value>();
        write_back(*args[1].template get<Value>(), base, *args[2].template get<Value>());
        return frame.set_value(origin.results[0], base);
      }
      case Task::kNewStack:
        return frame.set_value(origin.results[0], Value(new ResidualStack));
      case Task::kPush:
        return frame.set_value(origin.results[0],
                               push_residual(frame.residual(step, 0), frame.residual(step, 1)));
      case Task::kPop:
      case Task::kPopStack: {
        const auto [top, below] = pop_residual(frame.residual(step, 0), *origin.node->results[1]);
        frame.set_value(origin.results[0], below);
        return frame.set_value(origin.results[1], top);
      }
    }
  }

  Run& run_;
};

}  // namespace dyad::execute
