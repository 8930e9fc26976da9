#include "ops/reduce/root.h"

#include <limits>

#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(abs, not_equal, pow, sqrt, square, where);

/// The function at every x but 0, where it has the value `at_zero` and no slope.
template <class Function>
Value away_from_zero(const Value& x, double at_zero, const Function& function) {
  const Value away = not_equal(x, 0);
  return where(away, function(where(away, x, 1)), at_zero);
}

}  // namespace

Value safe_sqrt(const Value& x) {
  return away_from_zero(x, 0, [](const Value& safe) { return sqrt(safe); });
}

Value safe_root(const Value& x, double order) {
  if (order == 1) return x;
  if (order == 2) return safe_sqrt(x);
  // The slope of a root of order 1 or less is finite at 0.
  if (order > 0 && order < 1) return pow(x, 1 / order);
  return away_from_zero(x, order > 0 ? 0 : std::numeric_limits<double>::infinity(),
                        [&](const Value& safe) { return pow(safe, 1 / order); });
}

Value magnitude_power(const Value& x, double order) {
  if (order == 1) return abs(x);
  if (order == 2 && !is_complex(x->dtype)) return square(x);
  if (order > 1) return pow(abs(x), order);
  return away_from_zero(abs(x), order > 0 ? 0 : std::numeric_limits<double>::infinity(),
                        [&](const Value& safe) { return pow(safe, order); });
}

}  // namespace dyad
