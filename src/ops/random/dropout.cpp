#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(broadcast_to, copy, dropout_with_mask, ones_like, ones, identity);

void require_probability(const Arguments& args, size_t at) {
  const double p = args.real(at);
  if (!(p >= 0 && p <= 1)) value_error(args.op(), ": p is ", p, "; it must lie in 0 to 1");
}

/// Drops whole channels: the mask has one entry per sample and channel.
Value drop_channels(const Call& call, int64_t low, int64_t high) {
  require_probability(call, 1);
  const ValueImpl& in = call.in(0);
  if (in.rank() < low || in.rank() > high) {
    value_error(call.op(), ": input has shape ", in.shape, "; it must have ", low, " or ", high,
                " dimensions");
  }
  if (!call.flag(2)) return identity(call[0]);
  if (call.real(1) == 0) return copy(call[0]);
  const size_t leading = static_cast<size_t>(in.rank() - (high - 2));
  Shape mask(in.shape.size(), Dim(1));
  for (size_t i = 0; i < leading; ++i) mask[i] = in.shape[i];
  return call.value(0) * dropout_with_mask.all(ones(call.builder(), mask, in.dtype), call[1])[0];
}

/// The same elements of every slice are dropped, or others in each.
void dropped(const BatchCall& call, ValueList& results) {
  if (!call.draws_alike()) return batch::leading(call, results);
  const Value one = ones(call.builder(), batch::slice_shape(call, 0), call.in(0).dtype);
  const ValueList drawn = dropout_with_mask.all(one, call[1]);
  results.push_back(call.value(0) * drawn[0]);
  results.push_back(broadcast_to(drawn[1], call.in(0).shape));
}

}  // namespace

DYAD_OP("dropout_with_mask(input: Tensor, p: float=0.5) -> (Tensor, Tensor)")
    .hidden()
    .doc(
        "Sets each element to 0 with probability p and divides the others by 1 - p; also gives which were "
        "kept.")
    .infer([](const Arguments& args, Results& results) {
      require_probability(args, 1);
      infer::require_dtype(args, 0, is_float(args.in(0).dtype), "float dtypes");
      results.add(args.in(0).dtype, args.in(0).shape);
      results.add(DType::kBool, args.in(0).shape);
    })
    .random()
    .grad([](GradCall& g) {
      if (!g.grad(0)) return;  // the mask alone: a second derivative multiplies with it
      const double p = g.real(1);
      g.set(0, g.grad(0) * g.out(1) * (p < 1 ? 1 / (1 - p) : 0.0));
    })
    .batch(dropped)
    .cost(2)
    .samples("call(T(4, 5), 0.3, dtypes='float')", "call(strided(T(4, 6)), 0.3)", "call(T(0, 3), 0.5)")
    .rejects("dyad._core.named_op('dropout_with_mask')(ones(2), 1.5)", "ValueError",
             "p is 1.5; it must lie in 0 to 1");

DYAD_OP("dropout(input: Tensor, p: float=0.5, training: bool=True, seed: int?=None) -> Tensor")
    .doc(
        "Dropout: in training each element becomes 0 with probability p, and the others are divided by 1 − "
        "p.")
    .formula("out[i] = input[i] · m[i] / (1 − p), P(m[i] = 0) = p, P(m[i] = 1) = 1 − p", "training=True")
    .formula("out[i] = input[i]", "training=False")
    .arg("input", "floats, any shape.")
    .arg("p", "probability of 0, in [0, 1].")
    .arg("training", "whether elements are dropped.")
    .arg("seed", "accepted for MindSpore; has no effect.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.Dropout, ops.dropout2d")
    .reference("arXiv:1207.0580")
    .alias("x", "input")
    .shares_memory()
    .compose([](const Call& call) -> Value {
      require_probability(call, 1);
      if (!call.flag(2)) return identity(call[0]);
      if (call.real(1) == 0) return copy(call[0]);
      return dropout_with_mask.all(call[0], call[1])[0];
    })
    .random()
    .samples("call(T(4, 5), 0.3)", "call(T(4, 5), 0.3, False)")
    .rejects("ops.dropout(ones(2), -0.5)", "ValueError", "dropout: p is -0.5; it must lie in 0 to 1")
    .rejects("ops.dropout(ints(2))", "TypeError", "accepted are float dtypes");

