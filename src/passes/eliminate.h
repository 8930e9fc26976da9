#pragma once

#include "ir/graph.h"

namespace dyad::passes {

// Each of these takes away what a program does not need.

/// Lets one node stand for all later ones of the same function with the same operator and equal arguments.
/// Values that are written, given as results or shown to the host stay apart, for each has memory of its own.
void eliminate_common_subexpressions(ir::Module& module);

/// Lets what was copied stand for its copy, where both are the same to the program: neither is written or
/// shown to the host, and at most one of them leaves the function. What is a view, or may be, is left alone:
/// its copy lies in order.
void eliminate_copies(ir::Module& module);

/// Drops nodes whose results have no users, unless they act otherwise (`effects.h`), parameters that a
/// function does not use, unused results of calls and arms, and functions without callers. The parameters and
/// results of the main function stay, as do results that make sizes known.
void eliminate_dead_code(ir::Module& module);

/// Drops the functions that neither the main one nor any that it calls runs.
void eliminate_dead_functions(ir::Module& module);

}  // namespace dyad::passes
