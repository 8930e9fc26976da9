#pragma once

#include <memory>
#include <vector>

#include "ir/graph.h"

namespace dyad::passes {

/// What a program computes from Parameters alone.
struct Preparation {
  std::shared_ptr<ir::Module> module;  ///< from the sources to the prepared values; null if there are none
  std::vector<uint32_t> sources;       ///< the parameters of the main function that it takes, in order
};

/// Takes out of the main function what depends on nothing but state that is not written while the program
/// runs: weights in another order or layout, batch normalisation folded into them. The main function gets a
/// parameter for each value so prepared, after its own. A run of the program computes them once and again
/// when a source has changed. Views, and what needs many times the memory of its sources, stay where they
/// are; so does whatever may raise or draws random numbers.
Preparation hoist_weight_preprocessing(ir::Module& module);

}  // namespace dyad::passes
