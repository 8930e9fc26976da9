#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"

namespace dyad {

namespace {

DYAD_USE(cast, cumsum, equal, expand_dims, gather_elements, index_select, mean, ones_like, relu);

/// 1 where the class is the sample's own and 0 elsewhere: input (N, C), class indices (N).
Value marks_of(const Call& call) {
  const Value numbers = cumsum(ones_like(call[0]), 1) - 1.0;
  return cast(equal(numbers, expand_dims(call[1], 1)), call.in(0).dtype);
}

}  // namespace

DYAD_OP(
    "multi_margin_loss(input: Tensor, target: Tensor, p: int=1, margin: float=1.0, weight: Tensor?=None, "
    "reduction: str='mean') -> Tensor")
    .doc("Multi-class margin loss (multi-class hinge loss).")
    .formula(
        "loss[n] = 1/C · Σ over c ≠ t of weight[t] · max(0, margin − input[n, t] + input[n, c])ᵖ, t = "
        "target[n]")
    .arg("input", "scores, floats of shape (N, C).")
    .arg("target", "class indices, integers of shape (N,).")
    .arg("p", "1 or 2.")
    .arg("margin", "lead of the target class from which on the loss is 0.")
    .arg("weight", "factor of each class, of shape (C,); None: 1.")
    .see("nn.MultiMarginLoss")
    .primitive("MultiMarginLoss(p=1, margin=1.0, reduction='mean')(x:input, target, weight=None)")
    .compose_wide([](const Call& call) {
      infer::require_rank(call, 0, 2, "input");
      loss::require_class_indices(call, 0, 1);
      loss::require_class_weight(call, 0, 4);
      if (call.integer(2) != 1 && call.integer(2) != 2)
        value_error(call.op(), ": p is ", call.integer(2), "; it must be 1 or 2");
      const Value column = expand_dims(call[1], 1);
      const Value own = gather_elements(call[0], 1, column);
      Value hinge = relu(call.value(0) - own + call.real(3));
      if (call.integer(2) == 2) hinge = hinge * hinge;
      if (call.has(4)) hinge = hinge * expand_dims(index_select(call[4], 0, call[1]), 1);
      return loss::reduce(call, mean(hinge * (1.0 - marks_of(call)), Dims{1}), 5);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.multi_margin(input, target, p, margin, weight), reduction)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5))",
             "call(T(4, 5), I(4, lo=0, hi=5), 2, 0.5, T(5, lo=0.5, hi=2), 'none')")
    .rejects("ops.multi_margin_loss(ones(2, 3), ints(2), 3)", "ValueError",
             "multi_margin_loss: p is 3; it must be 1 or 2");

}  // namespace dyad
