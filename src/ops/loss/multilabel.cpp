#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"

namespace dyad {

namespace {

DYAD_USE(cast, cumprod, expand_dims, gather_elements, greater, greater_equal, logical_and, logical_not, relu,
         reshape, scatter_elements, sum, where, zeros);

/// Loss of (input, target, reduction), and 1 for each class among the labels. Labels of a sample end at the
/// first negative entry; every label should exceed every other class by 1.
ValueList multilabel_margin(const Call& call) {
  const ValueImpl& input = call.in(0);
  if (input.rank() < 1 || input.rank() > 2 || !(input.shape == call.in(1).shape)) {
    value_error(call.op(), ": input has shape ", input.shape, " and target ", call.in(1).shape,
                "; both must have the same shape, (C,) or (N, C)");
  }
  infer::require_dtype(call, 0, is_float(input.dtype), "floating dtypes");
  infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes");
  const Dim classes = input.shape.back();
  const Dim samples = input.rank() == 2 ? input.shape[0] : Dim(1);
  const Dims matrix{samples, classes};
  const Value scores = reshape(call.value(0), matrix);
  const Value target = reshape(cast(call.value(1), DType::kInt64), matrix);
  const Value listed = greater(cumprod(cast(greater_equal(target, 0), DType::kInt64), 1), 0);
  const Value label = where(listed, target, 0);
  // A count per class, so that entries past the end add nothing to class 0.
  const Value marked = scatter_elements(zeros(call.builder(), matrix, DType::kInt64), 1, label,
                                        cast(listed, DType::kInt64), "add");
  const Value others = logical_not(greater(marked, 0));
  const Value ahead = expand_dims(gather_elements(scores, 1, label), 2) - expand_dims(scores, 1);
  const Value short_of = relu(1.0 - ahead);
  const Value counts = logical_and(expand_dims(listed, 2), expand_dims(others, 1));
  const Value loss = sum(where(counts, short_of, 0.0), Dims{1, 2}) / classes.value();
  const Value reduced = loss::reduce(call, input.rank() == 2 ? loss : reshape(loss, Dims{}), 2);
  return {reduced, reshape(cast(greater(marked, 0), call.in(1).dtype), input.shape)};
}

}  // namespace

DYAD_OP("multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str='mean') -> Tensor")
    .doc("Multilabel margin loss. The labels of a sample end at the first −1.")
    .formula(
        "loss[n] = 1/C · Σ over labels t, classes c that are no labels of max(0, 1 − (input[n, t] − input[n, "
        "c]))")
    .arg("input", "scores, floats of shape (C,) or (N, C).")
    .arg("target", "labels, integers of the shape of `input`, filled up with −1.")
    .see("nn.MultilabelMarginLoss")
    .compose_wide([](const Call& call) { return multilabel_margin(call)[0]; })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.multilabel_margin(input, target), reduction)")
    .samples("call(T(2, 4), V([[1, 2, 0, 3], [2, 3, -1, 1]], 'int32'))",
             "call(T(2, 4), V([[1, -1, 0, 3], [2, 3, -1, 1]], 'int64'), 'none')",
             "call(T(4), V([3, 0, -1, 1], 'int64'), 'sum')")
    .rejects("ops.multilabel_margin_loss(ones(2, 3), ints(2, 4))", "ValueError",
             "both must have the same shape");

DYAD_OP(
    "multilabel_margin_loss_with_labels(x: Tensor, target: Tensor, reduction: str='mean') -> (Tensor, "
    "Tensor)")
    .hidden()
    .doc("Multilabel margin loss, with a mask of the classes that are labels.")
    .formula(
        "loss[n] = 1/C · Σ over labels t, classes c that are no labels of max(0, 1 − (x[n, t] − x[n, c]))")
    .arg("x", "scores, floats of shape (C,) or (N, C).")
    .arg("target", "labels, integers of the shape of `x`, filled up with −1.")
    .returns("Tuple of the loss and the mask: 1 for labels, 0 for others.")
    .see("ops.multilabel_margin_loss")
    .primitive("MultilabelMarginLoss(reduction='mean')(x, target)")
    .compose_wide([](const Call& call) { return multilabel_margin(call); })
    .autocast(Autocast::kFloat32)
    .numpy("(ref.reduction(ref.multilabel_margin(x, target), reduction), ref.multilabel_classes(target))")
    .samples("call(T(2, 4), V([[1, 2, 0, 3], [2, 3, -1, 1]], 'int32'))",
             "call(T(4), V([3, 0, -1, 1], 'int64'), 'sum')")
    .rejects("ops.MultilabelMarginLoss()(ones(2, 3), ints(2, 4))", "ValueError",
             "both must have the same shape");

}  // namespace dyad
