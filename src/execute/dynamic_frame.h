#pragma once

#include <optional>
#include <span>
#include <vector>

#include "execute/run.h"
#include "plan/steps.h"
#include "tensor/tensor.h"

namespace dyad::execute {

/// Writes a value that was computed elsewhere to the place in `base` that `window` shows.
void write_back(const Value& value, const Value& base, const Value& window);

/// A run of a function whose memory is taken as it is needed, through eager dispatch: a tape or a trace that
/// is active sees every operator. It serves whatever a plan does not: sizes known only when the function
/// runs, recording, operands laid out in another way than was planned. What a frame must be able to do is
/// said in step_runner.h.
class DynamicFrame {
 public:
  using Step = plan::Step;
  using Symbols = std::vector<int64_t>;  ///< by their numbers in the function
  class Call;
  class Loop;

  /// `args` one per parameter, those of tokens empty. Symbols that the arguments tell are bound here.
  DynamicFrame(const plan::FunctionCode& code, std::vector<Arg> args, Symbols symbols);
  static Symbols unbound(const plan::FunctionCode& code);

  /// One for each result of the function, those of tokens empty.
  std::vector<Arg> results() const;

  std::span<const Step> steps() const { return code_.steps; }
  void before(const Step&) {}
  void after(const Step& step) {
    for (const plan::Slot dead : step.dying) slots_[dead] = {};
  }
  /// State gets its last version; mostly it was written in place.
  void finish();

  std::vector<Arg> arguments(const Step& step) const;
  /// Values that nothing needs afterwards leave the frame.
  std::vector<Arg> passed_arguments(const Step& step);
  Value residual(const Step& step, size_t operand) const {
    return *slots_[step.operands[operand].slot].get<Value>();
  }
  /// More than one element is a ValueError.
  Scalar element(const Step& step) const { return item(*residual(step, 0)); }
  bool condition(const Step& step) const;
  Symbols callee_symbols(const Step& step, size_t function = 0) const;

  void set_number(plan::Slot slot, Scalar number) { slots_[slot] = number; }
  void set_value(plan::Slot slot, const Value& value) { slots_[slot] = value; }
  void define_symbol(const Step& step, int64_t value) { symbols_[step.defines] = value; }
  void set_scalar(const Step& step, Scalar number);
  /// Symbols that the results tell are bound.
  void take_results(const Step& step, std::vector<Arg> results);
  void write_results(const Step& step, std::vector<Arg> results) { take_results(step, std::move(results)); }

  void apply(const Step& step);
  bool run_generated(const Step& step, const Run& run);

 private:
  template <class Fetch>
  std::vector<Arg> filled(const Step& step, const Fetch& fetch) const;

  const plan::FunctionCode& code_;
  std::vector<Arg> slots_;
  Symbols symbols_;
};

/// A function that a step calls.
class DynamicFrame::Call {
 public:
  Call(const Step& step, size_t function, DynamicFrame& caller, Run& run);
  DynamicFrame& frame() { return callee_; }
  /// The caller gets the results.
  void finish() { caller_.take_results(step_, callee_.results()); }

 private:
  const Step& step_;
  DynamicFrame& caller_;
  DynamicFrame callee_;
};

/// A loop that is under way: its condition and its body are entered and left in turn.
class DynamicFrame::Loop {
 public:
  Loop(const Step& step, DynamicFrame& caller, Run& run);
  DynamicFrame& enter_condition() { return enter(0, variables_); }
  /// Whether there is another turn.
  bool leave_condition();
  DynamicFrame& enter_body() { return enter(1, std::move(variables_)); }
  void leave_body();
  /// The caller gets the variables as they are at the end.
  void finish() { caller_.take_results(step_, std::move(variables_)); }

 private:
  DynamicFrame& enter(size_t function, std::vector<Arg> variables);

  const Step& step_;
  DynamicFrame& caller_;
  std::vector<Arg> variables_;
  std::vector<Arg> invariant_;  ///< arguments that stay what they are
  std::optional<DynamicFrame> inner_;
};

}  // namespace dyad::execute
