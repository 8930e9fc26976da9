#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plan/copyable.h"
#include "plan/forwarding.h"
#include "plan/plan.h"

namespace dyad::plan {

/// Gives every tensor of a function its place. The parts: operators (plan_operators.cpp), numbers and views,
/// calls, loops and the host (plan_functions.cpp), fused functions (plan_fused.cpp), residual stacks
/// (plan_residual_stacks.cpp), parameters, results and the arena (planner.cpp).
class Planner {
 public:
  using Source = Buffer::Source;
  using PlanOf = std::unordered_map<const FunctionCode*, FunctionPlan*>;

  Planner(const FunctionCode& code, FunctionPlan& plan, const Forwarding& forwarding,
          const Copyable& copyable, const PlanOf& plan_of)
      : code_(code), plan_(plan), forwarding_(forwarding), copyable_(copyable), plan_of_(plan_of) {}

  /// False where something cannot be planned.
  bool run();

 private:
  uint32_t now() const { return static_cast<uint32_t>(plan_.steps.size()); }
  uint32_t add_buffer(Source source, size_t bytes, uint32_t index = 0);
  uint32_t add_tensor(DType dtype, const Shape& shape, const Strides& strides, uint32_t buffer,
                      int64_t offset);
  /// A row-major tensor that fills memory of its own.
  uint32_t add_whole(const ir::GraphValue& value, Source source, uint32_t index = 0);
  void set_tensor(Slot slot, uint32_t tensor) { plan_.tensor_of_slot[slot] = static_cast<int>(tensor); }
  uint32_t tensor_of(Slot slot) const { return static_cast<uint32_t>(plan_.tensor_of_slot[slot]); }
  Buffer& buffer_of(uint32_t tensor) { return plan_.buffers[plan_.tensors[tensor].buffer]; }
  void use(uint32_t tensor) { buffer_of(tensor).last = std::max(buffer_of(tensor).last, now()); }
  bool is_whole(uint32_t tensor) const;

  void add_param(size_t i);
  void add_constant(const FunctionCode::Constant& constant);
  void count_uses();
  bool add_step(const Step& step);
  static PlannedStep start(const Step& step);
  void add(PlannedStep planned);
  void add_operands(PlannedStep& planned, const Step& step);

  // Operators.
  bool add_operator(const Step& step);
  static bool is_updated(const Op& op, int arg);
  /// The prototype of a tensor, for rules that look at sizes and strides.
  Value prototype(uint32_t tensor) const;
  bool add_view(const Step& step);
  uint32_t tensor_of_operand(const Step& step, uint16_t arg) const;
  /// `x1 = assign(x0, v)` or `copy_into(x0, v)` right after `v = op(…)`: the operator writes to x0's memory
  /// at once.
  bool takes_write(const Step& step, uint32_t target);
  /// The same right after a call of a fused function that gives `v` among its results.
  bool fused_takes_write(const Step& step, uint32_t target);
  void note_write(PlannedStep& planned, uint32_t tensor);
  /// What computes element by element may write each result over an operand that nothing needs afterwards.
  void take_place_of_operand(PlannedStep& planned, const Step& step);
  int64_t bytes_of(uint32_t tensor) const;
  int64_t bytes_touched(const PlannedStep& planned) const;
  /// An operator without a kernel runs through dispatch, which chooses the memory of its results. They may
  /// lie in that of an operand, which therefore stays as long as they do.
  bool add_dispatched(PlannedStep planned, const Step& step);
  uint32_t add_adopted(const ir::GraphValue& value);

  // Numbers, views, functions and the host.
  bool add_intrinsic(const Step& step);
  bool add_write_back(const Step& step);
  void add_copy(const Step* step, uint32_t from, uint32_t to);
  bool add_host(const Step& step);
  /// The caller or the host gets hold of it.
  void show(uint32_t tensor);
  bool add_call(const Step& step);
  bool pass_arguments(PlannedStep& planned, const Step& step);
  /// The results of a function lie in its arguments, or in memory that is given to it.
  void place_given(PlannedStep& planned, const Step& step);
  /// A call of a fused function: operands may lie in any way, results are made whole.
  bool add_fused(const Step& step);
  /// Functions expect row-major arguments: another tensor is copied, or -1 where it must be the
  /// tensor itself.
  int arranged(const Step& step, uint32_t tensor, size_t param);

  // Residual stacks.
  void find_residual_stacks();
  bool add_residual_stack(const Step& step);
  /// A tensor is pushed without a copy if its memory can be allocated for each turn.
  void keep(PlannedStep& planned, uint32_t tensor);

  // The end.
  /// State whose last version was made elsewhere gets it; mostly it was written in place.
  void add_updates();
  bool add_results();
  /// The caller says where the result goes: its memory is that from the start, or it is copied there at the
  /// end.
  void give(ResultPlan& result, size_t r, std::unordered_set<uint32_t>& given);
  bool is_rebound(uint32_t buffer) const;
  void place();

  const FunctionCode& code_;
  FunctionPlan& plan_;
  const Forwarding& forwarding_;
  const Copyable& copyable_;
  const PlanOf& plan_of_;
  std::vector<int> uses_;
  std::unordered_set<uint32_t> shown_;
  std::vector<std::pair<uint32_t, uint32_t>> pinned_;  ///< a buffer, and one that must stay as long
};

}  // namespace dyad::plan
