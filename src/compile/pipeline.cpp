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
  // A tape differentiates the graph as it was captured, with the marks that drop_gradients removes.
  stage("keep_for_gradients", [&] { parts.differentiable = differentiable_of(*module, options); });
  if (has_constant_nodes(*module)) {
    // Before drop_gradients, which removes the marks of what was computed inside no_grad.
    stage("keep_constants_for_per_operator_runs", [&] {
      parts.unoptimised = ir::clone(*module);
      passes::drop_own_gradients(*parts.unoptimised);
    });
  }
  // Gradients that nobody asks for would keep functions and values alive in every later stage.
  stage("drop_gradients", [&] { passes::drop_gradients(*module); });
  // Later stages do not spend time on unused nodes.
  stage("eliminate_dead_code", [&] { passes::eliminate_dead_code(*module); });
  // Before inlining: a known condition leaves one branch to write out.
  stage("fold_constants", [&] { passes::fold_constants(*module, eager::builder()); });
  // The other stages look at one function at a time.
  stage("inline_calls", [&] { passes::inline_calls(*module); });
  // Arguments of inlined calls may be constants.
  stage("fold_inlined", [&] { passes::fold_constants(*module, eager::builder()); });
  // Inlined calls repeat what their callers compute.
  stage("eliminate_common_subexpressions", [&] { passes::eliminate_common_subexpressions(*module); });
  // Copies separate equal values, which the rewrites below match.
  stage("eliminate_copies", [&] { passes::eliminate_copies(*module); });
  // After everything that holds for any size, so that each set of sizes starts from here.
  stage("keep_for_sizes",
        [&] { parts.shape_specializations = shape_specializations_of(*module, options, preparations); });
  if (options.optimise) {
    // Before the rewrites whose results are not operators that a tape records one by one.
    stage("keep_for_per_operator_runs", [&] {
      if (!parts.unoptimised) parts.unoptimised = ir::clone(*module);
    });
    // First, for less work leaves less to match; it may insert copies.
    stage("simplify", [&] { passes::simplify(*module); });
    // While convolutions have their usual layout, which choose_layouts changes.
    stage("fold_batch_norm", [&] { passes::fold_batch_norm(*module); });
    // Before layouts are chosen and weights are packed, so that loops do neither in each iteration.
    stage("hoist_invariant", [&] { passes::hoist_invariant(*module); });
    // Before the fusions: they match the operators of the chosen layout.
    stage("choose_layouts", [&] { passes::choose_layouts(*module); });
    // simplify and choose_layouts leave equal nodes.
    stage("cse_simplified", [&] { passes::eliminate_common_subexpressions(*module); });
    // simplify leaves copies.
    stage("eliminate_simplified_copies", [&] { passes::eliminate_copies(*module); });
    // Before products become dense panels or get epilogues, which no longer match.
    stage("match_attention", [&] { passes::match_attention(*module); });
    // A value of the scores that is left would count as another user of its inputs.
    stage("eliminate_matched", [&] { passes::eliminate_dead_code(*module); });
    // After choose_layouts: only normalization with channels last takes epilogues.
    stage("fuse_norm_epilogues", [&] { passes::fuse_norm_epilogues(*module); });
    // Before product epilogues, which differ for packed products.
    stage("pack_weights", [&] { passes::pack_weights(*module); });
    // Before fuse, which would take the elementwise operators.
    stage("fuse_product_epilogues", [&] { passes::fuse_product_epilogues(*module); });
    // After all stages that compute something of weights alone: folding, layouts, packing.
    stage("hoist_weight_preprocessing", [&] {
      auto preparation = passes::hoist_weight_preprocessing(*module);
      if (preparation.module)
        parts.preprocessed_weights = preparations->of(std::move(preparation), options.plan);
      passes::eliminate_dead_code(*module);
    });
  }
  if (options.optimise && codegen::available()) {
    // Directly before the stages that fuse its results; the operators alone would be slower.
    stage("decompose_operators", [&] { passes::decompose_operators(*module); });
    // Before fuse: a reshape would separate a reduction from its producer.
    stage("reduce_before_reshape", [&] { passes::reduce_before_reshape(*module); });
    // Last of the rewrites: no other stage looks into a fused function.
    stage("fuse", [&] { passes::fuse(*module); });
  }
  // No stage below removes nodes.
  stage("eliminate_leftover", [&] { passes::eliminate_dead_code(*module); });
  stage.old_versions = ir::OldVersions::kUnused;
  // After all rewrites, when it is known which old versions are used after a write.
  stage("insert_copies", [&] { passes::insert_copies(*module); });
  // Memory and steps follow from the final order of nodes.
  stage("plan", [&] { program = Ref<Program>(new Program(module, options.plan, std::move(parts))); });
  return program;
}

}  // namespace dyad::compile
