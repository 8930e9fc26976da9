#pragma once

#include <span>
#include <vector>

#include "codegen/loops/loop.h"

namespace dyad::codegen {

/// Code for each loop: what this process has compiled before, else from the store on disk, else compiled now
/// on all cores. It stays for as long as the process lives. Null where there is no code generator.
std::vector<LoopFunction> code_for(std::span<const Loop* const> loops);

}  // namespace dyad::codegen
