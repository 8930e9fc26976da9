#include <algorithm>
#include <memory>

#include "base/error.h"
#include "codegen/cpu/compiler_library.h"
#include "codegen/cpu/launch.h"
#include "codegen/cpu/loop_code.h"
#include "codegen/cpu/operands.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/schedule.h"
#include "kernels/cpu/loops.h"

namespace dyad::codegen {

namespace {

/// The loops of a schedule that have something to do, in order.
std::vector<const Loop*> loops_of(const Schedule& schedule) {
  std::vector<const Loop*> loops;
  for (const Phase& phase : schedule.phases) {
    if (!phase.full.empty()) loops.push_back(&phase.full.loop);
    if (!phase.kept.empty()) loops.push_back(&phase.kept.loop);
  }
  return loops;
}

std::string text_of_loops(const Schedule& schedule) {
  std::string out;
  for (const Loop* loop : loops_of(schedule)) out += loop->text();
  return out;
}

/// Some loops take more operands than a launch has room for.
bool small_enough(const Schedule& schedule) {
  if (schedule.dtypes.size() > BoundOperands::kMost - 8) return false;
  for (const Phase& phase : schedule.phases) {
    if (std::max(phase.full.operands.size(), phase.kept.operands.size()) > BoundOperands::kMost) return false;
  }
  return true;
}

std::string name_from(const Computation& computation, const std::string& text) {
  std::string name;
  for (const auto& value : computation.values) {
    const bool reduction = value.kind == Computation::Value::Kind::kReduce;
    if (value.kind != Computation::Value::Kind::kApply && !reduction) continue;
    const std::string_view part = reduction ? to_text(value.reduction) : value.name;
    if (name.size() + part.size() > 40) {
      name += "_etc";
      break;
    }
    name += cat(name.empty() ? "" : "_", part);
  }
  if (name.empty()) name = "copy";
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%08zx", std::hash<std::string>()(text) & 0xffffffff);
  return cat(name, "_", digits);
}

class CpuKernel final : public Kernel {
 public:
  CpuKernel(std::shared_ptr<const Computation> computation, const Schedule& schedule,
            std::vector<LoopFunction> code)
      : computation_(std::move(computation)), text_(text_of_loops(schedule)), code_(std::move(code)) {
    name_ = name_from(*computation_, text_);
    for (const Loop* loop : loops_of(schedule)) loops_.push_back(*loop);
    for (const auto& value : computation_->values) cost_ += std::max(value.cost, 1);
  }

  bool fits(std::span<const Layout> params, std::span<const Layout> results) const override {
    const std::optional<Schedule> schedule = make_schedule(*computation_, params, results);
    return schedule && text_of_loops(*schedule) == text_;
  }

  Ref<Launch> launch(std::span<const Layout> params, std::span<const Layout> results) const override {
    std::optional<Schedule> schedule = make_schedule(*computation_, params, results);
    DYAD_ASSERT(schedule);
    std::vector<PhaseCode> phases;
    auto next = code_.begin();
    for (const Phase& phase : schedule->phases) {
      PhaseCode code;
      if (!phase.full.empty()) code.full = *next++;
      if (!phase.kept.empty()) code.kept = *next++;
      phases.push_back(code);
    }
    return make_launch(std::move(*schedule), std::move(phases), cost_);
  }

  const std::string& name() const override { return name_; }

  Listing listing() const override {
    Listing made{text_, "", ""};
    const CompilerLibrary* library = compiler_library::load();
    if (!library) return made;
    for (const Loop& loop : loops_) {
      std::string llvm;
      std::string assembly;
      library->list(loop, kernels::best_instruction_set(), llvm, assembly);
      made.llvm += llvm;
      made.assembly += assembly;
    }
    return made;
  }

 private:
  std::shared_ptr<const Computation> computation_;
  std::string text_;
  std::vector<Loop> loops_;
  std::vector<LoopFunction> code_;
  std::string name_;
  int cost_ = 0;
};

}  // namespace

bool available() { return !compiler_library::identity().empty(); }

std::vector<Ref<Kernel>> generate(std::span<const Request> requests) {
  struct Work {
    std::shared_ptr<const Computation> computation;
    std::optional<Schedule> schedule;
  };
  std::vector<Work> works(requests.size());
  std::vector<const Loop*> loops;
  for (size_t i = 0; i < requests.size(); ++i) {
    std::optional<Computation> computation = read_computation(*requests[i].function);
    if (!computation) continue;
    works[i].computation = std::make_shared<const Computation>(std::move(*computation));
    works[i].schedule = make_schedule(*works[i].computation, requests[i].params, requests[i].results);
    if (works[i].schedule && !small_enough(*works[i].schedule)) works[i].schedule.reset();
    if (works[i].schedule && loops_of(*works[i].schedule).empty()) works[i].schedule.reset();
    if (!works[i].schedule) continue;
    for (const Loop* loop : loops_of(*works[i].schedule)) loops.push_back(loop);
  }
  const std::vector<LoopFunction> code = code_for(loops);

  std::vector<Ref<Kernel>> kernels(requests.size());
  auto next = code.begin();
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!works[i].schedule) continue;
    const auto count = static_cast<std::ptrdiff_t>(loops_of(*works[i].schedule).size());
    std::vector<LoopFunction> own(next, next + count);
    next += count;
    if (std::find(own.begin(), own.end(), nullptr) != own.end()) continue;
    kernels[i] = Ref<Kernel>(new CpuKernel(works[i].computation, *works[i].schedule, std::move(own)));
  }
  return kernels;
}

}  // namespace dyad::codegen
