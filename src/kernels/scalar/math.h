#pragma once

// Elementary functions as branch-free polynomials, so that the compiler can vectorise a loop around them.
// float: within 2 ulp over the whole range (sigmoid 2.5), infinities, NaN and denormals included; double: the
// C library's. The coefficients are minimax fits of the remainder that each comment names.

#include "kernels/scalar/math/error_function.h"
#include "kernels/scalar/math/exponential.h"
#include "kernels/scalar/math/hyperbolic.h"
#include "kernels/scalar/math/logarithm.h"
#include "kernels/scalar/math/normal.h"
#include "kernels/scalar/math/power.h"
#include "kernels/scalar/math/trigonometric.h"
