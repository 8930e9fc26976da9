#include "execute/executable.h"

#include "execute/executor.h"
#include "execute/interpreter.h"

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

void Executable::run(std::span<const Arg> args, std::vector<Arg>* owned, Sight sight,
                     std::vector<Arg>& results, Host& host) const {
  const bool may_use_plan = plan_ && sight == Sight::kResults;
  const auto fit = may_use_plan ? Executor::fit(*plan_->main(), args) : Executor::Fit::kNo;
  if (fit == Executor::Fit::kNo) {
    std::vector<Arg> own = owned ? std::move(*owned) : std::vector<Arg>(args.begin(), args.end());
    Interpreter(*this, host, sight).run(code_.main(), std::move(own), results);
    return;
  }
  std::vector<Arg> arranged;
  if (fit == Executor::Fit::kAfterCopies) {
    if (!owned) arranged.assign(args.begin(), args.end());
    std::vector<Arg>& own = owned ? *owned : arranged;
    Executor::arrange(own);
    args = own;
  }
  Executor(*this, host).run(*plan_->main(), args, results, owned);
}

}  // namespace dyad::execute
