#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Drops the functions that neither the main one nor any that it calls runs.
void eliminate_dead_functions(ir::Module& module);

}  // namespace dyad::passes
