#include <algorithm>
#include <cmath>

#include "kernels/cpu/factorizations.h"

namespace dyad::kernels {

std::vector<double> factor_reflections(Matrix& a) {
  std::vector<double> factors(static_cast<size_t>(std::min(a.rows, a.columns)));
  for (int64_t k = 0; k < std::min(a.rows - 1, a.columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < a.rows; ++i) below += a(i, k) * a(i, k);
    if (below == 0) continue;
    const double first = a(k, k);
    const double length = std::sqrt(first * first + below);
    const double turned = first > 0 ? -length : length;
    const double factor = (turned - first) / turned;
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= first - turned;
    a(k, k) = turned;
    for (int64_t j = k + 1; j < a.columns; ++j) {
      double along = a(k, j);
      for (int64_t i = k + 1; i < a.rows; ++i) along += a(i, k) * a(i, j);
      a(k, j) -= factor * along;
      for (int64_t i = k + 1; i < a.rows; ++i) a(i, j) -= factor * along * a(i, k);
    }
    factors[static_cast<size_t>(k)] = factor;
  }
  return factors;
}

}  // namespace dyad::kernels
