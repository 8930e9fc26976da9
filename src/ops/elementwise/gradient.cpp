#include "ops/elementwise/gradient.h"

namespace dyad {

namespace {
DYAD_USE(sum_to, cast, conjugate);
}  // namespace

bool takes_gradient(const GradCall& g, size_t i) { return g.is_value(i) && g.needs(i); }

void set_reduced(GradCall& g, size_t i, const Value& gradient) {
  const Value& like = g.value(i);
  Value reduced = gradient->shape == like->shape ? gradient : sum_to(gradient, like);
  const bool inexact = is_float(like->dtype) || is_complex(like->dtype);
  g.set(i, reduced->dtype == like->dtype || !inexact ? reduced : cast(reduced, like->dtype));
}

Arg conjugated(const Arg& x) {
  if (auto* value = x.get<Value>()) return is_complex((*value)->dtype) ? conjugate(*value) : *value;
  if (auto* number = x.get<Scalar>(); number && number->kind() == Scalar::Kind::kComplex) {
    return Scalar(std::conj(number->to_complex()));
  }
  return x;
}

}  // namespace dyad
