#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/reduction.h"

namespace dyad {

namespace {

DYAD_USE(log_softmax)
DYAD_USE(softmax)
DYAD_USE(gather_elements)
DYAD_USE(index_select)
DYAD_USE(expand_dims)
DYAD_USE(squeeze)
DYAD_USE(reshape)
DYAD_USE(where)
DYAD_USE(equal)
DYAD_USE(not_equal)
DYAD_USE(zeros_like)
DYAD_USE(cast)
DYAD_USE(sum)
DYAD_USE(mean)
DYAD_USE(ones_like)
DYAD_USE(cumsum)
DYAD_USE(relu)

/// The axis of the classes: the second, or the only one.
int64_t class_axis(const ValueImpl& input) { return input.rank() == 1 ? 0 : 1; }

void require_classes(const Call& call, const ValueImpl& input, const ValueImpl& target) {
  if (input.rank() == 0)
    value_error(call.op(), ": input has shape (); it must have at least one dimension of classes");
  Shape expected = input.shape;
  expected.erase(static_cast<size_t>(class_axis(input)));
  if (!(target.shape == expected)) {
    value_error(call.op(), ": input has shape ", input.shape, " and target ", target.shape,
                "; class indices must have shape ", expected);
  }
}

void require_weight(const Call& call, size_t at, const ValueImpl& input) {
  const Dim classes = input.shape[static_cast<size_t>(class_axis(input))];
  if (call.has(at) && !(call.in(at).shape == Shape{classes})) {
    value_error(call.op(), ": weight has shape ", call.in(at).shape, "; it must have one number for each of ",
                classes, " classes");
  }
}

/// Weights shaped so that they broadcast along the class axis.
Value along_classes(const Value& weight, const ValueImpl& input) {
  Shape shape(input.shape.size(), Dim(1));
  shape[static_cast<size_t>(class_axis(input))] = weight->shape[0];
  return reshape(weight, shape);
}

struct Options {
  Arg weight;
  int64_t ignored;
  double smoothing;
};

/// Negative log-likelihood of class indices, from logarithms of probabilities.
Value indexed_loss(const Call& call, const Value& log_p, const Options& options, size_t reduction) {
  loss::require_reduction(call, reduction);
  const int64_t axis = class_axis(*log_p);
  const Value& target = call.value(1);
  const Value counted = not_equal(target, options.ignored);
  const Value safe = where(counted, target, zeros_like(target));
  const Value kept = cast(counted, log_p->dtype);
  Value weight = kept;
  if (!options.weight.none()) {
    const Value flat = reshape(safe, Dims{-1});
    weight = reshape(index_select(options.weight, 0, flat), target->shape) * kept;
  }
  Value loss = -(squeeze(gather_elements(log_p, axis, expand_dims(safe, axis)), Dims{axis}) * weight);
  if (options.smoothing > 0) {
    Value spread = log_p;
    if (!options.weight.none()) spread = spread * along_classes(*options.weight.get<Value>(), *log_p);
    loss = loss * (1 - options.smoothing) - mean(spread, Dims{axis}) * kept * options.smoothing;
  }
  const std::string& word = call.text(reduction);
  if (word == "none") return loss;
  return word == "sum" ? sum(loss) : sum(loss) / sum(weight);
}

/// Cross entropy with a distribution over the classes as target.
Value distribution_loss(const Call& call, const Value& log_p, const Options& options, size_t reduction) {
  loss::require_same_shape(call, 0, 1);
  loss::require_reduction(call, reduction);
  const int64_t axis = class_axis(*log_p);
  Value target = call.value(1);
  if (options.smoothing > 0) {
    const Value classes = sum(ones_like(target), Dims{axis}, true);
    target = target * (1 - options.smoothing) + options.smoothing / classes;
  }
  Value terms = log_p * target;
  if (!options.weight.none()) terms = terms * along_classes(*options.weight.get<Value>(), *log_p);
  const Value loss = -sum(terms, Dims{axis});
  const std::string& word = call.text(reduction);
  if (word == "none") return loss;
  return word == "sum" ? sum(loss) : mean(loss);
}

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

}  // namespace

DYAD_OP(
    "cross_entropy(input: Tensor, target: Tensor, weight: Tensor?=None, ignore_index: int=-100, "
    "reduction: str='mean', label_smoothing: float=0.0) -> Tensor")
    .doc(
        "Cross entropy of unnormalised scores (classes in dimension 1) with class indices or with a "
        "distribution over "
        "the classes. 'mean' weighs each sample with its class's weight and leaves ignored ones out.")
    .alias("logits", "input")
    .alias("labels", "target")
    .compose([](const Call& call) -> Value {
      const ValueImpl& input = call.in(0);
      infer::require_dtype(call, 0, is_float(input.dtype), "float dtypes");
      require_smoothing(call, call.real(5));
      const Options options{call[2], call.integer(3), call.real(5)};
      const bool indices = is_int(call.in(1).dtype);
      if (indices) {
        require_classes(call, input, call.in(1));
      } else {
        loss::require_same_shape(call, 0, 1);
        if (input.rank() == 0)
          value_error(call.op(), ": input has shape (); it must have at least one dimension of classes");
      }
      require_weight(call, 2, input);
      const Value log_p = log_softmax(call[0], class_axis(input));
      return indices ? indexed_loss(call, log_p, options, 4) : distribution_loss(call, log_p, options, 4);
    })
    .numpy("ref.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5), dtypes='float')", "call(T(5), I(lo=0, hi=5))",
             "call(T(2, 5, 3), I(2, 3, lo=0, hi=5), T(5, lo=0.5, hi=2), reduction='none')",
             "call(T(4, 5), V([0, -100, 3, 4], 'int32'), T(5, lo=0.5, hi=2), label_smoothing=0.1)",
             "call(T(4, 5), T(4, 5, lo=0, hi=1), None, -100, 'mean', 0.2)",
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
        "Negative log-likelihood of class indices from logarithms of probabilities (classes in dimension 1).")
    .alias("input", "inputs")
    .alias("labels", "target")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes for target");
      require_smoothing(call, call.real(5));
      require_classes(call, call.in(0), call.in(1));
      require_weight(call, 2, call.in(0));
      return indexed_loss(call, call.value(0), {call[2], call.integer(3), call.real(5)}, 4);
    })
    .numpy("ref.nll_loss(inputs, target, weight, ignore_index, reduction, label_smoothing)")
    .samples("call(T(4, 5, lo=-3, hi=0), I(4, lo=0, hi=5))",
             "call(T(2, 5, 3), I(2, 3, lo=0, hi=5), T(5, lo=0.5, hi=2), reduction='none')",
             "call(T(4, 5), V([0, 2, 3, 2], 'int64'), None, 2, 'sum')")
    .rejects("ops.nll_loss(ones(2, 3), ones(2))", "TypeError", "accepted are integer dtypes for target");

