#include "program/derivation.h"

#include <unordered_set>

#include "base/error.h"
#include "base/progress.h"
#include "ir/clone.h"
#include "passes/memory.h"
#include "transforms/derivative.h"

namespace dyad::program {

namespace {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

/// A walk may bring the gradients of any of a function's results; so many choices are kept.
constexpr size_t kMostBackwards = 16;

bool is_differentiated(const GraphValue& value) {
  return value.kind == Kind::kTensor && (is_float(value.dtype) || is_complex(value.dtype));
}

/// Without the token.
std::vector<GraphValueRef> results_of(const ir::Module& module) {
  std::vector<GraphValueRef> results;
  for (const GraphValueRef& result : module.main().results) {
    if (result->kind != Kind::kToken) results.push_back(result);
  }
  return results;
}

/// The number of a parameter, tokens left out; -1 for another value.
int input_number(const ir::Function& main, const GraphValue& value) {
  if (value.producer || value.kind == Kind::kToken) return -1;
  int number = 0;
  for (uint32_t i = 0; i < value.index; ++i) number += main.params[i]->kind != Kind::kToken;
  return number;
}

/// Which of a program's values the caller sees, and where.
class Shown {
 public:
  explicit Shown(const ir::Module& module, size_t outputs)
      : main_(module.main()), uses_(module), memory_(main_, uses_), results_(results_of(module)) {
    results_.resize(outputs);
  }

  void note(const GraphValue& value, Derivation::Residual& residual) const {
    if (value.kind != Kind::kTensor) return;
    for (const GraphValueRef& param : main_.params) {
      if (param->kind != Kind::kTensor || !memory_.may_share(*param, value)) continue;
      const std::string name = param->name.empty() ? "" : cat(" ('", param->name, "')");
      residual.shown = true;
      residual.place = cat("input ", input_number(main_, *param), name);
      return;
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i]->kind != Kind::kTensor || !memory_.may_share(*results_[i], value)) continue;
      residual.shown = true;
      residual.place = cat("output ", i);
      return;
    }
  }

 private:
  const ir::Function& main_;
  const passes::ModuleMemory uses_;
  const passes::FunctionMemory memory_;
  std::vector<GraphValueRef> results_;
};

std::unordered_set<const ValueImpl*> values_used(const ir::Function& function) {
  std::unordered_set<const ValueImpl*> used;
  for (const auto& node : function.nodes) {
    if (node->kind == ir::NodeKind::kConstant) continue;
    for (const Arg& arg : node->args) {
      ir::for_each_value(arg, [&](const Value& value) { used.insert(value.get()); });
    }
  }
  for (const GraphValueRef& result : function.results) used.insert(result.get());
  return used;
}

size_t count_nodes(const ir::Module& module) {
  size_t count = 0;
  for (const auto& function : module.functions) count += function->nodes.size();
  return count;
}

}  // namespace

Derivation::Derivation(std::shared_ptr<const ProgramOutputs> outputs, std::vector<bool> wanted,
                       std::shared_ptr<const Compiler> compiler)
    : program_outputs_(std::move(outputs)),
      wanted_(std::move(wanted)),
      name_(program_outputs_->module->main().name),
      compiler_(std::move(compiler)) {
  levels_.push_back(derive(*program_outputs_->module, nullptr));
}

