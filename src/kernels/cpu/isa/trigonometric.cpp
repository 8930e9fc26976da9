#include "kernels/cpu/isa_loops.h"

#include "kernels/scalar/trigonometric.h"
