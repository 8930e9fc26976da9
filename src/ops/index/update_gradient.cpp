#include "ops/index/update_gradient.h"

#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(add, cast, cumsum, equal, logical_and, neg, ones_like, reshape, where, zeros_like);

/// The last of several values written to one element stays: only that one has a gradient.
Value gradient_of_written(const GradCall& g, const Places& places) {
  const Value arrived = places.read(g.grad());
  const Value each = reshape(ones_like(arrived, DType::kInt64), Dims{size_of(arrived->shape)});
  const Value numbers = reshape(cumsum(each, 0), arrived->shape);
  const Value last = places.write(zeros_like(g.grad(), DType::kInt64), numbers, "none");
  return where(equal(places.read(last), numbers), arrived, false);
}

/// The product of the other factors: the whole divided by the factor, and where that is the only zero, the
/// product without it.
Value gradient_of_factor(const GradCall& g, const Value& factor, const Places& places) {
  const Value zero = equal(factor, 0);
  const Value zeros = places.write(zeros_like(g.out()), cast(zero, g.out()->dtype), "add");
  const Value alone = logical_and(zero, equal(places.read(zeros), 1));
  const Value others = places.write(g.value(0), where(zero, 1, factor), "mul");
  const Value without = where(alone, places.read(g.grad() * others), false);
  return where(zero, without, places.read(g.grad() * g.out()) / where(zero, 1, factor));
}

/// Equal candidates share the gradient of the extreme.
UpdateGradients gradients_of_extreme(const GradCall& g, const Arg& value, const Places& places) {
  const DType dtype = g.grad()->dtype;
  const Value kept = cast(equal(g.out(), g.value(0)), dtype);
  const Value won = cast(equal(places.read(g.out()), value), dtype);
  const Value share = cast(g.grad() / places.write(kept, won, "add"), dtype);
  return {share * kept, places.read(share) * won};
}

}  // namespace

UpdateGradients update_gradients(const GradCall& g, const std::string& reduction, const Arg& value,
                                 const Places& places) {
  const Value* tensor = value.get<Value>();
  if (reduction == "none") {
    return {places.write(g.grad(), 0, "none"), tensor ? gradient_of_written(g, places) : Value()};
  }
  if (reduction == "add") return {g.grad(), tensor ? places.read(g.grad()) : Value()};
  if (reduction == "sub") return {g.grad(), tensor ? neg(places.read(g.grad())) : Value()};
  if (reduction == "mul") {
    return {places.write(g.grad(), value, "mul"), tensor ? gradient_of_factor(g, *tensor, places) : Value()};
  }
  if (reduction == "div") {
    return {places.write(g.grad(), value, "div"),
            tensor ? neg(places.read(g.grad() * g.out()) / *tensor) : Value()};
  }
  return gradients_of_extreme(g, value, places);
}

}  // namespace dyad
