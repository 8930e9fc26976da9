#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"

namespace dyad {

namespace {

DYAD_USE(cast, class_loss, cumsum, distribution_loss, equal, expand_dims, ones_like, reshape, softmax, sum);

/// 1 where the class is the sample's own and 0 elsewhere: input (N, C), class indices (N).
Value marks_of(const Call& call) {
  const Value numbers = cumsum(ones_like(call[0]), 1) - 1.0;
  return cast(equal(numbers, expand_dims(call[1], 1)), call.in(0).dtype);
}

void require_smoothing(const Call& call, double smoothing) {
  if (!(smoothing >= 0 && smoothing <= 1)) {
    value_error(call.op(), ": label_smoothing is ", smoothing, "; it must lie in 0 to 1");
  }
}

/// (input, target, weight, ignore_index, reduction, label_smoothing) with a distribution over the classes as
/// target. Smoothing and weights are put into the target.
Value with_distribution(const Call& call) {
  loss::require_same_shape(call, 0, 1);
  const ValueImpl& input = call.in(0);
  const int64_t axis = loss::class_axis(input);
  const double smoothing = call.real(5);
  Value target = call.value(1);
  if (target->dtype != input.dtype) target = cast(target, input.dtype);
  if (smoothing > 0) {
    const Value classes = sum(ones_like(target), Dims{axis}, true);
    target = target * (1 - smoothing) + smoothing / classes;
  }
  if (call.has(2)) {
    Shape along(input.shape.size(), Dim(1));
    along[static_cast<size_t>(axis)] = call.in(2).shape[0];
    target = target * reshape(cast(call[2], input.dtype), along);
  }
  return loss::reduce(call, distribution_loss.all(call[0], target)[0], 4);
}

}  // namespace

DYAD_OP(
    "cross_entropy(input: Tensor, target: Tensor, weight: Tensor?=None, ignore_index: int=-100, "
    "reduction: str='mean', label_smoothing: float=0.0) -> Tensor")
    .doc(
        "Cross entropy of softmax(input) with class indices or with a distribution over the classes. Classes "
        "are dimension 1. 'mean' divides by the sum of the weights of the samples that are not ignored; with "
        "a distribution, by the number of samples.")
    .formula("loss[n] = −weight[t] · log_softmax(input[n])[t], t = target[n]", "class indices")
    .formula("loss[n] = −Σ over c of weight[c] · target[n, c] · log_softmax(input[n])[c]", "distribution")
    .formula("target[c] ← (1 − label_smoothing) · target[c] + label_smoothing / C",
             "label_smoothing > 0, C classes")
    .arg("input", "unnormalized scores, floats of shape (C,), (N, C) or (N, C, d₁, …).")
    .arg("target",
         "class indices, integers of the shape of `input` without C, or probabilities of the shape of "
         "`input`.")
    .arg("weight", "factor of each class, of shape (C,); None: 1.")
    .arg("ignore_index", "class index whose samples do not count.")
    .arg("label_smoothing", "share of the uniform distribution, in [0, 1].")
    .see("ops.nll_loss, ops.log_softmax, nn.CrossEntropyLoss")
    .alias("logits", "input")
    .alias("labels", "target")
    .compose([](const Call& call) -> Value {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      loss::require_class_axis(call, 0);
      loss::require_class_weight(call, 0, 2);
      loss::require_reduction(call, 4);
      require_smoothing(call, call.real(5));
      if (!is_int(call.in(1).dtype)) return with_distribution(call);
      loss::require_class_indices(call, 0, 1);
      return class_loss.all(call[0], call[1], call[2], call[3], call[4], call[5])[0];
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5), dtypes='float')", "call(T(5), I(lo=0, hi=5))",
             "call(T(2, 5, 3), I(2, 3, lo=0, hi=5), T(5, lo=0.5, hi=2), reduction='none')",
             "call(T(4, 5), V([0, -100, 3, 4], 'int32'), T(5, lo=0.5, hi=2), label_smoothing=0.1)",
             "call(T(4, 5), T(4, 5, lo=0, hi=1), None, -100, 'mean', 0.2, dtypes='float')",
             "call(T(4, 5), I(4, lo=0, hi=5), reduction='sum')")
    .rejects("ops.cross_entropy(ones(2, 3), ints(3))", "ValueError",
             "cross_entropy: input has shape (2, 3) and target (3,); class indices must have shape (2,)")
    .rejects("ops.cross_entropy(ones(2, 3), ints(2), ones(4))", "ValueError",
             "weight has shape (4,); it must have one number")
    .rejects("ops.cross_entropy(ones(2, 3), ints(2), label_smoothing=2.0)", "ValueError",
             "label_smoothing is 2.0");

DYAD_OP(
    "nll_loss(inputs: Tensor, target: Tensor, weight: Tensor?=None, ignore_index: int=-100, "
    "reduction: str='mean', label_smoothing: float=0.0) -> Tensor")
    .doc(
        "Negative log-likelihood of class indices. Classes are dimension 1. 'mean' divides by the sum of the "
        "weights of the samples that are not ignored.")
    .formula("loss[n] = −weight[t] · inputs[n, t], t = target[n]")
    .arg("inputs", "logarithms of probabilities, floats of shape (C,), (N, C) or (N, C, d₁, …).")
    .arg("target", "class indices, integers of the shape of `inputs` without C.")
    .arg("weight", "factor of each class, of shape (C,); None: 1.")
    .arg("ignore_index", "class index whose samples do not count.")
    .arg("label_smoothing", "share of the uniform distribution, in [0, 1].")
    .see("ops.cross_entropy, nn.NLLLoss")
    .alias("input", "inputs")
    .alias("labels", "target")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes for target");
      loss::require_class_indices(call, 0, 1);
      loss::require_class_weight(call, 0, 2);
      loss::require_reduction(call, 4);
      require_smoothing(call, call.real(5));
      return class_loss.all(call[0], call[1], call[2], call[3], call[4], call[5], false)[0];
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.nll_loss(inputs, target, weight, ignore_index, reduction, label_smoothing)")
    .samples("call(T(4, 5, lo=-3, hi=0), I(4, lo=0, hi=5))",
             "call(T(2, 5, 3), I(2, 3, lo=0, hi=5), T(5, lo=0.5, hi=2), reduction='none')",
             "call(T(4, 5), V([0, 2, 3, 2], 'int64'), None, 2, 'sum')")
    .rejects("ops.nll_loss(ones(2, 3), ones(2))", "TypeError", "accepted are integer dtypes for target");

