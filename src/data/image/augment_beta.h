#pragma once

#include "data/rows/random.h"

namespace dyad::data {

/// A number in [0, 1] with the Beta distribution of these parameters, both above 0.
double drawn_beta(double a, double b, Random& random);

}  // namespace dyad::data
