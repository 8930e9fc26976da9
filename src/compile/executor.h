#pragma once

#include "compile/frame.h"
#include "compile/program.h"

namespace dyad::compile {

/// One run of a planned program: kernels are called on memory that is already in its place.
class Executor {
 public:
  explicit Executor(Host& host) : host_(host) {}

  /// Whether the inputs lie in memory as the plan expects them: row-major, of the planned shapes.
  enum class Fit : uint8_t { kYes, kAfterCopies, kNo };
  static Fit fit(const FunctionPlan& plan, std::span<const Arg> args);
  /// Row-major copies in the place of the arguments that are not.
  static void arrange(std::span<Arg> args);
  /// Runs the main function; as `Interpreter::run`. `owned`, the same arguments, loses each after its last
  /// use; null if they belong to somebody else.
  void run(const FunctionPlan& plan, std::span<const Arg> args, std::vector<Arg>& results,
           std::vector<Arg>* owned = nullptr);

 private:
  using Passed = PlannedStep::Passed;

  void execute(const FunctionPlan& plan, Frame& frame, std::vector<Arg>* owned = nullptr);
  void carry_out(const PlannedStep& step, size_t index, Frame& frame);
  void launch(const PlannedStep& step, size_t index, Frame& frame);
  void launch_fused(const PlannedStep& step, Frame& frame);
  /// The same where there is no code for it.
  void run_operators(const PlannedStep& step, Frame& frame);
  void dispatch(const PlannedStep& step, size_t index, Frame& frame);
  void evaluate_number(const PlannedStep& step, size_t index, Frame& frame);
  void cross_history(const PlannedStep& step, Frame& frame);
  void call_host(const PlannedStep& step, size_t index, Frame& frame);
  void call(const PlannedStep& step, const FunctionPlan& callee, size_t first, Frame& frame);
  void repeat(const PlannedStep& step, Frame& frame);

  Host& host_;
  int depth_ = 0;
  bool reported_ = false;
};

}  // namespace dyad::compile
