#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(embed_index, index_gather, minimum);

/// The position of a step in the list: the last one for all steps past the end.
ValueList rate_index(const Value& rates, const Value& step) {
  return index_along(0, minimum(step, rates->shape[0].value() - 1));
}

/// Lists that differ from slice to slice are read as any other tensor is, without the optimizer's name.
void rates_of_slices(const BatchCall& call, ValueList& results) {
  if (!call.mapped(0)) {
    const Arg args[] = {call[0], call[1], call[2]};
    return batch::apply(call, args, results);
  }
  const auto body = [](const Call& slice, ValueList& given) {
    given.push_back(index_gather(slice[0], rate_index(slice.value(0), slice.value(1))));
  };
  batch::compose(call, body, results);
}

}  // namespace

DYAD_OP("rate_of_step(rates: Tensor, step: Tensor, owner: str) -> Tensor")
    .doc(
        "The learning rate that a list holds for a step, counted from 0; the last rate holds for all later "
        "steps. A negative step counts from the end; one before the first rate is an IndexError in the name "
        "of the optimizer, owner.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& rates = args.in(0);
      infer::require_dtype(args, 0, is_float(rates.dtype), "floats");
      infer::require_dtype(args, 1, is_int(args.in(1).dtype), "integers");
      if (rates.rank() != 1)
        value_error(args.op(), ": rates have shape ", rates.shape, "; they must have one dimension");
      results.add(rates.dtype, args.in(1).shape);
    })
    .linear()
    .grad([](GradCall& g) {
      g.set(0, embed_index(g.grad(), g.in(0).shape, rate_index(g.value(0), g.value(1))));
    })
    .batch(rates_of_slices)
    .moves(Movement::kOther)
    .numpy("np.take(rates, np.minimum(step, len(rates) - 1))")
    .samples("call(T(5), V(3, 'int32'), 'SGD')", "call(T(2), I(4, lo=-2, hi=6), 'SGD')",
             "call(strided(T(6)), I(1, hi=3), 'Adam')")
    .rejects("dyad._core.named_op('rate_of_step')(ones(2), ints(1) - 7, 'SGD')", "IndexError",
             "SGD: learning_rate has 2 entries and the step is")
    .rejects("dyad._core.named_op('rate_of_step')(ones(2, 2), ints(1), 'SGD')", "ValueError",
             "they must have one dimension");

}  // namespace dyad
