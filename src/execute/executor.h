#pragma once

#include "execute/executable.h"

namespace dyad::execute {

/// One run of a planned program: kernels are called on memory that is already in its place.
class Executor {
 public:
  Executor(const Executable& executable, Host& host) : executable_(executable), host_(host) {}

  /// Whether the inputs lie in memory as the plan expects them: row-major, of the planned shapes.
  enum class Fit : uint8_t { kYes, kAfterCopies, kNo };
  static Fit fit(const plan::FunctionPlan& plan, std::span<const Arg> args);
  /// Row-major copies in the place of the arguments that are not.
  static void arrange(std::span<Arg> args);
  /// Runs the main function; as `Interpreter::run`. `owned`, the same arguments, loses each after its last
  /// use; null if they belong to somebody else.
  void run(const plan::FunctionPlan& plan, std::span<const Arg> args, std::vector<Arg>& results,
           std::vector<Arg>* owned = nullptr);

 private:
  using Passed = plan::PlannedStep::Passed;

  void execute(const plan::FunctionPlan& plan, Frame& frame, std::vector<Arg>* owned = nullptr);
  void carry_out(const plan::PlannedStep& step, size_t index, Frame& frame);
  void launch(const plan::PlannedStep& step, size_t index, Frame& frame);
  void launch_fused(const plan::PlannedStep& step, Frame& frame);
  /// The same where there is no code for it.
  void run_operators(const plan::PlannedStep& step, Frame& frame);
  void dispatch(const plan::PlannedStep& step, size_t index, Frame& frame);
  void evaluate_number(const plan::PlannedStep& step, size_t index, Frame& frame);
  void cross_history(const plan::PlannedStep& step, Frame& frame);
  void call_host(const plan::PlannedStep& step, size_t index, Frame& frame);
  void call(const plan::PlannedStep& step, const plan::FunctionPlan& callee, size_t first, Frame& frame);
  void repeat(const plan::PlannedStep& step, Frame& frame);

  const Executable& executable_;
  Host& host_;
  int depth_ = 0;
  bool reported_ = false;
};

}  // namespace dyad::execute
