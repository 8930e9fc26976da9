#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/run.h"
#include "plan/plan.h"

namespace dyad::execute {

/// A run of a function whose memory is planned: its tensors, and for each step the arguments of its kernel,
/// ready. A frame is used again and again; a run only says where the memory is that differs. What a frame
/// must be able to do is said in step_runner.h.
class PlannedFrame {
 public:
  using Step = plan::PlannedStep;
  class Call;
  class Loop;

  explicit PlannedFrame(const plan::FunctionPlan& plan);

  const plan::FunctionPlan& plan() const { return plan_; }
  /// Says where a buffer lies.
  void bind(uint32_t buffer, void* base, const Ref<Storage>& storage);
  /// Takes the arguments of the main function. `owned`, the same ones, loses each after its last use; null if
  /// the caller keeps them.
  void bind_inputs(std::span<const Arg> args, std::vector<Arg>* owned);
  /// Gets the memory for the frame's own tensors, when the arguments are bound.
  void open();
  /// Appends the results of the main function: one each, those of tokens empty. `args` were its arguments.
  void add_results(std::span<const Arg> args, std::vector<Arg>& results) const;
  /// Lets go of all memory that is not the frame's own, and of that too if it is large.
  void close();

  std::span<const Step> steps() const { return plan_.steps; }
  /// What is given away gets its memory late, so that it can be that of an argument which is over.
  void before(const Step& step) {
    if (next_owned_step_ <= step.index) allocate_owned(step.index);
  }
  void after(const Step& step) {
    if (owned_) release_params(step.index);
  }
  void finish() {
    if (next_owned_step_ != UINT32_MAX) allocate_owned(static_cast<uint32_t>(plan_.steps.size()));
  }

  const std::vector<Arg>& arguments(const Step& step) {
    std::vector<Arg>& args = args_[step.index];
    for (const Step::NumberOperand& number : step.numbers) args[number.arg] = numbers_[number.slot];
    return args;
  }
  std::vector<Arg> passed_arguments(const Step& step);
  Value residual(const Step& step, size_t operand) const;
  Scalar element(const Step& step) const { return element_of(step.tensors[0].tensor); }
  bool condition(const Step& step) const { return truth_of(step.passed[0]); }
  std::vector<int64_t> callee_symbols(const Step& step) const;

  void set_number(plan::Slot slot, Scalar number) { numbers_[slot] = number; }
  void set_value(plan::Slot slot, const Value& value);
  void define_symbol(const Step&, int64_t) {}  ///< all sizes are known
  void set_scalar(const Step& step, Scalar number) const {
    const TensorImpl& made = *tensors_[step.outs[0]];
    store(number, made.dtype, made.data);
  }
  void take_results(const Step& step, std::span<const Arg> results);
  void write_results(const Step& step, std::span<const Arg> results);

  void apply(const Step& step);
  bool run_generated(const Step& step, const Run& run);

 private:
  using Passed = Step::Passed;

  void fill_arguments();
  void set_storage(const plan::Buffer& buffer, const Ref<Storage>& storage);
  void start_owned(size_t next);
  void allocate_owned(uint32_t step);
  void release_params(uint32_t step);
  void require_writable(const Step& step) const;
  void bump_versions(const Step& step) const;
  /// A tensor whose memory a step chose becomes what the planned one shows; the plan expects row-major order.
  void adopt(uint32_t tensor, const Value& value);
  Scalar element_of(uint32_t tensor) const { return load(tensors_[tensor]->dtype, tensors_[tensor]->data); }
  bool truth_of(const Passed& value) const;
  /// Takes the arguments of a call from the frame that calls, and the places of the results.
  void connect(const PlannedFrame& caller, std::span<const Passed> passed, std::span<const Passed> given);
  /// Gives the frame that called the results that lie in no memory.
  void give_results(PlannedFrame& caller, std::span<const Passed> given) const;

  const plan::FunctionPlan& plan_;
  std::vector<Tensor> tensors_;
  std::vector<Scalar> numbers_;                ///< by slot
  std::vector<Value> stacks_;                  ///< by slot; empty for a function without any
  std::vector<std::vector<Arg>> args_;         ///< by step
  std::vector<std::vector<ValueImpl*>> outs_;  ///< by step
  Ref<Storage> arena_;
  std::vector<void*> bases_;  ///< where each buffer was last
  void* arena_base_ = nullptr;
  std::vector<Arg>* owned_ = nullptr;
  size_t next_owned_ = 0;                  ///< among `plan::FunctionPlan::owned_starts`
  uint32_t next_owned_step_ = UINT32_MAX;  ///< the step that it is allocated for
  size_t next_param_ = 0;                  ///< among `plan::FunctionPlan::param_ends`
};

/// The arguments of the main function lie in memory as the plan expects them: row-major, of the planned
/// shapes.
enum class Fit : uint8_t { kYes, kAfterCopies, kNo };
Fit fit_of(const plan::FunctionPlan& plan, std::span<const Arg> args);
/// Row-major copies in the place of the arguments that are not.
void make_row_major(std::span<Arg> args);

}  // namespace dyad::execute
