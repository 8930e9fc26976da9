#include "ops/infer.h"
#include "ops/optim/step.h"

namespace dyad {

DYAD_OP("rate_of_step(rates: Tensor, step: Tensor, owner: str) -> Tensor")
    .doc(
        "The learning rate that a list holds for a step, counted from 0. A step that the list does not reach "
        "is an "
        "IndexError in the name of the optimiser, owner.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& rates = args.in(0);
      infer::require_dtype(args, 0, is_float(rates.dtype), "floats");
      infer::require_dtype(args, 1, is_int(args.in(1).dtype), "integers");
      if (rates.rank() != 1)
        value_error(args.op(), ": rates have shape ", rates.shape, "; they must have one dimension");
      results.add(rates.dtype, args.in(1).shape);
    })
    .no_grad(optim::kNoGradient)
    .moves(Movement::kOther)
    .numpy("np.take(rates, step)")
    .samples("call(T(5), V(3, 'int32'), 'SGD')", "call(strided(T(6)), I(1, hi=3), 'Adam')")
    .rejects("dyad._core.named_op('rate_of_step')(ones(2), ints(1) + 7, 'SGD')", "IndexError",
             "SGD: learning_rate lists 2 rates, and this is step")
    .rejects("dyad._core.named_op('rate_of_step')(ones(2, 2), ints(1), 'SGD')", "ValueError",
             "they must have one dimension");

}  // namespace dyad
