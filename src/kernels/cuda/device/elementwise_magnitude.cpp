#include "kernels/cuda/device/elementwise.h"

#include "kernels/scalar/magnitude.h"
