#include "codegen/loops/schedule.h"

#include <algorithm>

#include "codegen/loops/loop_builder.h"
#include "kernels/scalar/compute_dtype.h"

namespace dyad::codegen {

namespace {

using Kind = Computation::Value::Kind;

/// What is worth keeping in memory until a later phase instead of being computed again.
constexpr int kWorthKeeping = 8;

bool adds(Reduction reduction) {
  return reduction == Reduction::kSum || reduction == Reduction::kMean || reduction == Reduction::kProd;
}

class Scheduler {
 public:
  Scheduler(const Computation& computation, Schedule& schedule)
      : computation_(computation), values_(computation.values), schedule_(schedule) {
    for (const auto& value : values_) phases_ = std::max(phases_, value.level + 1);
    for (const auto& result : computation.results) {
      result_full_.push_back(!schedule.reduces || spans_reduced(result.axes));
    }
    // The last level is that of values which follow the last reduction; where none of them is full, there is
    // no pass for it.
    if (schedule.reduces && !any_full_result(phases_ - 1)) --phases_;
  }

  void run() {
    mark_materialised();
    choose_spills();
    for (int phase = 0; phase < phases_; ++phase) schedule_.phases.push_back(make_phase(phase));
  }

 private:
  bool spans_reduced(const AxisMap& axes) const {
    return std::any_of(axes.begin(), axes.end(), [&](int axis) {
      return axis != kNoAxis && computation_.reduced[static_cast<size_t>(axis)];
    });
  }
  bool any_full_result(int level) const {
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (result_full_[i] && result_level(i) == level) return true;
    }
    return false;
  }
  int result_level(size_t result) const { return values_[computation_.results[result].value].level; }
  /// A value that belongs to a point of the kept axes and is known only after a reduction.
  bool is_kept(uint32_t value) const {
    return schedule_.reduces && !values_[value].full && values_[value].level > 0;
  }

  void mark_materialised() {
    kept_index_.assign(values_.size(), -1);
    auto use = [&](uint32_t value, bool full_user, int level) {
      if (!is_kept(value) || (!full_user && values_[value].level == level) || kept_index_[value] >= 0) return;
      kept_index_[value] = static_cast<int>(schedule_.kept_values++);
    };
    for (const auto& value : values_) {
      const bool full_user = value.full || value.kind == Kind::kReduce;
      for (const uint32_t arg : value.args) use(arg, full_user, value.level);
    }
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (result_full_[i]) use(computation_.results[i].value, true, 0);
    }
  }

