#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "codegen/loops/kernel.h"
#include "compile/compile.h"
#include "eager/dispatch.h"
#include "ir/clone.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "passes/choose_layouts.h"
#include "passes/decompose_operators.h"
#include "passes/drop_gradients.h"
#include "passes/eliminate_common_subexpressions.h"
#include "passes/eliminate_copies.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fold_batch_norm.h"
#include "passes/fold_constants.h"
#include "passes/fuse.h"
#include "passes/fuse_norm_epilogues.h"
#include "passes/fuse_product_epilogues.h"
#include "passes/hoist_invariant.h"
#include "passes/hoist_weight_preprocessing.h"
#include "passes/inline_calls.h"
#include "passes/insert_copies.h"
#include "passes/match_attention.h"
#include "passes/pack_weights.h"
#include "passes/reduce_before_reshape.h"
#include "passes/simplify.h"
#include "program/differentiable.h"
#include "program/instances.h"
#include "program/prepared.h"

namespace dyad::compile {

namespace {

/// Debug builds check the graph after every stage; others do where `DYAD_VERIFY=1` asks for it, as the tests
/// do.
bool always_verifies() {
#ifdef NDEBUG
  static const bool asked = [] {
    const char* wanted = std::getenv("DYAD_VERIFY");
    return wanted && std::string_view(wanted) == "1";
  }();
  return asked;
#else
  return true;
#endif
}

size_t count_nodes(const ir::Module& module) {
  size_t count = 0;
  for (const auto& function : module.functions) count += function->nodes.size();
  return count;
}

bool has_inputs_to_differentiate(const ir::Module& module) {
  const auto& params = module.main().params;
  return std::any_of(params.begin(), params.end(), [](const ir::GraphValueRef& param) {
    const bool is_tensor = param->kind == ir::GraphValue::Kind::kTensor;
    return is_tensor && (is_float(param->dtype) || is_complex(param->dtype));
  });
}

/// Compiles what follows from a program as that was compiled; nobody looks at the stages.
class SameOptions final : public program::Compiler {
 public:
  explicit SameOptions(Options options) : options_(std::move(options)) { options_.dump = nullptr; }

  Ref<Program> compile(std::shared_ptr<ir::Module> graph, bool differentiable) const override {
    Options options = options_;
    options.differentiable = differentiable;
    return compile::compile(std::move(graph), options);
  }

 private:
  Options options_;
};

/// What a tape needs to record runs of the captured graph as one step; null where nothing is differentiated.
std::unique_ptr<program::Differentiable> differentiable_of(const ir::Module& module, const Options& options) {
  if (!options.differentiable || !has_inputs_to_differentiate(module)) return nullptr;
  Options own = options;
  own.verify = false;
  return std::make_unique<program::Differentiable>(ir::clone(module),
                                                   std::make_shared<SameOptions>(std::move(own)));
}

/// What compiles the graph anew for the sizes of a run; null where its sizes are known.
std::unique_ptr<program::Instances> instances_of(const ir::Module& module, const Options& options,
                                                 std::shared_ptr<program::Preparations> preparations) {
  if (!options.plan || !program::Instances::has_symbolic_dims(module)) return nullptr;
  Options own = options;
  own.preparations = std::move(preparations);
  return std::make_unique<program::Instances>(ir::clone(module),
                                              std::make_shared<SameOptions>(std::move(own)));
}

/// Carries out the stages one after the other, and keeps the books.
class Stages {
 public:
  Stages(ir::Module& module, const Options& options, Report& report)
      : module_(module), options_(options), report_(report) {
    report_.nodes_before = count_nodes(module);
    show("captured");
  }

  template <class Action>
  void operator()(const char* name, const Action& action) {
    const auto start = std::chrono::steady_clock::now();
    action();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    report_.nodes_after = count_nodes(module_);
    report_.stages.push_back({name, took.count(), report_.nodes_after});
    if (always_verifies() || options_.verify) ir::verify(module_, old_versions);
    show(name);
  }

  /// Until copies are made of them.
  ir::OldVersions old_versions = ir::OldVersions::kUsed;

 private:
  void show(const char* name) {
    if (options_.dump) options_.dump(number_++, name, ir::print(module_));
  }

  ir::Module& module_;
  const Options& options_;
  Report& report_;
  int number_ = 0;
};

}  // namespace

Ref<Program> compile(std::shared_ptr<ir::Module> module, const Options& options, Report* report) {
  eager::initialise();
  Report own;
  Ref<Program> program;
  Stages stage(*module, options, report ? *report : own);
  Program::Parts parts;
  const auto preparations =
      options.preparations ? options.preparations : std::make_shared<program::Preparations>();
  stage("keep_for_gradients", [&] { parts.differentiable = differentiable_of(*module, options); });
  stage("drop_gradients", [&] { passes::drop_gradients(*module); });
  stage("eliminate_dead_code", [&] { passes::eliminate_dead_code(*module); });
  stage("fold_constants", [&] { passes::fold_constants(*module, eager::builder()); });
  stage("inline_calls", [&] { passes::inline_calls(*module); });
  stage("fold_inlined", [&] { passes::fold_constants(*module, eager::builder()); });
  stage("eliminate_common_subexpressions", [&] { passes::eliminate_common_subexpressions(*module); });
  stage("eliminate_copies", [&] { passes::eliminate_copies(*module); });
  stage("keep_for_sizes", [&] { parts.instances = instances_of(*module, options, preparations); });
  if (options.optimise) {
    stage("keep_for_per_operator_runs", [&] { parts.unoptimised = ir::clone(*module); });
    stage("simplify", [&] { passes::simplify(*module); });
    stage("fold_batch_norm", [&] { passes::fold_batch_norm(*module); });
    stage("hoist_invariant", [&] { passes::hoist_invariant(*module); });
    stage("choose_layouts", [&] { passes::choose_layouts(*module); });
    stage("cse_simplified", [&] { passes::eliminate_common_subexpressions(*module); });
    stage("eliminate_simplified_copies", [&] { passes::eliminate_copies(*module); });
    stage("match_attention", [&] { passes::match_attention(*module); });
    stage("eliminate_matched", [&] { passes::eliminate_dead_code(*module); });
    stage("fuse_norm_epilogues", [&] { passes::fuse_norm_epilogues(*module); });
    stage("pack_weights", [&] { passes::pack_weights(*module); });
    stage("fuse_product_epilogues", [&] { passes::fuse_product_epilogues(*module); });
    stage("hoist_weight_preprocessing", [&] {
      auto preparation = passes::hoist_weight_preprocessing(*module);
      if (preparation.module) parts.prepared = preparations->of(std::move(preparation), options.plan);
      passes::eliminate_dead_code(*module);
    });
  }
  if (options.optimise && codegen::available()) {
    stage("decompose_operators", [&] { passes::decompose_operators(*module); });
    stage("reduce_before_reshape", [&] { passes::reduce_before_reshape(*module); });
    stage("fuse", [&] { passes::fuse(*module); });
  }
  stage("eliminate_leftover", [&] { passes::eliminate_dead_code(*module); });
  stage.old_versions = ir::OldVersions::kUnused;
  stage("insert_copies", [&] { passes::insert_copies(*module); });
  stage("plan", [&] { program = Ref<Program>(new Program(module, options.plan, std::move(parts))); });
  return program;
}

}  // namespace dyad::compile
