#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

// Places and orders that are chosen at random among those that are allowed.

namespace dyad {

namespace {

DYAD_USE(arange, argsort, cast, concat, expand_dims, floor_divide, less, narrow, pad_constant, random_uniform,
         reshape, sum, where);

/// The places of `allowed`, one dimension: those that are true first and in random order.
Value shuffled(const Call& call, const Value& allowed, const Arg& seed) {
  const Value drawn = random_uniform(call.builder(), allowed->shape, 0.0, 1.0, DType::kFloat32, seed);
  return argsort(where(allowed, drawn, 2.0));
}

Arg seed_of(const Call& call, size_t at) { return call.integer(at) == 0 ? Arg() : call[at]; }

}  // namespace

DYAD_OP(
    "random_choice_with_mask(input_x: Tensor, count: int=256, seed: int=0, seed2: int=0) -> (Tensor, Tensor)")
    .doc(
        "Random choice of true elements: coordinates of `count` of them, and a mask of the valid rows. If "
        "there are fewer, the other rows are zeros.")
    .formula("input_x[coordinates[k]] is True for each k with mask[k]")
    .arg("input_x", "bools with 1 to 5 dimensions.")
    .arg("count", "how many elements, ≥ 1.")
    .returns("Tuple of int32 coordinates, of shape (count, dimensions), and the mask, of shape (count,).")
    .see("ops.multinomial")
    .hidden()
    .function("choice_with_mask(input_x, count=256, seed=0, seed2=0)")
    .primitive("RandomChoiceWithMask(count=256, seed=0, seed2=0)(input_x)")
    .compose([](const Call& call) -> ValueList {
      const Value& x = call.value(0);
      const int64_t count = call.integer(1);
      infer::require_dtype(call, 0, is_bool(x->dtype), "Bool");
      if (x->rank() < 1 || x->rank() > 5)
        value_error(call.op(), ": input_x has shape ", x->shape, "; need 1 to 5 dimensions");
      if (count < 1) value_error(call.op(), ": count is ", count, "; it must be at least 1");
      const Value allowed = reshape(x, Dims{-1});
      const int64_t size = allowed->shape[0].value();
      const int64_t most = std::min(size, count);
      const Value places = narrow(shuffled(call, allowed, seed_of(call, 2)), 0, 0, most);
      const Value found =
          less(arange(call.builder(), 0, most, 1, DType::kInt64), sum(cast(allowed, DType::kInt64)));
      Value rest = where(found, places, 0);
      ValueList columns;
      for (size_t d = x->shape.size(); d-- > 0;) {
        const int64_t length = x->shape[d].value();
        const Value whole = floor_divide(rest, length);
        columns.insert(columns.begin(), expand_dims(cast(rest - whole * length, DType::kInt32), 1));
        rest = whole;
      }
      const Value rows = concat(columns, 1);
      if (most == count) return {rows, found};
      return {pad_constant(rows, Dims{0, 0}, Dims{count - most, 0}),
              pad_constant(found, Dims{0}, Dims{count - most})};
    })
    .random()
    .no_grad("places are integers")
    .samples("call(V([[True, False], [True, True]], 'bool'), 2)", "call(V([True, False], 'bool'), 4)")
    .rejects("ops.RandomChoiceWithMask()(ones(2))", "TypeError", "accepted are Bool");

DYAD_OP("random_order(n: Tensor, max_length: int=1, pad: int=-1, dtype: dtype=int32) -> Tensor")
    .doc("Random permutation of the numbers 0 to n − 1, followed by `pad` up to `max_length` elements.")
    .formula("out = (π(0), …, π(n − 1), pad, …, pad), P(π) = 1 / n!")
    .arg("n", "how many numbers, an integer tensor of one element.")
    .arg("max_length", "size of the result, ≥ 1.")
    .arg("pad", "value after the permutation.")
    .arg("dtype", "an integer dtype.")
    .returns("Tensor of shape (max_length,).")
    .see("ops.randperm")
    .hidden()
    .primitive("Randperm(max_length=1, pad=-1, dtype=int32)(n)")
    .compose([](const Call& call) {
      const int64_t length = call.integer(1);
      infer::require_dtype(call, 0, is_int(call.in(0).dtype), "integers");
      if (length < 1) value_error(call.op(), ": max_length is ", length, "; it must be at least 1");
      if (call.in(0).rank() > 1 || (call.in(0).rank() == 1 && !(call.in(0).shape[0] == Dim(1))))
        value_error(call.op(), ": n has shape ", call.in(0).shape, "; need one number");
      const Value allowed =
          less(arange(call.builder(), 0, length, 1, DType::kInt64), reshape(call.value(0), Dims{1}));
      return cast(where(allowed, shuffled(call, allowed, Arg()), call[2]), call.dtype(3, DType::kInt32));
    })
    .random()
    .no_grad("the result does not depend on a float tensor")
    .samples("call(V([3], 'int32'), 5)")
    .rejects("ops.Randperm(0)(ints(1))", "ValueError", "max_length is 0");

}  // namespace dyad
