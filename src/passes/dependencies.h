#pragma once

#include <cstddef>
#include <vector>

#include "passes/memory.h"

namespace dyad::passes {

/// For each of the function's nodes the numbers of those that must come after it: who uses its results, the
/// next one of those with effects, and nodes that write memory that it reads.
std::vector<std::vector<size_t>> successors_of(const ir::Function& function, const ModuleMemory& module);

}  // namespace dyad::passes
