#include "ops/loss/class_loss_batch.h"

#include "ops/batch.h"
#include "ops/call.h"

namespace dyad::batch {

namespace {

DYAD_USE(cast, index_select, not_equal, reshape, sum, where, zeros_like);

constexpr size_t kReduction = 4;

Dim examples_of(const Value& whole) { return whole->shape[0] * whole->shape[1]; }

/// (slices, examples, …) with all examples in one row.
Value as_examples(const Value& whole) {
  Shape shape{examples_of(whole)};
  for (size_t d = 2; d < whole->shape.size(); ++d) shape.push_back(whole->shape[d]);
  return reshape(whole, shape);
}

Dims all_but_first(const Value& whole) {
  Dims axes;
  for (int64_t d = 1; d < whole->rank(); ++d) axes.push_back(d);
  return axes;
}

Value sum_of_slice(const Value& whole) {
  return whole->rank() == 1 ? whole : sum(whole, all_but_first(whole));
}

/// The weight of each position's class, 0 for one that is ignored.
Value weights_of(const BatchCall& call, const Value& target, DType dtype) {
  const Value counted = not_equal(target, call[3]);
  if (!call.has(2)) return cast(counted, dtype);
  const Value safe = where(counted, target, zeros_like(target));
  const Value own = reshape(index_select(call[2], 0, reshape(safe, Dims{-1})), target->shape);
  return cast(own, dtype) * cast(counted, dtype);
}

}  // namespace

void class_loss(const BatchCall& call, ValueList& results) {
  if (call.mapped(2)) return slice_by_slice(call, results);
  const Value input = whole(call, 0);
  const Value target = whole(call, 1);
  const bool single = slice_rank(call, 0) == 1;  // one example for each slice
  std::vector<Arg> args = wholes(call);
  args[0] = single ? input : as_examples(input);
  args[1] = single ? target : as_examples(target);
  args[2] = call[2];
  args[kReduction] = "none";
  ValueList made;
  apply(call, args, made);
  const std::vector<ResultSpec> specs = slice_results(call);
  const Value losses = reshape(made[0], target->shape);
  const Value total = sum_of_slice(weights_of(call, target, specs[2].dtype));
  Value loss = losses;
  if (call.text(kReduction) != "none") loss = sum_of_slice(loss);
  if (call.text(kReduction) == "mean") loss = loss / cast(total, loss->dtype);
  results = {loss, reshape(made[1], target->shape), total};
}

void distribution_loss(const BatchCall& call, ValueList& results) {
  if (slice_rank(call, 0) == 1) return leading(call, results);
  folded<0, 1>(call, results);
}

}  // namespace dyad::batch