  /// Values that the full loop of a phase must have: what is folded then, and results.
  std::vector<uint32_t> full_roots(int phase) const {
    std::vector<uint32_t> roots;
    for (const auto& value : values_) {
      if (value.kind == Kind::kReduce && value.level == phase + 1) roots.push_back(value.args[0]);
    }
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (result_full_[i] && result_level(i) == phase) roots.push_back(computation_.results[i].value);
    }
    return roots;
  }

  void visit(uint32_t value, int phase, std::vector<int>& first, std::vector<int>& last) const {
    if (last[value] == phase || is_kept(value)) return;
    last[value] = phase;
    if (first[value] < 0) first[value] = phase;
    if (first[value] < phase && stored_in(value, phase) >= 0) return;
    for (const uint32_t arg : values_[value].args) visit(arg, phase, first, last);
  }

  /// The result in whose memory a value still lies from an earlier phase; -1 if there is none.
  int stored_in(uint32_t value, int phase) const {
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (!plain_[i]) continue;
      const bool spilled = spill_[i] == static_cast<int>(value) && phase <= result_level(i);
      const bool stored = computation_.results[i].value == value && result_level(i) < phase;
      if (spilled || stored) return static_cast<int>(i);
    }
    return -1;
  }

  /// Costly values that several phases need wait in the memory of a result that is written later.
  void choose_spills() {
    spill_.assign(computation_.results.size(), -1);
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      const size_t tensor = schedule_.params + i;
      const auto& axes = schedule_.axes;
      plain_.push_back(
          schedule_.reduces && result_full_[i] && !axes.empty() && axes.back().strides[tensor] == 1 &&
          std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.strides[tensor] != 0; }));
    }
    for (size_t round = 0; round <= computation_.results.size(); ++round) {
      first_.assign(values_.size(), -1);
      std::vector<int> last(values_.size(), -1);
      for (int phase = 0; phase < phases_; ++phase) {
        for (const uint32_t root : full_roots(phase)) {
          last.assign(values_.size(), -1);
          visit(root, phase, first_, last);
        }
      }
      if (!add_spill()) return;
    }
  }

  bool add_spill() {
    std::vector<int> final(values_.size(), -1);
    for (int phase = 0; phase < phases_; ++phase) {
      std::vector<int> first = first_;
      std::vector<int> last(values_.size(), -1);
      for (const uint32_t root : full_roots(phase)) visit(root, phase, first, last);
      for (size_t value = 0; value < values_.size(); ++value)
        final[value] = std::max(final[value], last[value]);
    }
    for (size_t value = values_.size(); value-- > 0;) {
      const auto number = static_cast<uint32_t>(value);
      if (!values_[value].full || values_[value].cost < kWorthKeeping || first_[value] < 0 ||
          final[value] <= first_[value] || stored_in(number, final[value]) >= 0) {
        continue;
      }
      for (size_t i = 0; i < computation_.results.size(); ++i) {
        if (!plain_[i] || spill_[i] >= 0 || values_[value].dtype != schedule_.dtypes[schedule_.params + i] ||
            result_level(i) < final[value] || result_level(i) <= first_[value]) {
          continue;
        }
        spill_[i] = static_cast<int>(value);
        return true;
      }
    }
    return false;
  }

  Phase make_phase(int phase) {
    Phase made;
    LoopBuilder full(schedule_, static_cast<int>(schedule_.axes.size()) - 1);
    std::vector<int> emitted(values_.size(), -1);
    auto value_in_full = [&](uint32_t value) { return emit_full(full, value, phase, emitted); };
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (spill_[i] >= 0 && first_[static_cast<size_t>(spill_[i])] == phase)
        full.store(value_in_full(static_cast<uint32_t>(spill_[i])), result_ref(i));
    }
    uint32_t scratch = 0;
    for (const auto& value : values_) {
      if (value.kind != Kind::kReduce || value.level != phase + 1) continue;
      Fold fold;
      fold.reduction = value.reduction;
      fold.compute_dtype = compute_dtype(value);
      fold.accumulator = kernels::accumulator_dtype(adds(value.reduction), fold.compute_dtype);
      fold.input = fold_input(value.args[0], fold.compute_dtype, phase);
      if (fold.input.kind == OperandRef::Kind::kScratch) {
        fold.input.number = scratch++;
        full.store(full.convert(value_in_full(value.args[0]), fold.compute_dtype), fold.input);
      }
      made.folds.push_back(fold);
    }
    schedule_.scratch_rows = std::max(schedule_.scratch_rows, scratch);
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (result_full_[i] && result_level(i) == phase)
        full.store(value_in_full(computation_.results[i].value), result_ref(i));
    }
    made.full = full.finish();
    if (schedule_.reduces) made.kept = make_kept(phase);
    return made;
  }

  DType compute_dtype(const Computation::Value& value) const {
    const bool logical = value.reduction == Reduction::kAll || value.reduction == Reduction::kAny;
    return kernels::compute_dtype_of(logical, value.from, value.dtype);
  }

  OperandRef result_ref(size_t result) const {
    return {OperandRef::Kind::kTensor, static_cast<uint32_t>(schedule_.params + result)};
  }

  /// Elements are folded where they lie if they lie one after the other in the dtype they meet in.
  OperandRef fold_input(uint32_t value, DType compute_dtype, int phase) const {
    const OperandRef scratch{OperandRef::Kind::kScratch, 0};
    if (values_[value].dtype != compute_dtype || schedule_.axes.empty()) return scratch;
    const Axis& inner = schedule_.axes.back();
    if (values_[value].kind == Kind::kParam && inner.strides[values_[value].number] == 1)
      return {OperandRef::Kind::kTensor, values_[value].number};
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      const bool here =
          spill_[i] == static_cast<int>(value) && first_[value] <= phase && phase < result_level(i);
      const bool own = computation_.results[i].value == value && result_level(i) <= phase;
      if (plain_[i] && (here || own)) return result_ref(i);
    }
    return scratch;
  }

  uint32_t emit_full(LoopBuilder& loop, uint32_t value, int phase, std::vector<int>& emitted) {
    if (emitted[value] >= 0) return static_cast<uint32_t>(emitted[value]);
    uint32_t made = 0;
    const Computation::Value& described = values_[value];
    const int stored = first_[value] >= 0 && first_[value] < phase ? stored_in(value, phase) : -1;
    if (is_kept(value)) {
      made = loop.load({OperandRef::Kind::kKept, static_cast<uint32_t>(kept_index_[value])}, described.dtype);
    } else if (stored >= 0) {
      made = loop.load(result_ref(static_cast<size_t>(stored)), described.dtype);
    } else {
      std::vector<uint32_t> args;
      for (const uint32_t arg : described.args) args.push_back(emit_full(loop, arg, phase, emitted));
      made = loop.add(described, args);
    }
    emitted[value] = static_cast<int>(made);
    return made;
  }

  BoundLoop make_kept(int phase) {
    LoopBuilder loop(schedule_, schedule_.point_axis());
    std::vector<int> emitted(values_.size(), -1);
    for (uint32_t value = 0; value < values_.size(); ++value) {
      if (kept_index_[value] < 0 || values_[value].level != phase + 1) continue;
      loop.store(emit_kept(loop, value, phase, emitted),
                 {OperandRef::Kind::kKept, static_cast<uint32_t>(kept_index_[value])});
    }
    for (size_t i = 0; i < computation_.results.size(); ++i) {
      if (!result_full_[i] && std::max(result_level(i), 1) == phase + 1)
        loop.store(emit_kept(loop, computation_.results[i].value, phase, emitted), result_ref(i));
    }
    return loop.finish();
  }

  uint32_t emit_kept(LoopBuilder& loop, uint32_t value, int phase, std::vector<int>& emitted) {
    if (emitted[value] >= 0) return static_cast<uint32_t>(emitted[value]);
    const Computation::Value& described = values_[value];
    uint32_t made = 0;
    if (is_kept(value) && described.level <= phase) {
      made = loop.load({OperandRef::Kind::kKept, static_cast<uint32_t>(kept_index_[value])}, described.dtype);
    } else if (described.kind == Kind::kReduce) {
      made = finish_fold(loop, value, phase);
    } else {
      std::vector<uint32_t> args;
      for (const uint32_t arg : described.args) args.push_back(emit_kept(loop, arg, phase, emitted));
      made = loop.add(described, args);
    }
    emitted[value] = static_cast<int>(made);
    return made;
  }

  uint32_t finish_fold(LoopBuilder& loop, uint32_t value, int phase) {
    uint32_t number = 0;
    for (uint32_t before = 0; before < value; ++before) {
      if (values_[before].kind == Kind::kReduce && values_[before].level == phase + 1) ++number;
    }
    const Computation::Value& described = values_[value];
    const DType accumulator = kernels::accumulator_dtype(adds(described.reduction), compute_dtype(described));
    uint32_t total = loop.load({OperandRef::Kind::kAccumulator, number}, accumulator);
    if (described.reduction == Reduction::kMean) {
      const uint32_t scale = loop.load({OperandRef::Kind::kScale, 0}, DType::kFloat64);
      total = loop.apply("mul", DType::kFloat64, {total, scale});
    }
    return loop.convert(total, described.dtype);
  }

  const Computation& computation_;
  const std::vector<Computation::Value>& values_;
  Schedule& schedule_;
  int phases_ = 1;
  std::vector<bool> result_full_;
  std::vector<bool> plain_;      ///< per result: it spans the domain and its rows are contiguous
  std::vector<int> spill_;       ///< per result: the value that waits in its memory
  std::vector<int> first_;       ///< per value: the phase that computes it first
  std::vector<int> kept_index_;  ///< per value: its number among the kept values that are used again
};

}  // namespace