std::unique_ptr<Derivation::Level> Derivation::derive(const ir::Module& module, const Level* before) const {
  auto level = std::make_unique<Level>();
  const ir::Function& main = module.main();
  std::vector<bool> by;
  std::vector<bool> state;
  const auto& states = program_outputs_->states;
  for (const GraphValueRef& param : main.params) {
    const int input = input_number(main, *param);
    by.push_back(input >= 0 && wanted_[static_cast<size_t>(input)]);
    state.push_back(std::any_of(states.begin(), states.end(),
                                [&](uint32_t written) { return static_cast<int>(written) == input; }));
  }
  std::vector<bool> of;
  for (const GraphValueRef& result : main.results) {
    if (result->kind == Kind::kResidualStack) {
      runtime_error("what a loop puts aside for its gradient is itself differentiated");
    }
    if (result->kind == Kind::kToken) {
      of.push_back(false);
      continue;
    }
    const size_t number = level->outputs.size();
    const bool is_residual = number >= program_outputs_->outputs;
    // A residual that is an input sends its gradient to where the input comes from.
    of.push_back(is_differentiated(*result) && !(is_residual && input_number(main, *result) >= 0));
    level->outputs.push_back(of.back() ? static_cast<int>(level->dtypes.size()) : -1);
    if (of.back()) level->dtypes.push_back(result->dtype);
  }
  if (before) {
    DYAD_ASSERT(std::equal(before->outputs.begin(), before->outputs.end(), level->outputs.begin()));
  }
  transforms::Derivative derivative = transforms::differentiate(module, by, of, state);
  level->first = level->outputs.size();
  const std::vector<GraphValueRef> given = results_of(*derivative.forward);
  DYAD_ASSERT(given.size() == level->first + derivative.residuals);
  const Shown shown(*derivative.forward, program_outputs_->outputs);
  int next = static_cast<int>(level->dtypes.size());
  for (size_t i = level->first; i < given.size(); ++i) {
    Residual& residual = level->residuals.emplace_back();
    residual.input = input_number(derivative.forward->main(), *given[i]);
    if (residual.input < 0 && is_differentiated(*given[i])) residual.output = next++;
    shown.note(*given[i], residual);
  }
  const ir::Function& backward = derivative.backward->main();
  const auto used = values_used(backward);
  for (size_t i = 0; i < level->dtypes.size(); ++i) {
    level->depends.push_back(used.contains(backward.params[level->residuals.size() + i].get()));
  }
  level->forward = std::move(derivative.forward);
  level->backward = std::move(derivative.backward);
  return level;
}

// Deriving and compiling may let other threads run, who may come here: no lock is held meanwhile.
const Derivation::Level& Derivation::level(size_t order) {
  for (;;) {
    const Level* last = nullptr;
    size_t known = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (order <= levels_.size()) return *levels_[order - 1];
      known = levels_.size();
      last = levels_.back().get();
    }
    auto made = derive(*last->forward, last);
    const std::scoped_lock lock(mutex_);
    if (levels_.size() == known) levels_.push_back(std::move(made));
  }
}

const Program& Derivation::forward(size_t order) {
  {
    const std::scoped_lock lock(mutex_);
    if (forwards_.size() >= order && forwards_[order - 1]) return *forwards_[order - 1];
  }
  Ref<Program> made = compiler_->compile(ir::clone(*level(order).forward), false);
  const std::scoped_lock lock(mutex_);
  if (forwards_.size() < order) forwards_.resize(order);
  if (!forwards_[order - 1]) forwards_[order - 1] = std::move(made);
  return *forwards_[order - 1];
}

Derivation::Backward Derivation::backward(size_t order, const std::vector<bool>& arrived) {
  const auto find = [&]() -> const Kept* {
    for (const Kept& kept : backwards_) {
      if (kept.order == order && kept.arrived == arrived) return &kept;
    }
    return nullptr;
  };
  {
    const std::scoped_lock lock(mutex_);
    if (const Kept* kept = find()) return kept->backward;
  }
  const CompilationInProgress progress(name_, "to compute its gradient");
  const Level& from = level(order);
  const std::shared_ptr<ir::Module> module = ir::clone(*from.backward);
  Backward made;
  made.left = passes::drop_absent_gradients(*module, from.residuals.size(), arrived);
  made.program = compiler_->compile(module, true);
  const std::scoped_lock lock(mutex_);
  if (const Kept* kept = find()) return kept->backward;
  if (backwards_.size() == kMostBackwards) backwards_.erase(backwards_.begin());
  backwards_.push_back({order, arrived, made});
  return made;
}

void Derivation::add_figures(DerivedFigures& figures) const {
  const std::scoped_lock lock(mutex_);
  const Level& first = *levels_.front();
  const Ref<Program> forward = forwards_.empty() ? Ref<Program>() : forwards_.front();
  figures.forward_nodes = count_nodes(forward ? forward->module() : *first.forward);
  figures.residuals = first.residuals.size();
  const std::vector<GraphValueRef> given = results_of(*first.forward);
  for (size_t i = 0; i < first.residuals.size(); ++i) {
    const GraphValue& value = *given[first.first + i];
    if (first.residuals[i].input >= 0 || value.kind != Kind::kTensor || !all_known(value.shape)) continue;
    figures.residual_bytes += numel(value.shape) * itemsize(value.dtype);
  }
  for (const Kept& kept : backwards_) {
    if (kept.order == 1) figures.backward_nodes = count_nodes(kept.backward.program->module());
  }
}

}  // namespace dyad::program
