#include "kernels/cuda/device/elementwise.h"

#include "kernels/scalar/arithmetic.h"
