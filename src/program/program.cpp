#include "program/program.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/reads.h"
#include "autograd/state.h"
#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "eager/dispatch.h"
#include "execute/executable.h"
#include "ir/printer.h"
#include "passes/eliminate.h"
#include "passes/insert_copies.h"
#include "program/differentiable.h"
#include "program/preprocessed_weights.h"
#include "program/shape_specializations.h"

namespace dyad::program {

namespace {

size_t count_values(const std::vector<ir::GraphValueRef>& values) {
  size_t count = 0;
  for (const auto& value : values) count += value->kind != ir::GraphValue::Kind::kToken;
  return count;
}

/// Whether the run is part of a program that this thread captures. Others may capture theirs meanwhile.
bool is_captured(std::span<const Arg> inputs) {
  if (Storage::captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  return tracing::current() || std::any_of(inputs.begin(), inputs.end(), [](const Arg& input) {
           auto* value = input.get<Value>();
           return value && (*value)->symbolic;
         });
}

bool wants_gradient(const Arg& input) {
  auto* value = input.get<Value>();
  return value && autograd::requires_grad(**value);
}

Figures figures_of(const execute::Executable& executable) {
  Figures figures;
  if (!executable.plan()) {
    for (const auto& function : executable.code().functions()) figures.steps += function->steps.size();
    return figures;
  }
  for (const auto& function : executable.plan()->functions()) {
    figures.steps += function->steps.size();
    figures.planned_bytes += static_cast<int64_t>(function->arena_bytes);
    figures.least_bytes += static_cast<int64_t>(function->least_bytes);
    figures.unplanned_bytes += static_cast<int64_t>(function->unplanned_bytes);
    for (const plan::PlannedStep& step : function->steps) {
      if (step.kind == plan::StepKind::kFused && !step.code)
        figures.without_code.push_back(step.step->functions[0]->function->name);
    }
  }
  return figures;
}

/// Host nodes stand in gradients only if a host function was called in the program itself.
class NoHost final : public Host {
 public:
  void call(const ir::Node& node, std::span<const Arg>, std::vector<Arg>&) override {
    raise(ErrorKind::kInternal, cat("internal error: there is no host to carry out ", node.host));
  }
};

}  // namespace

void Runner::run(const Program& program, std::vector<Arg> inputs, std::vector<Arg>& outputs, int transforms) {
  NoHost host;
  program.run_consuming(std::move(inputs), outputs, host, transforms);
}

Program::Program(std::shared_ptr<const ir::Module> module, bool planned)
    : Program(std::move(module), planned, Parts()) {}

Program::Program(std::shared_ptr<const ir::Module> module, bool planned, Parts parts)
    : module_(std::move(module)),
      executable_(std::make_unique<execute::Executable>(*module_, planned)),
      differentiable_(std::move(parts.differentiable)),
      unoptimised_(std::move(parts.unoptimised)),
      shape_specializations_(std::move(parts.shape_specializations)),
      preprocessed_weights_(std::move(parts.preprocessed_weights)),
      inputs_(count_values(module_->main().params) -
              (preprocessed_weights_ ? preprocessed_weights_->count() : 0)),
      outputs_(count_values(module_->main().results)),
      figures_(figures_of(*executable_)) {}

Program::~Program() = default;

bool Program::planned() const { return executable_->plan() != nullptr; }

std::vector<DerivedFigures> Program::derived_figures() const {
  return differentiable_ ? differentiable_->figures() : std::vector<DerivedFigures>();
}

std::vector<GeneratedCode> Program::generated_code() const {
  std::vector<GeneratedCode> all;
  if (!planned()) return all;
  for (const auto& function : executable_->plan()->functions()) {
    for (const plan::PlannedStep& step : function->steps) {
      if (!step.code) continue;
      const std::string& name = step.code->name();
      if (std::ranges::find(all, name, &GeneratedCode::name) != all.end()) continue;
      all.push_back({name, ir::print(*step.step->functions[0]->function), step.code->listing()});
    }
  }
  return all;
}

/// Each operator is recorded by a tape that one of the inputs leads to and that cannot have the program as
/// one step, and by a program that is being captured.
Program::Record Program::record(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host,
                                int transforms) const {
  if (is_captured(inputs)) return Record::kPerOperator;
  if (eager::reasons_to_record.load(std::memory_order_relaxed) == 0) return Record::kNone;
  const autograd::State& state = autograd::state();
  if (!state.enabled) {
    if (state.reads) state.reads->note(inputs);
    return Record::kNone;
  }
  if (std::none_of(inputs.begin(), inputs.end(), wants_gradient)) return Record::kNone;
  const int most = transforms < 0 ? state.depth : transforms;
  const auto orders = static_cast<size_t>(std::max(1, most));
  const bool one_step =
      differentiable_ && !state.each_operator && !(state.pushes && differentiable_->decides());
  const bool done = one_step && differentiable_->run(inputs, outputs, host, orders);
  if (!done && differentiable_ && differentiable_->custom()) {
    throw NotRecordable(
        "jit: the graph has functions with a backward of their own, and each of its operators would have to "
        "be recorded by itself; take the jit away, or take the gradient inside of it");
  }
  return done ? Record::kOneStep : Record::kPerOperator;
}

void Program::run_recorded(std::span<const Arg> inputs, std::vector<Arg>* owned, std::vector<Arg>& outputs,
                           Host& host, int transforms) const {
  DYAD_ASSERT(inputs.size() == input_count());
  const Record recorded = record(inputs, outputs, host, transforms);
  if (recorded == Record::kOneStep) return;
  const bool per_operator = recorded == Record::kPerOperator;
  (per_operator ? per_operator_code() : *this).execute(inputs, owned, per_operator, outputs, host);
}

const Program& Program::per_operator_code() const {
  if (!unoptimised_) return *this;
  std::call_once(per_operator_once_, [&] {
    passes::eliminate_dead_code(*unoptimised_);
    passes::insert_copies(*unoptimised_);
    per_operator_ = Ref<Program>(new Program(unoptimised_, false));
  });
  return *per_operator_;
}

void Program::execute(std::span<const Arg> inputs, std::vector<Arg>* owned, bool per_operator,
                      std::vector<Arg>& outputs, Host& host) const {
  if (shape_specializations_ && !per_operator) {
    if (const Ref<Program> fixed = shape_specializations_->find(inputs)) {
      return fixed->execute(inputs, owned, per_operator, outputs, host);
    }
  }
  const plan::FunctionCode& main = executable_->code().main();
  std::vector<Arg> padded;  // tokens are parameters too, and no input
  std::span<const Arg> args = inputs;
  if (main.params.size() > inputs.size()) {
    auto next = inputs.begin();
    const size_t given = main.params.size() - (preprocessed_weights_ ? preprocessed_weights_->count() : 0);
    padded.reserve(main.params.size());
    for (size_t i = 0; i < given; ++i) padded.push_back(main.params[i] == plan::kNoSlot ? Arg() : *next++);
    if (preprocessed_weights_) {
      const auto values = preprocessed_weights_->values(padded, host);
      padded.insert(padded.end(), values->begin(), values->end());
    }
    args = padded;
    if (owned) {
      owned->clear();
      owned = &padded;
    }
  }
  const size_t first = outputs.size();
  executable_->run(args, owned, per_operator, outputs, host);
  size_t kept = first;
  for (size_t i = 0; i < main.results.size(); ++i) {
    if (main.results[i] == plan::kNoSlot) continue;
    if (kept != first + i) outputs[kept] = std::move(outputs[first + i]);
    ++kept;
  }
  outputs.resize(kept);
}

}  // namespace dyad::program
