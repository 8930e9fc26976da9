#pragma once

// Every scalar definition on numbers that are not complex, for who turns them into something: code that is
// inlined into generated loops, a table of what there is.

#include "kernels/scalar/activation.h"
#include "kernels/scalar/arithmetic.h"
#include "kernels/scalar/bitwise.h"
#include "kernels/scalar/comparison.h"
#include "kernels/scalar/division.h"
#include "kernels/scalar/exponential.h"
#include "kernels/scalar/logical.h"
#include "kernels/scalar/loss.h"
#include "kernels/scalar/magnitude.h"
#include "kernels/scalar/power.h"
#include "kernels/scalar/rounding.h"
#include "kernels/scalar/special.h"
#include "kernels/scalar/trigonometric.h"
