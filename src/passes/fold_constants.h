#pragma once

#include "ir/builder.h"
#include "ir/graph.h"

namespace dyad::passes {

/// Computes now what does not depend on the inputs: operators on numbers, sizes, and operators on constants,
/// which `runner` runs. What raises stays for the run, where it raises if the program comes that far.
void fold_constants(ir::Module& module, Builder& runner);

}  // namespace dyad::passes