DYAD_OP(
    "nll_loss_with_total(logits: Tensor, labels: Tensor, weight: Tensor, reduction: str='mean', "
    "ignore_index: int=-100) -> (Tensor, Tensor)")
    .hidden()
    .doc("Negative log-likelihood of class indices, with the sum of the weights that counted.")
    .formula("loss[n] = −weight[t] · logits[n, t], t = labels[n]")
    .arg("logits", "logarithms of probabilities, floats of shape (N, C).")
    .arg("labels", "class indices, integers of shape (N,).")
    .arg("weight", "factor of each class, of shape (C,).")
    .arg("ignore_index", "class index whose samples do not count.")
    .returns("Tuple of the loss and the sum of the weights.")
    .see("ops.nll_loss")
    .primitive("NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)")
    .compose([](const Call& call) -> ValueList {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes for labels");
      loss::require_class_indices(call, 0, 1);
      loss::require_class_weight(call, 0, 2);
      loss::require_reduction(call, 3);
      const ValueList found = class_loss.all(call[0], call[1], call[2], call[4], call[3], 0.0, false);
      return {found[0], cast(found[2], call.in(2).dtype)};
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "(ref.nll_loss(logits, labels, weight, ignore_index, reduction, 0.0), weight[labels[labels != "
        "ignore_index]].sum())")
    .samples("call(T(4, 5), I(4, lo=0, hi=5), T(5, lo=0.5, hi=2))")
    .rejects("ops.NLLLoss()(ones(2, 3), ints(3), ones(3))", "ValueError",
             "class indices must have shape (2,)");

DYAD_OP("softmax_cross_entropy(logits: Tensor, labels: Tensor) -> (Tensor, Tensor)")
    .hidden()
    .doc("Softmax cross entropy of rows of scores with rows of probabilities, and its gradient.")
    .formula("loss[n] = −Σ over c of labels[n, c] · log_softmax(logits[n])[c]")
    .formula("gradient[n, c] = softmax(logits[n])[c] − labels[n, c]")
    .arg("logits", "unnormalized scores, floats of shape (N, C).")
    .arg("labels", "probabilities, of the shape of `logits`.")
    .returns("Tuple of the losses, of shape (N,), and the gradient with respect to `logits`.")
    .see("ops.cross_entropy")
    .primitive("SoftmaxCrossEntropyWithLogits()(logits, labels)")
    .compose([](const Call& call) -> ValueList {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      infer::require_rank(call, 0, 2, "logits");
      loss::require_same_shape(call, 0, 1);
      return {distribution_loss.all(call[0], call[1])[0], softmax(call[0], 1) - call[1]};
    })
    .autocast(Autocast::kFloat32)
    .numpy("(-(ref.log_softmax(logits, 1) * labels).sum(1), np.exp(ref.log_softmax(logits, 1)) - labels)")
    .samples("call(T(4, 5), T(4, 5, lo=0, hi=1))")
    .rejects("ops.SoftmaxCrossEntropyWithLogits()(ones(2, 3), ones(3, 2))", "ValueError",
             "they must be equal");

DYAD_OP("sparse_softmax_cross_entropy(logits: Tensor, labels: Tensor, is_grad: bool=False) -> Tensor")
    .hidden()
    .doc("Mean softmax cross entropy of rows of scores with class indices, or its gradient.")
    .formula("loss = −1/N · Σₙ log_softmax(logits[n])[labels[n]]", "is_grad=False")
    .formula("gradient[n, c] = (softmax(logits[n])[c] − [c = labels[n]]) / N", "is_grad=True")
    .arg("logits", "unnormalized scores, floats of shape (N, C).")
    .arg("labels", "class indices, integers of shape (N,).")
    .arg("is_grad", "whether the gradient is returned instead of the loss.")
    .returns("Tensor of shape (), or the gradient with the shape of `logits`.")
    .see("ops.cross_entropy")
    .primitive("SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)")
    .compose([](const Call& call) -> Value {
      static const OpName cross_entropy("cross_entropy");
      infer::require_rank(call, 0, 2, "logits");
      loss::require_class_indices(call, 0, 1);
      if (!call.flag(2)) return cross_entropy(call[0], call[1]);
      const Value rows = sum(ones_like(call[0]), Dims{0}, true);
      return (softmax(call[0], 1) - marks_of(call)) / rows;
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "ref.cross_entropy(logits, labels, None, -100, 'mean', 0.0) if not is_grad else "
        "(np.exp(ref.log_softmax(logits, 1)) - np.eye(logits.shape[1])[labels]) / len(labels)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5))", "call(T(4, 5), I(4, lo=0, hi=5), True)")
    .rejects("ops.SparseSoftmaxCrossEntropyWithLogits()(ones(2), ints(2))", "ValueError",
             "it must have 2 dimensions");

}  // namespace dyad
