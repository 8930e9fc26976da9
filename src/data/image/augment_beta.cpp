#include "data/image/augment_beta.h"

#include <cmath>

namespace dyad::data {

namespace {

/// The logarithm of a number with the Gamma distribution of this shape, by the rejection of Marsaglia and
/// Tsang. The logarithm, since for small shapes the number itself is too small to be held.
double log_gamma_draw(double shape, Random& random) {
  if (shape < 1) return log_gamma_draw(shape + 1, random) + std::log(1 - random.uniform()) / shape;
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - random.uniform();
    if (std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) return std::log(d * v);
  }
}

}  // namespace

double drawn_beta(double a, double b, Random& random) {
  const double first = log_gamma_draw(a, random);
  const double second = log_gamma_draw(b, random);
  return 1 / (1 + std::exp(second - first));
}

}  // namespace dyad::data
