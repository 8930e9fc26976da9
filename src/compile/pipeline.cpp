#include <algorithm>

#include "base/progress.h"
#include "codegen/loops/kernel.h"
#include "compile/compile.h"
#include "compile/follow_ups.h"
#include "compile/stages.h"
#include "eager/dispatch.h"
#include "ir/clone.h"
#include "passes/choose_layouts.h"
#include "passes/decompose_operators.h"
#include "passes/drop_gradients.h"
#include "passes/eliminate.h"
#include "passes/fold_batch_norm.h"
#include "passes/fold_constants.h"
#include "passes/fuse.h"
#include "passes/fuse_epilogues.h"
#include "passes/hoist_invariant.h"
#include "passes/hoist_weight_preprocessing.h"
#include "passes/inline_calls.h"
#include "passes/insert_copies.h"
#include "passes/match_attention.h"
#include "passes/pack_weights.h"
#include "passes/reduce_before_reshape.h"
#include "passes/simplify.h"
#include "program/differentiable.h"
#include "program/preprocessed_weights.h"
#include "program/shape_specializations.h"
#include "runtime/context.h"

namespace dyad::compile {

namespace {

/// Generated code, packed operands and planned memory are the CPU's; on another device a graph runs operator
/// by operator.
Options on_chosen_device(Options options) {
  if (Context::process().device().kind == DeviceKind::kCpu) return options;
  options.optimise = false;
  options.plan = false;
  return options;
}

/// Whether some of it was computed inside `no_grad`: a tape that records each operator leaves that out.
bool has_constant_nodes(const ir::Module& module) {
  return std::ranges::any_of(module.functions, [](const auto& function) {
    return std::ranges::any_of(function->nodes, [](const auto& node) { return node->constant; });
  });
}

}  // namespace

Ref<Program> compile(std::shared_ptr<ir::Module> module, const Options& asked, Report* report) {
  eager::initialise();
  const CompilationInProgress progress(module->main().name, "");
  const Options options = on_chosen_device(asked);
  Report own;
  Ref<Program> program;
  Stages stage(*module, options, report ? *report : own);
  Program::Parts parts;
  const auto preparations =
      options.preparations ? options.preparations : std::make_shared<program::Preparations>();
  stage("keep_for_gradients", [&] { parts.differentiable = differentiable_of(*module, options); });
  if (has_constant_nodes(*module)) {
    stage("keep_constants_for_per_operator_runs", [&] {
      parts.unoptimised = ir::clone(*module);
      passes::drop_own_gradients(*parts.unoptimised);
    });
  }
  stage("drop_gradients", [&] { passes::drop_gradients(*module); });
  stage("eliminate_dead_code", [&] { passes::eliminate_dead_code(*module); });
  stage("fold_constants", [&] { passes::fold_constants(*module, eager::builder()); });
  stage("inline_calls", [&] { passes::inline_calls(*module); });
  stage("fold_inlined", [&] { passes::fold_constants(*module, eager::builder()); });
  stage("eliminate_common_subexpressions", [&] { passes::eliminate_common_subexpressions(*module); });
  stage("eliminate_copies", [&] { passes::eliminate_copies(*module); });
  stage("keep_for_sizes",
        [&] { parts.shape_specializations = shape_specializations_of(*module, options, preparations); });
  if (options.optimise) {
    stage("keep_for_per_operator_runs", [&] {
      if (!parts.unoptimised) parts.unoptimised = ir::clone(*module);
    });
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
      if (preparation.module)
        parts.preprocessed_weights = preparations->of(std::move(preparation), options.plan);
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