int Schedule::point_axis() const {
  const int inner = static_cast<int>(axes.size()) - 1;
  if (inner < 0 || !axes.back().reduced) return inner;
  const auto folded = std::count_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.reduced; });
  if (folded > 1) return -1;
  return inner - 1;
}

std::optional<Schedule> make_schedule(const Computation& computation, std::span<const Layout> params,
                                      std::span<const Layout> results) {
  if (results.size() != computation.results.size()) return std::nullopt;
  std::optional<std::vector<Axis>> axes = arrange_axes(computation, params, results);
  if (!axes) return std::nullopt;
  Schedule schedule;
  schedule.axes = std::move(*axes);
  schedule.params = computation.params.size();
  for (const auto& param : computation.params) {
    schedule.dtypes.push_back(params[param.value].dtype);
    schedule.param_numbers.push_back(param.value);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    schedule.dtypes.push_back(results[i].dtype);
    if (results[i].dtype != computation.values[computation.results[i].value].dtype) return std::nullopt;
  }
  for (const auto& value : computation.values) {
    if (value.kind == Kind::kParam && schedule.dtypes[value.number] != value.dtype) return std::nullopt;
  }
  schedule.reduces =
      std::find(computation.reduced.begin(), computation.reduced.end(), true) != computation.reduced.end();
  Scheduler(computation, schedule).run();
  return schedule;
}

}  // namespace dyad::codegen
