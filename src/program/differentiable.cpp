#include "program/differentiable.h"

#include <algorithm>

#include "autograd/in_place.h"
#include "base/error.h"
#include "base/progress.h"
#include "eager/dispatch.h"
#include "program/program_node.h"
#include "transforms/dependence.h"

namespace dyad::program {

namespace {

constexpr const char* kMetLeaf = "a Tensor that is a constant of the graph asks for a gradient";

using autograd::Edge;

/// So many choices of inputs that gradients are wanted for are kept.
constexpr size_t kMostChoices = 8;

Tensor tensor_in(const Arg& arg) {
  auto* value = arg.get<Value>();
  return value ? Tensor(&as_tensor(*value)) : Tensor();
}

std::vector<bool> wanted_among(std::span<const Arg> inputs) {
  std::vector<bool> wanted;
  for (const Arg& input : inputs) {
    auto* value = input.get<Value>();
    wanted.push_back(value && autograd::requires_grad(**value));
  }
  return wanted;
}

/// The inputs without their places on the tape: what runs inside is not recorded.
std::vector<Arg> plain(std::span<const Arg> inputs) {
  std::vector<Arg> made;
  made.reserve(inputs.size());
  for (const Arg& input : inputs) {
    const Tensor tensor = tensor_in(input);
    made.push_back(tensor && tensor->autograd_meta ? Arg(Value(alias_of(*tensor))) : input);
  }
  return made;
}

/// Whether it decides what to run when it runs.
bool has_control_flow(const ir::Module& module) {
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      if (node->functions.empty()) continue;
      if (node->kind != ir::NodeKind::kCall || node->functions.size() == 1) return true;
    }
  }
  return false;
}

/// Names a size that a branch or loop decides; empty if there is none.
std::string changing_size(const ir::Module& module) {
  for (const auto& function : module.functions) {
    if (function.get() == &module.main()) continue;
    for (const auto& param : function->params) {
      for (const Dim size : param->shape) {
        if (!size.known()) return cat("the size ", size, " in @", function->name, " is known when it runs");
      }
    }
  }
  return {};
}

/// A tensor that nothing else holds, so that it may get a place on the tape of its own.
Tensor own(const Arg& arg) {
  Tensor tensor = tensor_in(arg);
  return tensor->owners() > 2 || tensor->autograd_meta ? alias_of(*tensor) : tensor;
}

/// Where the gradients of the wanted inputs go, and those inputs themselves that are leaves.
struct Sources {
  std::vector<Edge> edges;
  std::vector<Tensor> leaves;  ///< null for another input
};

Sources sources_of(std::span<const Arg> inputs, const std::vector<bool>& wanted) {
  Sources sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!wanted[i]) continue;
    const Tensor tensor = tensor_in(inputs[i]);
    sources.edges.push_back(autograd::edge_of(*tensor));
    const bool is_leaf = sources.edges.back().node == autograd::autograd_meta_of(*tensor)->leaf;
    sources.leaves.push_back(is_leaf ? tensor : Tensor());
  }
  return sources;
}

/// What a forward gave besides its outputs, which stay in `made`. An output is given to the caller and leads
/// to the node of the tape: as a residual the node keeps another tensor.
std::vector<Arg> taken_residuals(std::vector<Arg>& made, size_t outputs) {
  const auto first = made.begin() + static_cast<std::ptrdiff_t>(outputs);
  std::vector<Arg> residuals(std::make_move_iterator(first), std::make_move_iterator(made.end()));
  made.resize(outputs);
  for (Arg& residual : residuals) {
    auto* value = residual.get<Value>();
    if (value && (*value)->is_tensor() && (*value)->owners() > 1)
      residual = Value(alias_of(as_tensor(*value)));
  }
  return residuals;
}

}  // namespace

Differentiable::Differentiable(std::shared_ptr<ir::Module> captured, std::shared_ptr<const Compiler> compiler)
    : program_outputs_(std::make_shared<const ProgramOutputs>(program_outputs_of(std::move(captured)))),
      compiler_(std::move(compiler)),
      decides_(has_control_flow(*program_outputs_->module)) {}

Differentiable::~Differentiable() = default;

Ref<Derivation> Differentiable::derivation_for(const std::vector<bool>& wanted, size_t orders, Host& host) {
  Entry entry{wanted, {}, {}, 0};
  const auto find = [&] {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.wanted == wanted; });
  };
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = find(); found != entries_.end()) {
      std::rotate(found, found + 1, entries_.end());
      entry = entries_.back();
      if (orders <= entry.ready) return entry.derivation;
    }
  }
  const bool told = !entry.refusal.empty();
  prepare(entry, orders);
  const bool refused = !entry.refusal.empty();
  if (refused && !told && !custom())
    host.records_each_operator(program_outputs_->module->main().name, entry.refusal);
  const Ref<Derivation> made = refused ? Ref<Derivation>() : entry.derivation;
  const std::scoped_lock lock(mutex_);
  if (const auto found = find(); found != entries_.end()) entries_.erase(found);
  if (entries_.size() == kMostChoices) entries_.erase(entries_.begin());
  entries_.push_back(std::move(entry));
  return made;
}

void Differentiable::prepare(Entry& entry, size_t orders) const {
  if (entry.refusal.empty()) entry.refusal = refusal_of(entry.wanted);
  if (entry.refusal.empty() && orders > 1 && decides_) {
    entry.refusal = "a higher derivative is taken through branches or loops";
  }
  if (!entry.refusal.empty()) return;
  // What the dynamic graph refuses too, it refuses when it comes to it: perhaps never.
  const CompilationInProgress progress(program_outputs_->module->main().name, "to record it for a gradient");
  try {
    if (!entry.derivation)
      entry.derivation = Ref<Derivation>(new Derivation(program_outputs_, entry.wanted, compiler_));
    entry.derivation->forward(orders);
    entry.ready = orders;
  } catch (const Error& error) {
    entry.refusal = error.message();
  }
}

