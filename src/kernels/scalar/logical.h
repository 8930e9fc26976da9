#pragma once

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_LOGICAL_1(logical_not) { return !x; }
DYAD_LOGICAL_2(logical_and) { return a & b; }
DYAD_LOGICAL_2(logical_or) { return a | b; }
DYAD_LOGICAL_2(logical_xor) { return a != b; }

DYAD_SELECT_3(where) { return condition ? a : b; }

}  // namespace dyad::kernels::DYAD_ISA
