#pragma once

#include <cstdint>

#include "kernels/scalar/kind.h"
#include "types/dtype.h"

namespace dyad::kernels {

/// Runs an elementwise definition over `count` elements of contiguous operands. `step[i]` is 1, or 0 for an
/// operand that is one number for all elements.
using Loop = void (*)(int64_t count, const void* const* in, const uint8_t* step, void* out);

/// The loops of one scalar definition for one instruction set, by compute dtype; null where it is not
/// defined. Entries are constants in a section of their own: collecting them runs no code, so that a machine
/// without AVX-512 never executes an instruction of that build.
struct LoopEntry {
  const char* name;
  uint8_t instruction_set;  ///< 0 baseline, 1 AVX2, 2 AVX-512
  uint8_t operands;
  LoopKind kind;
  uint8_t cost;  ///< relative to an addition; decides from which size on several cores take part
  Loop loops[kDTypeCount];
};

/// The best instruction set of this machine that the library has code for; `DYAD_ISA_LIMIT` may lower it.
int best_instruction_set();

}  // namespace dyad::kernels
