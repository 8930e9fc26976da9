#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"

namespace dyad {

namespace {

DYAD_USE(binary_entropy, exp, greater, where, log, log1p, logsigmoid, maximum, mean, sigmoid,
         sigmoid_cross_entropy, xlogy);

Value with_logits(const Value& x, const Value& target, const Arg& weight, const Arg& positive) {
  Value loss;
  if (positive.none()) {
    loss = sigmoid_cross_entropy(x, target);
  } else {
    const Value factor = target * (*positive.get<Value>() - 1.0) + 1.0;
    loss = (1.0 - target) * x - factor * logsigmoid(x);
  }
  return weight.none() ? loss : loss * weight;
}

}  // namespace

DYAD_OP(
    "binary_cross_entropy(logits: Tensor, labels: Tensor, weight: Tensor?=None, reduction: str='mean') -> "
    "Tensor")
    .doc("Binary cross entropy of probabilities; logarithms are clamped at −100.")
    .formula("loss = −weight · (labels · log(logits) + (1 − labels) · log(1 − logits))")
    .arg("logits", "probabilities in [0, 1], floats, any shape.")
    .arg("labels", "probabilities in [0, 1], of the shape of `logits`.")
    .arg("weight", "factor of each loss, broadcasts with `logits`; None: 1.")
    .see("ops.binary_cross_entropy_with_logits, nn.BCELoss")
    .alias("input", "logits")
    .alias("target", "labels")
    .primitive("BinaryCrossEntropy(reduction='mean')(input:logits, target:labels, weight=None)")
    .compose_wide([](const Call& call) {
      loss::require_same_shape(call, 0, 1);
      Value loss = binary_entropy(call[0], call[1]);
      if (call.has(2)) loss = loss * call[2];
      return loss::reduce(call, loss, 3);
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "ref.reduction(ref.binary_cross_entropy(logits, labels) * (1 if weight is None else weight), "
        "reduction)")
    .samples("call(T(3, 4, lo=0.05, hi=0.95), T(3, 4, lo=0, hi=1))",
             "call(T(3, 4, lo=0.05, hi=0.95), T(3, 4, lo=0, hi=1), T(4, lo=0, hi=1), 'none')",
             "call(V([0.0, 1.0, 0.5], 'float32'), V([1.0, 0.0, 1.0], 'float32'), None, 'sum')")
    .rejects("ops.binary_cross_entropy(ones(2), ones(3))", "ValueError",
             "shapes (2,) and (3,) differ; they must be equal");

DYAD_OP(
    "binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor?=None, "
    "pos_weight: Tensor?=None, reduction: str='mean') -> Tensor")
    .doc("Binary cross entropy of sigmoid(input), computed without overflow.")
    .formula("loss = −weight · (pos_weight · target · log σ(x) + (1 − target) · log(1 − σ(x)))")
    .arg("input", "x, unnormalized scores, floats, any shape.")
    .arg("target", "probabilities in [0, 1], broadcasts with `input`.")
    .arg("weight", "factor of each loss, broadcasts; None: 1.")
    .arg("pos_weight", "factor of the positive part, broadcasts; None: 1.")
    .see("ops.binary_cross_entropy, nn.BCEWithLogitsLoss")
    .function(
        "binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction='mean')")
    .alias("logits", "input")
    .alias("label", "target")
    .primitive("BCEWithLogitsLoss(reduction='mean')(input, target, weight=None, posWeight:pos_weight=None)")
    .compose_wide([](const Call& call) {
      loss::require_broadcast(call, 0, 1);
      return loss::reduce(call, with_logits(call.value(0), call.value(1), call[2], call[3]), 4);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.cross_entropy_with_logits(input, target, weight, pos_weight), reduction)")
    .samples("call(T(3, 4), T(3, 4, lo=0, hi=1), dtypes='float')",
             "call(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0, hi=1), T(4, lo=0.5, hi=2), 'none')",
             "call(V([1000.0, -1000.0], 'float32'), V([0.0, 1.0], 'float32'), None, None, 'sum')")
    .rejects("ops.binary_cross_entropy_with_logits(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("sigmoid_cross_entropy(logits: Tensor, label: Tensor) -> Tensor")
    .hidden()
    .doc("Sigmoid cross entropy, element by element, computed without overflow.")
    .formula("loss = −(label · log σ(x) + (1 − label) · log(1 − σ(x))), x = logits")
    .arg("logits", "unnormalized scores, floats, any shape.")
    .arg("label", "probabilities in [0, 1], broadcasts with `logits`.")
    .see("ops.binary_cross_entropy_with_logits")
    .primitive("SigmoidCrossEntropyWithLogits()(logits, label)")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * (sigmoid(g[0]) - g[1]); });
      set_operand(g, 1, [&] { return -(g.grad() * g[0]); });
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.cross_entropy_with_logits(logits, label, None, None)")
    .samples("call(T(3, 4), T(3, 4, lo=0, hi=1), dtypes='float')", "call(T(3, 4), T(4, lo=0, hi=1))",
             "call(strided(T(3, 4)), T(3, 1, lo=0, hi=1))", "call(T(0, 4), T(0, 4))",
             "call(V([1000.0, -1000.0], 'float32'), V([0.0, 1.0], 'float32'))")
    .rejects("ops.SigmoidCrossEntropyWithLogits()(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("binary_entropy(input: Tensor, target: Tensor) -> Tensor")
    .hidden()
    .doc("Cross entropy of probabilities with wanted probabilities, per element; logarithms are cut at -100.")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      // The slope of the logarithm without the clamp, with its pole clamped: a confident wrong answer has a
      // large gradient.
      set_operand(g, 0, [&] {
        const Value& p = g.value(0);
        return g.grad() * ((p - g[1]) / maximum(p * (1.0 - p), 1e-12));
      });
      set_operand(g, 1, [&] {
        return g.grad() * (maximum(log1p(-g.value(0)), -100.0) - maximum(log(g[0]), -100.0));
      });
    })
    .numpy("ref.binary_cross_entropy(input, target)")
    .samples("call(T(3, 4, lo=0.05, hi=0.95), T(3, 4, lo=0, hi=1), dtypes='float')",
             "call(T(3, 4, lo=0.05, hi=0.95), T(4, lo=0, hi=1))",
             "call(V([0.0, 1.0, 0.5], 'float32'), V([1.0, 0.0, 1.0], 'float32'))")
    .rejects("dyad._core.named_op('binary_entropy')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("soft_margin_loss(input: Tensor, target: Tensor, reduction: str='mean') -> Tensor")
    .doc("Soft margin loss for targets of 1 and −1.")
    .formula("loss = log(1 + exp(−target · input))")
    .arg("input", "scores, floats, any shape.")
    .arg("target", "1 or −1, of the shape of `input`.")
    .see("nn.SoftMarginLoss, ops.hinge_embedding_loss")
    .primitive("SoftMarginLoss(reduction='mean')(input, target)")
    .compose_wide([](const Call& call) {
      loss::require_same_shape(call, 0, 1);
      return loss::reduce(call, -logsigmoid(call.value(0) * call[1]), 2);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(np.log1p(np.exp(-target * input)), reduction)")
    .samples("call(T(3, 4), T(3, 4))", "call(T(3, 4), T(3, 4), 'none')")
    .rejects("ops.soft_margin_loss(ones(2), ones(3))", "ValueError", "they must be equal");

DYAD_OP(
    "multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor?=None, reduction: str='mean') "
    "-> Tensor")
    .doc(
        "Multilabel soft margin loss: the mean over the classes of the binary cross entropy with logits, for "
        "each sample.")
    .formula(
        "loss[n] = −mean over c of weight[c] · (t · log σ(x) + (1 − t) · log(1 − σ(x))), x = input[n, c], t "
        "= target[n, c]")
    .arg("input", "scores, floats of shape (…, classes).")
    .arg("target", "0 or 1, of the shape of `input`.")
    .arg("weight", "factor of each class; None: 1.")
    .see("ops.binary_cross_entropy_with_logits, nn.MultiLabelSoftMarginLoss")
    .compose_wide([](const Call& call) {
      loss::require_same_shape(call, 0, 1);
      return loss::reduce(call, mean(with_logits(call.value(0), call.value(1), call[2], {}), Dims{-1}), 3);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.cross_entropy_with_logits(input, target, weight, None).mean(-1), reduction)")
    .samples("call(T(3, 4), T(3, 4, lo=0, hi=1))",
             "call(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0, hi=1), 'none')")
    .rejects("ops.multilabel_soft_margin_loss(ones(2), ones(3))", "ValueError", "they must be equal");

DYAD_OP("kl_div(logits: Tensor, labels: Tensor, reduction: str='mean', log_target: bool=False) -> Tensor")
    .doc(
        "Kullback–Leibler divergence of a distribution from one given by its logarithms. Labels that are not "
        "positive add 0. 'batchmean' divides the sum by the size of dimension 0.")
    .formula("loss = labels · (log(labels) − logits)", "log_target=False")
    .formula("loss = exp(labels) · (labels − logits)", "log_target=True")
    .arg("logits", "logarithms of probabilities, floats, any shape.")
    .arg("labels", "probabilities, or their logarithms with `log_target`; of the shape of `logits`.")
    .arg("reduction", "'none', 'mean', 'batchmean' or 'sum' of the losses of all elements.")
    .arg("log_target", "whether `labels` are logarithms.")
    .see("nn.KLDivLoss, ops.cross_entropy")
    .alias("input", "logits")
    .alias("target", "labels")
    .primitive("KLDivLoss(reduction='mean')(logits, labels)")
    .compose_wide([](const Call& call) -> Value {
      static const OpName sum("sum");
      loss::require_same_shape(call, 0, 1);
      const Value& labels = call.value(1);
      Value loss;
      if (call.flag(3)) {
        loss = exp(labels) * (labels - call[0]);
      } else {
        const Value kept = where(greater(labels, 0.0), labels, 0.0);
        loss = xlogy(kept, kept) - kept * call[0];
      }
      if (call.text(2) != "batchmean") return loss::reduce(call, loss, 2);
      if (call.in(0).rank() == 0)
        value_error(call.op(), ": 'batchmean' needs at least 1 dimension, logits have none");
      return sum(mean(loss, Dims{0}));
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.kl_div(logits, np.exp(labels) if log_target else labels, reduction)")
    .samples("call(T(3, 4), T(3, 4, lo=0.1, hi=1))", "call(T(3, 4), T(3, 4), log_target=True)",
             "call(T(3, 4), T(3, 4, lo=0.1, hi=1), 'batchmean')",
             "call(T(3), V([0.0, 0.5, -0.5], 'float32'), 'none')")
    .rejects("ops.kl_div(ones(2), ones(3))", "ValueError", "they must be equal");

}  // namespace dyad
