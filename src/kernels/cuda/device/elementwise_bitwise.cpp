#include "kernels/cuda/device/elementwise.h"

#include "kernels/scalar/bitwise.h"