DYAD_OP("dropout_keeping(x: Tensor, keep_prob: float=0.5, seed: int=0, seed1: int=0) -> (Tensor, Tensor)")
    .hidden()
    .doc("Dropout by the probability to keep an element, with the mask.")
    .formula("out[i] = x[i] · m[i] / keep_prob, P(m[i] = 1) = keep_prob")
    .arg("x", "floats, any shape.")
    .arg("keep_prob", "probability to keep an element, in (0, 1].")
    .arg("seed", "accepted for MindSpore; has no effect.")
    .arg("seed1", "accepted for MindSpore; has no effect.")
    .returns("Tuple of the result and the mask m, in the dtype of `x`.")
    .see("ops.dropout")
    .primitive("Dropout(keep_prob=0.5, Seed0:seed=0, Seed1:seed1=0)(x)")
    .compose([](const Call& call) -> ValueList {
      static const OpName cast("cast");
      const double keep = call.real(1);
      if (!(keep > 0 && keep <= 1))
        value_error(call.op(), ": keep_prob is ", keep, "; it must lie in 0 to 1, above 0");
      ValueList both = dropout_with_mask.all(call[0], 1 - keep);
      return {both[0], cast(both[1], call.in(0).dtype)};
    })
    .random()
    .samples("call(T(4, 5), 0.7)")
    .rejects("ops.Dropout(0.0)(ones(2))", "ValueError", "keep_prob is 0.0");

DYAD_OP("dropout1d(input: Tensor, p: float=0.5, training: bool=True) -> Tensor")
    .doc(
        "Channel dropout of (N, C, L) tensors: in training whole channels become 0 with probability p, and "
        "the others are divided by 1 − p.")
    .formula("out[n, c, …] = input[n, c, …] · m[n, c] / (1 − p), P(m[n, c] = 0) = p", "training=True")
    .formula("out = input", "training=False")
    .arg("input", "floats of shape (N, C, L) or (C, L).")
    .arg("p", "probability of 0, in [0, 1].")
    .arg("training", "whether channels are dropped.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.dropout, nn.Dropout1d")
    .shares_memory()
    .compose([](const Call& call) { return drop_channels(call, 2, 3); })
    .random()
    .samples("call(T(2, 3, 4), 0.5)")
    .rejects("ops.dropout1d(ones(2))", "ValueError",
             "dropout1d: input has shape (2,); it must have 2 or 3 dimensions");

DYAD_OP("dropout2d(input: Tensor, p: float=0.5, training: bool=True) -> Tensor")
    .doc(
        "Channel dropout of (N, C, H, W) tensors: in training whole channels become 0 with probability p, "
        "and the others are divided by 1 − p.")
    .formula("out[n, c, …] = input[n, c, …] · m[n, c] / (1 − p), P(m[n, c] = 0) = p", "training=True")
    .formula("out = input", "training=False")
    .arg("input", "floats of shape (N, C, H, W) or (C, H, W).")
    .arg("p", "probability of 0, in [0, 1].")
    .arg("training", "whether channels are dropped.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.dropout, nn.Dropout2d")
    .shares_memory()
    .compose([](const Call& call) { return drop_channels(call, 3, 4); })
    .random()
    .samples("call(T(2, 3, 4, 4), 0.5)")
    .rejects("ops.dropout2d(ones(2))", "ValueError",
             "dropout2d: input has shape (2,); it must have 3 or 4 dimensions");

DYAD_OP("dropout3d(input: Tensor, p: float=0.5, training: bool=True) -> Tensor")
    .doc(
        "Channel dropout of (N, C, D, H, W) tensors: in training whole channels become 0 with probability p, "
        "and the others are divided by 1 − p.")
    .formula("out[n, c, …] = input[n, c, …] · m[n, c] / (1 − p), P(m[n, c] = 0) = p", "training=True")
    .formula("out = input", "training=False")
    .arg("input", "floats of shape (N, C, D, H, W) or (C, D, H, W).")
    .arg("p", "probability of 0, in [0, 1].")
    .arg("training", "whether channels are dropped.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.dropout, nn.Dropout3d")
    .shares_memory()
    .compose([](const Call& call) { return drop_channels(call, 4, 5); })
    .random()
    .samples("call(T(2, 3, 2, 2, 2), 0.5)")
    .rejects("ops.dropout3d(ones(2))", "ValueError",
             "dropout3d: input has shape (2,); it must have 4 or 5 dimensions");

}  // namespace dyad
