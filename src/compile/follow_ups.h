#pragma once

#include "compile/compile.h"

namespace dyad::compile {

/// What a tape needs to record runs of the captured graph as one step; null where nothing is differentiated.
/// Forwards and backwards are compiled with the same options.
std::unique_ptr<program::Differentiable> differentiable_of(const ir::Module& module, const Options& options);

/// What compiles the graph anew for the sizes of a run, with the same options; null where its sizes are
/// known.
std::unique_ptr<program::ShapeSpecializations> shape_specializations_of(
    const ir::Module& module, const Options& options, std::shared_ptr<program::Preparations> preparations);

}  // namespace dyad::compile