DYAD_OP(
    "nll_loss_with_total(logits: Tensor, labels: Tensor, weight: Tensor, reduction: str='mean', "
    "ignore_index: int=-100) -> (Tensor, Tensor)")
    .hidden()
    .doc("Negative log-likelihood and the sum of the weights that counted.")
    .primitive("NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)")
    .compose([](const Call& call) -> ValueList {
      static const OpName nll_loss("nll_loss");
      const Value loss = nll_loss(call[0], call[1], call[2], call[4], call[3]);
      const Value counted = not_equal(call[1], call[4]);
      const Value safe = where(counted, call[1], zeros_like(call[1]));
      const Value chosen = index_select(call[2], 0, reshape(safe, Dims{-1}));
      return {loss, sum(chosen * reshape(cast(counted, chosen->dtype), Dims{-1}))};
    })
    .numpy(
        "(ref.nll_loss(logits, labels, weight, ignore_index, reduction, 0.0), weight[labels[labels != "
        "ignore_index]].sum())")
    .samples("call(T(4, 5), I(4, lo=0, hi=5), T(5, lo=0.5, hi=2))")
    .rejects("ops.NLLLoss()(ones(2, 3), ints(3), ones(3))", "ValueError",
             "class indices must have shape (2,)");

DYAD_OP("softmax_cross_entropy(logits: Tensor, labels: Tensor) -> (Tensor, Tensor)")
    .hidden()
    .doc(
        "Cross entropy of each row of scores with a row of probabilities, and its gradient with respect to "
        "the scores.")
    .primitive("SoftmaxCrossEntropyWithLogits()(logits, labels)")
    .compose([](const Call& call) -> ValueList {
      infer::require_rank(call, 0, 2, "logits");
      loss::require_same_shape(call, 0, 1);
      const Value log_p = log_softmax(call[0], 1);
      return {-sum(log_p * call[1], Dims{1}), softmax(call[0], 1) - call[1]};
    })
    .numpy("(-(ref.log_softmax(logits, 1) * labels).sum(1), np.exp(ref.log_softmax(logits, 1)) - labels)")
    .samples("call(T(4, 5), T(4, 5, lo=0, hi=1))")
    .rejects("ops.SoftmaxCrossEntropyWithLogits()(ones(2, 3), ones(3, 2))", "ValueError",
             "they must be equal");

