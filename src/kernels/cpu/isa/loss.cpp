#include "kernels/cpu/isa_loops.h"

#include "kernels/scalar/loss.h"
