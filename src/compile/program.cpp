#include "compile/program.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/reads.h"
#include "autograd/state.h"
#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "compile/code.h"
#include "compile/differentiable.h"
#include "compile/executor.h"
#include "compile/instances.h"
#include "compile/interpreter.h"
#include "compile/plan.h"
#include "compile/prepared.h"
#include "eager/dispatch.h"
#include "ir/printer.h"
#include "passes/eliminate_dead_code.h"
#include "passes/insert_copies.h"

namespace dyad::compile {

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

Options with_plan(bool planned) {
  Options options;
  options.plan = planned;
  return options;
}

/// How programs are compiled that are derived from one with these options: nobody watches.
Options for_derived(Options options) {
  options.dump = nullptr;
  options.verify = false;
  return options;
}

/// Host nodes stand in gradients only if a host function was called in the program itself.
class NoHost final : public Host {
 public:
  void call(const ir::Node& node, std::span<const Arg>, std::vector<Arg>&) override {
    raise(ErrorKind::kInternal, cat("internal error: nobody carries out the host's ", node.host));
  }
};

}  // namespace

void Runner::run(const Program& program, std::vector<Arg> inputs, std::vector<Arg>& outputs, int transforms) {
  NoHost host;
  program.run_consuming(std::move(inputs), outputs, host, transforms);
}

Program::Program(std::shared_ptr<const ir::Module> module, bool planned)
    : Program(std::move(module), with_plan(planned), {}) {}

Program::Program(std::shared_ptr<const ir::Module> module, const Options& options, Parts parts)
    : module_(std::move(module)),
      code_(std::make_unique<Code>(*module_)),
      plan_(options.plan ? std::make_unique<Plan>(*code_) : nullptr),
      differentiable_(parts.captured
                          ? std::make_unique<Differentiable>(std::move(parts.captured), for_derived(options))
                          : nullptr),
      unoptimised_(std::move(parts.unoptimised)),
      instances_(std::move(parts.instances)),
      prepared_(std::move(parts.prepared)),
      inputs_(count_values(module_->main().params) - (prepared_ ? prepared_->count() : 0)),
      outputs_(count_values(module_->main().results)) {
  if (!plan_ || !plan_->main()) {
    for (const auto& function : code_->functions()) figures_.steps += function->steps.size();
    return;
  }
  for (const auto& function : plan_->functions()) {
    figures_.steps += function->steps.size();
    figures_.planned_bytes += static_cast<int64_t>(function->arena_bytes);
    figures_.least_bytes += static_cast<int64_t>(function->least_bytes);
    figures_.unplanned_bytes += static_cast<int64_t>(function->unplanned_bytes);
    for (const PlannedStep& step : function->steps) {
      if (step.kind == PlannedStep::Kind::kFused && !step.code)
        figures_.without_code.push_back(step.step->functions[0]->function->name);
    }
  }
}

Program::~Program() = default;

bool Program::planned() const { return plan_ && plan_->main(); }

std::vector<DerivedFigures> Program::derived_figures() const {
  return differentiable_ ? differentiable_->figures() : std::vector<DerivedFigures>();
}

std::vector<GeneratedCode> Program::generated_code() const {
  std::vector<GeneratedCode> all;
  if (!plan_) return all;
  for (const auto& function : plan_->functions()) {
    for (const PlannedStep& step : function->steps) {
      if (!step.code) continue;
      const std::string& name = step.code->name();
      if (std::ranges::find(all, name, &GeneratedCode::name) != all.end()) continue;
      all.push_back({name, ir::print(*step.step->functions[0]->function), step.code->listing()});
    }
  }
  return all;
}

/// Whether somebody must see each operator: a tape that one of the inputs leads to and that cannot have the
/// program as one step, or a program that is being captured.
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
    runtime_error(
        "jit: the graph has functions with a backward of their own, and each of its operators would have to "
        "be "
        "recorded by itself; take the jit away, or take the gradient inside of it");
  }
  return done ? Record::kOneStep : Record::kPerOperator;
}

void Program::run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, int transforms) const {
  DYAD_ASSERT(inputs.size() == input_count());
  const Record watch = record(inputs, outputs, host, transforms);
  if (watch == Record::kOneStep) return;
  const bool watched = watch == Record::kPerOperator;
  (watched ? per_operator_code() : *this).execute(inputs, nullptr, watched, outputs, host);
}

void Program::run_consuming(std::vector<Arg> inputs, std::vector<Arg>& outputs, Host& host,
                            int transforms) const {
  DYAD_ASSERT(inputs.size() == input_count());
  const Record watch = record(inputs, outputs, host, transforms);
  if (watch == Record::kOneStep) return;
  const bool watched = watch == Record::kPerOperator;
  (watched ? per_operator_code() : *this).execute(inputs, &inputs, watched, outputs, host);
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

void Program::execute(std::span<const Arg> inputs, std::vector<Arg>* owned, bool watched,
                      std::vector<Arg>& outputs, Host& host) const {
  if (instances_ && !watched) {
    if (const Ref<Program> fixed = instances_->find(inputs)) {
      return fixed->execute(inputs, owned, watched, outputs, host);
    }
  }
  const FunctionCode& main = code_->main();
  std::vector<Arg> padded;  // tokens are parameters too, and nobody gives them
  std::span<const Arg> args = inputs;
  if (main.params.size() > inputs.size()) {
    auto next = inputs.begin();
    const size_t given = main.params.size() - (prepared_ ? prepared_->count() : 0);
    padded.reserve(main.params.size());
    for (size_t i = 0; i < given; ++i) padded.push_back(main.params[i] == kNoSlot ? Arg() : *next++);
    if (prepared_) {
      const auto values = prepared_->values(padded, host);
      padded.insert(padded.end(), values->begin(), values->end());
    }
    args = padded;
    if (owned) {
      owned->clear();
      owned = &padded;
    }
  }
  const size_t first = outputs.size();
  const auto fit = planned() && !watched ? Executor::fit(*plan_->main(), args) : Executor::Fit::kNo;
  if (fit == Executor::Fit::kAfterCopies) {
    if (!owned && padded.empty()) padded.assign(args.begin(), args.end());
    std::vector<Arg>& arranged = owned ? *owned : padded;
    Executor::arrange(arranged);
    args = arranged;
  }
  if (fit != Executor::Fit::kNo) {
    Executor(host).run(*plan_->main(), args, outputs, owned);
  } else {
    const auto sight = watched ? Interpreter::Sight::kEachOperator : Interpreter::Sight::kResults;
    Interpreter(host, sight)
        .run(main, owned ? std::move(*owned) : std::vector<Arg>(args.begin(), args.end()), outputs);
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
