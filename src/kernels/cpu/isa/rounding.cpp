#include "kernels/cpu/isa_loops.h"

#include "kernels/scalar/rounding.h"