/// Why programs with this choice of inputs to differentiate are no single step; empty if they are.
std::string Differentiable::refusal_of(const std::vector<bool>& wanted) const {
  if (!program_outputs_->refusal.empty()) return program_outputs_->refusal;
  const ir::Function& main = program_outputs_->module->main();
  size_t next = 0;
  for (const ir::GraphValueRef& param : main.params) {
    if (param->kind == ir::GraphValue::Kind::kToken) continue;
    const size_t input = next++;
    if (wanted[input] && !is_float(param->dtype) && !is_complex(param->dtype)) {
      return cat("input ", input, " has dtype ", dtype_name(param->dtype));
    }
  }
  const std::string size = changing_size(*program_outputs_->module);
  if (!size.empty()) return size;
  std::vector<bool> by;
  next = 0;
  for (const ir::GraphValueRef& param : main.params) {
    by.push_back(param->kind != ir::GraphValue::Kind::kToken && wanted[next++]);
  }
  const std::vector<bool> varies = transforms::varying_results(main, by, transforms::Varying::kAll);
  for (size_t i = 0; i < varies.size(); ++i) {
    const ir::GraphValue& result = *main.results[i];
    const bool whole = result.kind == ir::GraphValue::Kind::kTensor && is_int(result.dtype);
    if (whole && varies[i]) return cat("result ", i, " has dtype ", dtype_name(result.dtype));
  }
  for (const uint32_t input : program_outputs_->states) {
    // Who reads state after it was written reads a leaf again, and not what was written.
    if (wanted[input]) return cat("the graph writes to input ", input, ", whose gradient is wanted");
  }
  return {};
}

bool Differentiable::meets_leaf(Host& host) {
  const auto asks = [](const Value& constant) { return autograd::requires_grad(*constant); };
  if (std::none_of(program_outputs_->constants.begin(), program_outputs_->constants.end(), asks))
    return false;
  if (!met_leaf_.exchange(true) && !custom()) {
    host.records_each_operator(program_outputs_->module->main().name, kMetLeaf);
  }
  return true;
}

std::vector<ProgramOutputs::Write> Differentiable::recorded_writes(const Derivation::Level& level,
                                                                   const std::vector<bool>& wanted) const {
  std::vector<ProgramOutputs::Write> writes;
  for (const ProgramOutputs::Write& write : program_outputs_->writes) {
    if (level.is_differentiated(write.output) || wanted[write.input]) writes.push_back(write);
  }
  return writes;
}

bool Differentiable::run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, size_t orders) {
  if (meets_leaf(host)) return false;
  const std::vector<bool> wanted = wanted_among(inputs);
  const Ref<Derivation> derivation = derivation_for(wanted, orders, host);
  if (!derivation) return false;
  const Derivation::Level& level = derivation->level(orders);
  const std::vector<ProgramOutputs::Write> writes = recorded_writes(level, wanted);
  for (const ProgramOutputs::Write& write : writes) {
    const Tensor written = tensor_in(inputs[write.input]);
    const autograd::AutogradMeta* meta = autograd::autograd_meta_of(*written);
    // Whether that is an error depends on the path that the run takes.
    if (meta && meta->is_leaf()) return false;
    autograd::require_rewritable(derivation->name(), *written);
  }
  Sources sources = sources_of(inputs, wanted);

  std::vector<Arg> made;
  derivation->forward(orders).run(plain(inputs), made, host);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < level.outputs.size(); ++i) {
    if (level.outputs[i] >= 0) shapes.push_back((*made[i].get<Value>())->shape);
  }
  std::vector<Arg> residuals = taken_residuals(made, program_outputs_->outputs);
  const Ref<autograd::Node> node(new ProgramNode(derivation, orders, std::move(sources.edges),
                                                 std::move(sources.leaves), std::move(shapes),
                                                 std::move(residuals), host.runner()));
  for (uint32_t i = 0; i < program_outputs_->outputs; ++i) {
    if (!level.is_differentiated(i)) continue;
    Tensor tensor = own(made[i]);
    autograd::set_source(*tensor, {node, static_cast<uint32_t>(level.outputs[i])});
    made[i] = Value(std::move(tensor));
  }
  for (const ProgramOutputs::Write& write : writes) {
    autograd::rewrite(*tensor_in(inputs[write.input]), autograd::edge_of(**made[write.output].get<Value>()));
  }
  give(inputs, made, outputs);
  return true;
}

void Differentiable::give(std::span<const Arg> inputs, std::span<const Arg> made,
                          std::vector<Arg>& outputs) const {
  for (const ProgramOutputs::Result& result : program_outputs_->results) {
    Arg given = result.of_input ? inputs[result.index] : made[result.index];
    for (const ProgramOutputs::View& view : result.views) {
      std::vector<Arg> args = view.args;
      args[0] = given;
      given = eager::call_one(*view.op, args);
    }
    outputs.push_back(std::move(given));
  }
}

std::vector<DerivedFigures> Differentiable::figures() const {
  const std::scoped_lock lock(mutex_);
  std::vector<DerivedFigures> all;
  if (met_leaf_) all.emplace_back().refusal = kMetLeaf;
  for (const Entry& entry : entries_) {
    DerivedFigures& figures = all.emplace_back();
    figures.wanted = entry.wanted;
    figures.refusal = entry.refusal;
    if (entry.derivation) entry.derivation->add_figures(figures);
  }
  return all;
}

}  // namespace dyad::program
