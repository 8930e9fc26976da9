#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"
#include "ops/reduce/root.h"

namespace dyad {

namespace {

DYAD_USE(relu, where, equal, sum, square, maximum, minimum, abs, cosine_similarity, expand_dims, amax, cast,
         not_equal);

/// Distance of two rows in the p-norm, `eps` added to each difference so that equal rows have a gradient.
Value row_distance(const Value& a, const Value& b, double p, double eps) {
  return safe_root(sum(magnitude_power(a - b + eps, p), Dims{-1}), p);
}

}  // namespace

DYAD_OP("cosine_similarity(x1: Tensor, x2: Tensor, dim: int=1, eps: float=1e-8) -> Tensor")
    .doc("Cosine similarity along a dimension.")
    .formula("out = Σ x1 · x2 / max(‖x1‖₂ · ‖x2‖₂, eps)")
    .arg("x1", "floats, any shape.")
    .arg("x2", "broadcasts with `x1`.")
    .arg("dim", "axis that is reduced.")
    .arg("eps", "smallest divisor.")
    .returns("Tensor with the broadcast shape without `dim`.")
    .see("ops.cosine_embedding_loss")
    .alias("axis", "dim")
    .compose_wide([](const Call& call) {
      const Shape shape = broadcast(call.op(), call.in(0).shape, call.in(1).shape);
      const int64_t axis =
          normalize_axis(call.op(), call.integer(2), static_cast<int64_t>(shape.size()), "dim");
      const Dims along{axis - static_cast<int64_t>(shape.size())};
      const Value product = sum(call.value(0) * call[1], along);
      const Value lengths = safe_sqrt(sum(square(call[0]), along)) * safe_sqrt(sum(square(call[1]), along));
      return product / maximum(lengths, call[3]);
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "np.sum(x1 * x2, dim) / np.maximum(np.sqrt(np.sum(x1 ** 2, dim)) * np.sqrt(np.sum(x2 ** 2, dim)), "
        "eps)")
    .samples("call(T(3, 4), T(3, 4))", "call(T(3, 4), T(3, 4), 0)", "call(T(2, 3, 4), T(2, 3, 4), -1)")
    .rejects("ops.cosine_similarity(ones(2, 3), ones(2, 3), 5)", "ValueError",
             "cosine_similarity: dim 5 is out of range");

DYAD_OP(
    "cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0.0, "
    "reduction: str='mean') -> Tensor")
    .doc("Cosine embedding loss, with cos = cosine_similarity(input1, input2).")
    .formula("loss = 1 − cos", "target = 1")
    .formula("loss = max(0, cos − margin)", "target ≠ 1")
    .arg("input1", "floats of shape (N, D) or (D,).")
    .arg("input2", "of the shape of `input1`.")
    .arg("target", "1 or −1, of shape (N,) or ().")
    .arg("margin", "in [−1, 1].")
    .see("ops.cosine_similarity, nn.CosineEmbeddingLoss")
    .compose_wide([](const Call& call) {
      loss::require_same_shape(call, 0, 1);
      if (!(call.real(3) >= -1 && call.real(3) <= 1)) {
        value_error(call.op(), ": margin is ", call.real(3), "; it must lie in -1 to 1");
      }
      const int64_t axis = call.in(0).rank() == 1 ? 0 : 1;
      const Value cosine = cosine_similarity(call[0], call[1], axis);
      return loss::reduce(call, where(equal(call[2], 1), 1.0 - cosine, relu(cosine - call.real(3))), 4);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.cosine_embedding(input1, input2, target, margin), reduction)")
    .samples("call(T(4, 3), T(4, 3), V([1, -1, 1, -1], 'int32'))",
             "call(T(4, 3), T(4, 3), V([1, -1, 1, -1], 'int32'), 0.2, 'none')")
    .rejects("ops.cosine_embedding_loss(ones(2, 3), ones(2, 3), ints(2), 2.0)", "ValueError",
             "margin is 2.0; it must lie in");

DYAD_OP(
    "margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0.0, "
    "reduction: str='mean') -> Tensor")
    .doc(
        "Margin ranking loss: the first input should be the larger one where the target is 1, the smaller "
        "one where it is −1.")
    .formula("loss = max(0, −target · (input1 − input2) + margin)")
    .arg("input1", "floats, any shape.")
    .arg("input2", "broadcasts with `input1`.")
    .arg("target", "1 or −1, broadcasts with the inputs.")
    .arg("margin", "difference from which on the loss is 0.")
    .see("nn.MarginRankingLoss")
    .compose_wide([](const Call& call) {
      return loss::reduce(call, relu(-(call.value(2) * (call.value(0) - call[1])) + call.real(3)), 4);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(np.maximum(0, -target * (input1 - input2) + margin), reduction)")
    .samples("call(T(4), T(4), V([1.0, -1.0, 1.0, -1.0], 'float32'))",
             "call(T(4), T(4), V([1.0, -1.0, 1.0, -1.0], 'float32'), 0.5, 'sum')")
    .rejects("ops.margin_ranking_loss(ones(2), ones(3), ones(2))", "ValueError", "do not broadcast");

DYAD_OP(
    "hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float=1.0, reduction: str='mean') -> "
    "Tensor")
    .doc("Hinge embedding loss for distances.")
    .formula("loss = inputs", "targets = 1")
    .formula("loss = max(0, margin − inputs)", "targets ≠ 1")
    .arg("inputs", "distances, floats, any shape.")
    .arg("targets", "1 or −1, broadcasts with `inputs`.")
    .arg("margin", "distance from which on the loss of −1 is 0.")
    .see("nn.HingeEmbeddingLoss")
    .compose_wide([](const Call& call) {
      return loss::reduce(call, where(equal(call[1], 1), call[0], relu(call.real(2) - call.value(0))), 3);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(np.where(targets == 1, inputs, np.maximum(0, margin - inputs)), reduction)")
    .samples("call(T(4), V([1, -1, 1, -1], 'int32'))",
             "call(T(2, 4), V([1, -1, 1, -1], 'int32'), 0.5, 'none')")
    .rejects("ops.hinge_embedding_loss(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP(
    "triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float=1.0, p: "
    "float=2.0, "
    "eps: float=1e-6, swap: bool=False, reduction: str='mean') -> Tensor")
    .doc("Triplet margin loss, with d(a, b) = ‖a − b + eps‖ₚ along the last axis.")
    .formula("loss = max(0, d(anchor, positive) − d(anchor, negative) + margin)", "swap=False")
    .formula("loss = max(0, d(anchor, positive) − min(d(anchor, negative), d(positive, negative)) + margin)",
             "swap=True")
    .arg("anchor", "floats of shape (…, D).")
    .arg("positive", "broadcasts with `anchor`.")
    .arg("negative", "broadcasts with `anchor`.")
    .arg("margin", "difference of the distances from which on the loss is 0.")
    .arg("p", "order of the norm, > 0.")
    .arg("eps", "added to the differences.")
    .arg("swap", "whether the smaller distance to `negative` counts.")
    .see("nn.TripletMarginLoss")
    .function(
        "triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, "
        "reduction='mean')")
    .primitive(
        "TripletMarginLoss(p=2, swap=False, eps=1e-6, reduction='mean')(x:anchor, positive, negative, "
        "margin)")
    .compose_wide([](const Call& call) {
      if (!(call.real(4) > 0)) value_error(call.op(), ": p is ", call.real(4), "; it must be above 0");
      if (call.in(0).rank() == 0)
        value_error(call.op(), ": anchor has shape (); it must have at least 1 dimension");
      const double p = call.real(4);
      const double eps = call.real(5);
      Value away = row_distance(call.value(0), call.value(2), p, eps);
      if (call.flag(6)) away = minimum(away, row_distance(call.value(1), call.value(2), p, eps));
      return loss::reduce(call,
                          relu(row_distance(call.value(0), call.value(1), p, eps) - away + call.real(3)), 7);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.triplet_margin(anchor, positive, negative, margin, p, eps, swap), reduction)")
    .samples("call(T(4, 3), T(4, 3), T(4, 3))", "call(T(4, 3), T(4, 3), T(4, 3), 0.5, 1, 1e-6, True, 'none')")
    .rejects("ops.triplet_margin_loss(ones(2, 3), ones(2, 4), ones(2, 3))", "ValueError", "do not broadcast");

DYAD_OP("cdist(x1: Tensor, x2: Tensor, p: float=2.0) -> Tensor")
    .primitive("Cdist(p=2.0)(x1, x2)")
    .doc("Pairwise distances of the rows of two (batches of) matrices in the p-norm.")
    .formula("out[i, j] = (Σₘ |x1[i, m] − x2[j, m]|ᵖ)^(1/p)")
    .formula("out[i, j] = number of m with x1[i, m] ≠ x2[j, m]", "p=0")
    .formula("out[i, j] = maxₘ |x1[i, m] − x2[j, m]|", "p=inf")
    .arg("x1", "floats of shape (*batch, n, m).")
    .arg("x2", "floats of shape (*batch, k, m).")
    .arg("p", "order of the norm, ≥ 0.")
    .returns("Tensor of shape (*batch, n, k).")
    .see("ops.pdist")
    .mint("cdist")
    .compose_wide([](const Call& call) -> Value {
      const ValueImpl& a = call.in(0);
      const ValueImpl& b = call.in(1);
      if (a.rank() < 2 || b.rank() < 2 || !(a.shape.back() == b.shape.back())) {
        value_error(call.op(), ": x1 has shape ", a.shape, " and x2 ", b.shape,
                    "; both need at least 2 dimensions and the same last one");
      }
      const double p = call.real(2);
      if (!(p >= 0)) value_error(call.op(), ": p is ", p, "; it must be 0 or more");
      const Value difference = expand_dims(call[0], -2) - expand_dims(call[1], -3);
      if (p == 0) return sum(cast(not_equal(difference, 0), difference->dtype), Dims{-1});
      if (p == std::numeric_limits<double>::infinity()) return amax(abs(difference), Dims{-1});
      return safe_root(sum(magnitude_power(difference, p), Dims{-1}), p);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.cdist(x1, x2, p)")
    .samples("call(T(3, 4), T(5, 4))", "call(T(2, 3, 4), T(2, 5, 4), 1.0)", "call(T(3, 4), T(5, 4), 3.0)",
             "call(T(3, 4), T(5, 4), float('inf'))", "call(T(3, 4), T(5, 4), 0.0)")
    .rejects("ops.cdist(ones(2, 3), ones(2, 4))", "ValueError",
             "both need at least 2 dimensions and the same last one");

}  // namespace dyad
