#include "ops/reduce/scan_gradient.h"

#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(broadcast_to, cast, cumprod, exp, expand_dims, flip, log, logcumsumexp, maximum, not_equal,
         ones_like, relu, sum, swapaxes, triangle, where, zeros_like, weighed_scan);

/// The scan of terms that are not negative. It is formed from logarithms, because exp(input) and exp(-result)
/// overflow where their product does not.
Value scan_of_positive(const Call& call, const Value& values) {
  if (call.in(0).rank() == 0) return values * exp(call.value(1) - call.value(2));
  const DType dtype = call.in(0).dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const double least =
      dtype == DType::kFloat64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Value terms = log(maximum(cast(values, dtype), least));
  const Value input = cast(call.value(1), dtype);
  const Value result = cast(call.value(2), dtype);
  const Dims axis{call.integer(3)};
  const Value sums = call.flag(4) ? flip(logcumsumexp(flip(terms - result, axis), call[3]), axis) + input
                                  : logcumsumexp(terms + input, call[3]) - result;
  return cast(exp(sums), call.in(0).dtype);
}

}  // namespace

Value running_product_gradient(const Call& call) {
  const Value& gradient = call.value(0);
  const Value& input = call.value(1);
  const bool exclusive = call.flag(3);
  const bool reverse = call.flag(4);
  if (input->rank() == 0) return exclusive ? zeros_like(gradient) : gradient;
  const int64_t axis = call.integer(2);
  // Row i of each square holds all factors but the one at i.
  Shape square = swapaxes(input, axis, -1)->shape;
  square.insert(square.size() - 1, square.back());
  const Value factors = broadcast_to(expand_dims(swapaxes(input, axis, -1), -2), square);
  const Value diagonal = triangle(triangle(ones_like(factors)), 0, true);
  const Value products = cumprod(where(not_equal(diagonal, 0), 1, factors), -1, exclusive, reverse);
  const Value terms = products * expand_dims(swapaxes(gradient, axis, -1), -2);
  const int64_t first = exclusive ? 1 : 0;
  const Value reached = triangle(terms, reverse ? -first : first, !reverse);
  return swapaxes(sum(reached, Dims{-1}), axis, -1);
}

DYAD_OP(
    "weighed_scan(values: Tensor, input: Tensor, result: Tensor, axis: int, reverse: bool=False) -> Tensor")
    .doc(
        "Running sums of values[i] exp(input[i] - result[k]) over the i up to k or, in `reverse`, of "
        "values[k] exp(input[i] - result[k]) over the k from i on.")
    .hidden()
    .compose([](const Call& call) {
      return scan_of_positive(call, relu(call.value(0))) - scan_of_positive(call, relu(-call.value(0)));
    })
    // The sums are linear in the values, and each direction is the adjoint of the other.
    .grad([](GradCall& g) {
      const bool reverse = g.flag(4);
      const Value back = weighed_scan(g.grad(), g[1], g[2], g[3], !reverse);
      g.set(0, back);
      g.set(1, reverse ? g.grad() * g.out() : g.value(0) * back);
      g.set(2, -(reverse ? g.value(0) * back : g.grad() * g.out()));
    })
    .numpy("ref.weighed_scan(values, input, result, axis, reverse)")
    .samples("call(T(2, 5), T(2, 5), T(2, 5), 1)", "call(T(4, 3), T(4, 3), T(4, 3), 0, True)",
             "call(V([1.0, 0.0, -2.0], 'float32'), T(3), T(3), -1, dtypes='float')",
             "call(V([1.0, 0.0, -2.0], 'float32'), T(3), T(3), -1, True)", "call(T(), T(), T(), 0)")
    .rejects("dyad._core.named_op('weighed_scan')(ones(2), ones(2), ones(2), 1)", "ValueError", "axis 1");

}  // namespace dyad