DYAD_OP("sparse_softmax_cross_entropy(logits: Tensor, labels: Tensor, is_grad: bool=False) -> Tensor")
    .hidden()
    .doc(
        "Mean cross entropy of rows of scores with class indices, or its gradient with respect to the "
        "scores.")
    .primitive("SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)")
    .compose([](const Call& call) -> Value {
      static const OpName cross_entropy("cross_entropy");
      infer::require_rank(call, 0, 2, "logits");
      require_classes(call, call.in(0), call.in(1));
      if (!call.flag(2)) return cross_entropy(call[0], call[1]);
      const Value rows = sum(ones_like(call[0]), Dims{0}, true);
      return (softmax(call[0], 1) - marks_of(call)) / rows;
    })
    .numpy(
        "ref.cross_entropy(logits, labels, None, -100, 'mean', 0.0) if not is_grad else "
        "(np.exp(ref.log_softmax(logits, 1)) - np.eye(logits.shape[1])[labels]) / len(labels)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5))", "call(T(4, 5), I(4, lo=0, hi=5), True)")
    .rejects("ops.SparseSoftmaxCrossEntropyWithLogits()(ones(2), ints(2))", "ValueError",
             "it must have 2 dimensions");

DYAD_OP(
    "multi_margin_loss(input: Tensor, target: Tensor, p: int=1, margin: float=1.0, weight: Tensor?=None, "
    "reduction: str='mean') -> Tensor")
    .doc(
        "Mean over the other classes of max(0, margin - score of the target class + score)^p, per sample, "
        "then reduced.")
    .primitive("MultiMarginLoss(p=1, margin=1.0, reduction='mean')(x:input, target, weight=None)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 2, "input");
      require_classes(call, call.in(0), call.in(1));
      require_weight(call, 4, call.in(0));
      if (call.integer(2) != 1 && call.integer(2) != 2)
        value_error(call.op(), ": p is ", call.integer(2), "; it must be 1 or 2");
      const Value column = expand_dims(call[1], 1);
      const Value own = gather_elements(call[0], 1, column);
      Value hinge = relu(call.value(0) - own + call.real(3));
      if (call.integer(2) == 2) hinge = hinge * hinge;
      if (call.has(4)) hinge = hinge * expand_dims(index_select(call[4], 0, call[1]), 1);
      return loss::reduce(call, mean(hinge * (1.0 - marks_of(call)), Dims{1}), 5);
    })
    .numpy("ref.reduction(ref.multi_margin(input, target, p, margin, weight), reduction)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5))",
             "call(T(4, 5), I(4, lo=0, hi=5), 2, 0.5, T(5, lo=0.5, hi=2), 'none')")
    .rejects("ops.multi_margin_loss(ones(2, 3), ints(2), 3)", "ValueError",
             "multi_margin_loss: p is 3; it must be 1 or 2");

}  // namespace dyad
