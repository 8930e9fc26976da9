#include "execute/executable.h"

#include "base/team.h"
#include "execute/dynamic_frame.h"
#include "execute/planned_calls.h"
#include "execute/step_runner.h"

namespace dyad::execute {

Executable::Executable(const ir::Module& module, bool planned) : code_(module) {
  for (const auto& function : code_.functions()) {
    const bool is_fused = function->function->fused;
    fused_.push_back(is_fused ? std::make_unique<FusedCode>(*function->function) : nullptr);
  }
  if (!planned) return;
  plan_ = std::make_unique<plan::Plan>(code_);
  if (!plan_->main()) {
    plan_.reset();
    return;
  }
  frames_ = std::make_unique<FramePool[]>(plan_->functions().size());
}

void Executable::run(std::span<const Arg> args, std::vector<Arg>* owned, bool per_operator,
                     std::vector<Arg>& results, Host& host) const {
  switch (plan_ && !per_operator ? fit_of(*plan_->main(), args) : Fit::kNo) {
    case Fit::kYes:
      return run_planned(args, owned, results, host);
    case Fit::kAfterCopies:
      return run_on_copies(args, owned, results, host);
    case Fit::kNo:
      return run_dynamic(args, owned, per_operator, results, host);
  }
}

void Executable::run_dynamic(std::span<const Arg> args, std::vector<Arg>* owned, bool per_operator,
                             std::vector<Arg>& results, Host& host) const {
  std::vector<Arg> own = owned ? std::move(*owned) : std::vector<Arg>(args.begin(), args.end());
  Run run{*this, host, per_operator};
  DynamicFrame frame(code_.main(), std::move(own), DynamicFrame::unbound(code_.main()));
  StepRunner<DynamicFrame>(run).run(frame);
  for (Arg& result : frame.results()) results.push_back(std::move(result));
}

void Executable::run_on_copies(std::span<const Arg> args, std::vector<Arg>* owned, std::vector<Arg>& results,
                               Host& host) const {
  std::vector<Arg> copied;
  if (!owned) copied.assign(args.begin(), args.end());
  std::vector<Arg>& arranged = owned ? *owned : copied;
  make_row_major(arranged);
  run_planned(arranged, owned, results, host);
}

void Executable::run_planned(std::span<const Arg> args, std::vector<Arg>* owned, std::vector<Arg>& results,
                             Host& host) const {
  const ProgramThreads threads;
  const FrameHolder frame(frames_of(*plan_->main()), *plan_->main());
  frame->bind_inputs(args, owned);
  frame->open();
  Run run{*this, host};
  StepRunner<PlannedFrame>(run).run(*frame);
  frame->add_results(args, results);
}

}  // namespace dyad::execute
