#include "compile/program.h"

#include "autograd/history.h"
#include "autograd/state.h"
#include "base/error.h"
#include "compile/code.h"
#include "compile/executor.h"
#include "compile/interpreter.h"
#include "compile/plan.h"
#include "eager/dispatch.h"

namespace dyad::compile {

namespace {

size_t count_values(const std::vector<ir::GraphValueRef>& values) {
  size_t count = 0;
  for (const auto& value : values) count += value->kind != ir::GraphValue::Kind::kToken;
  return count;
}

/// Whether somebody must see each operator: a tape that one of the inputs leads to, or a program that is
/// being captured.
bool is_watched(std::span<const Arg> inputs) {
  if (Storage::captures.load(std::memory_order_relaxed) != 0) return true;
  if (eager::reasons_to_record.load(std::memory_order_relaxed) == 0) return false;
  if (autograd::state().reads) return true;
  if (!autograd::state().enabled) return false;
  for (const Arg& input : inputs) {
    auto* value = input.get<Value>();
    if (value && autograd::requires_grad(**value)) return true;
  }
  return false;
}

}  // namespace

Program::Program(std::shared_ptr<const ir::Module> module, bool planned)
    : module_(std::move(module)),
      code_(std::make_unique<Code>(*module_)),
      plan_(planned ? std::make_unique<Plan>(*code_) : nullptr),
      inputs_(count_values(module_->main().params)),
      outputs_(count_values(module_->main().results)) {
  if (!plan_ || !plan_->main()) {
    for (const auto& function : code_->functions()) figures_.steps += function->steps.size();
    return;
  }
  for (const auto& function : plan_->functions()) {
    figures_.steps += function->steps.size();
    figures_.planned_bytes += static_cast<int64_t>(function->arena_bytes);
    figures_.unplanned_bytes += static_cast<int64_t>(function->unplanned_bytes);
  }
}

Program::~Program() = default;

void Program::run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host) const {
  const FunctionCode& main = code_->main();
  DYAD_ASSERT(inputs.size() == input_count());
  std::vector<Arg> padded;  // tokens are parameters too, and nobody gives them
  std::span<const Arg> args = inputs;
  if (main.params.size() > inputs.size()) {
    auto next = inputs.begin();
    for (const Slot param : main.params) padded.push_back(param == kNoSlot ? Arg() : *next++);
    args = padded;
  }
  const FunctionPlan* plan = plan_ ? plan_->main() : nullptr;
  const size_t first = outputs.size();
  if (plan && !is_watched(inputs) && Executor::fits(*plan, args)) {
    Executor(host).run(*plan, args, outputs);
  } else {
    Interpreter(host).run(main, {args.begin(), args.end()}, outputs);
  }
  size_t kept = first;
  for (size_t i = 0; i < main.results.size(); ++i) {
    if (main.results[i] == kNoSlot) continue;
    if (kept != first + i) outputs[kept] = std::move(outputs[first + i]);
    ++kept;
  }
  outputs.resize(kept);
}

}  // namespace dyad::compile
