#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(rand_like, less, cast, multinomial, softmax, randperm, index_select);

void infer_multinomial(const Arguments& args, Results& results) {
  const ValueImpl& weights = args.in(0);
  if (weights.rank() != 1 && weights.rank() != 2) {
    value_error(args.op(), ": input has shape ", weights.shape, "; it must have 1 or 2 dimensions");
  }
  infer::require_dtype(args, 0, is_float(weights.dtype) || is_int(weights.dtype), "float and integer dtypes");
  const int64_t samples = args.integer(1);
  const Dim columns = weights.shape.back();
  if (samples < 0) value_error(args.op(), ": num_samples is ", samples, "; it must be 0 or more");
  if (columns.known() && columns.value() == 0) value_error(args.op(), ": input has no column to draw from");
  if (!args.flag(2) && columns.known() && samples > columns.value()) {
    value_error(args.op(), ": ", samples, " samples without replacement are asked of ", columns, " columns");
  }
  Shape shape = weights.shape;
  shape.back() = samples;
  results.add(args.dtype(4), shape);
}

void infer_permutation(const Arguments& args, Results& results) {
  const Dim n = infer::size(args, 0, "n");
  const DType dtype = args.dtype(3);
  if (is_bool(dtype) || is_complex(dtype))
    type_error(args.op(), ": the dtype ", dtype, " cannot hold positions");
  results.add(dtype, {n});
}

}  // namespace

DYAD_OP(
    "multinomial(input: Tensor, num_samples: int, replacement: bool=True, seed: int?=None, dtype: "
    "dtype=int32) "
    "-> Tensor")
    .doc(
        "Multinomial sampling: draws column indices of each row in proportion to its weights. Without "
        "replacement the weight of a drawn index becomes 0.")
    .formula("P(out[…, k] = j) = input[…, j] / Σᵢ input[…, i], for each draw k")
    .arg("input", "weights ≥ 0 of shape (n,) or (rows, n).")
    .arg("num_samples", "how many draws per row.")
    .arg("replacement", "whether an index may be drawn again.")
    .arg("dtype", "int32 or int64: the dtype of the result.")
    .returns("Tensor of shape (num_samples,) or (rows, num_samples).")
    .see("ops.bernoulli")
    .function("multinomial(input, num_samples, replacement=True, seed=None)")
    .method("multinomial(num_samples, replacement=True, seed=None)")
    .infer(infer_multinomial)
    .random()
    .no_grad("integer result")
    .cost(1)
    .samples("call(F(4, lo=0.1, hi=1), 8)", "call(F(2, 5, lo=0.1, hi=1), 5, False)")
    .rejects("ops.multinomial(ones(2, 3), 4, False)", "ValueError",
             "4 samples without replacement are asked of 3 columns")
    .rejects("ops.multinomial(-ones(3), 2)", "ValueError", "weights must be finite and 0 or more");

DYAD_OP("random_categorical(logits: Tensor, num_sample: int, seed: int=0, dtype: dtype=int64) -> Tensor")
    .doc("Categorical sampling: draws column indices of each row from unnormalized log-probabilities.")
    .formula("P(out[n, k] = j) = softmax(logits[n])[j]")
    .arg("logits", "floats of shape (rows, n).")
    .arg("num_sample", "how many draws per row.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor of shape (rows, num_sample).")
    .see("ops.multinomial")
    .method("random_categorical(num_sample, seed=0, dtype=int64)")
    .primitive("RandomCategorical(dtype=int64)(logits, num_sample, seed=0)")
    .compose([](const Call& call) {
      return multinomial(softmax(call[0], -1), call[1], true, call[2], call[3]);
    })
    .random()
    .no_grad("integer result")
    .samples("call(F(2, 5), 4)")
    .rejects("ops.random_categorical(ones(2, 3, 4), 1)", "ValueError", "it must have 1 or 2 dimensions");

DYAD_OP("randperm(n: size, reserved: int=0, seed: int=0, dtype: dtype=int64) -> Tensor")
    .doc("Random permutation of the numbers 0 to n − 1, each with equal probability.")
    .formula("out = (π(0), …, π(n − 1)), P(π) = 1 / n!")
    .arg("n", "how many numbers.")
    .arg("reserved", "accepted for MindSpore; has no effect.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor of shape (n,).")
    .see("ops.shuffle")
    .function("randperm(n, seed=0, offset:reserved=0, dtype=int64)")
    .primitive("RandpermV2(seed=0, offset:reserved=0, dtype=int64)(n)")
    .infer(infer_permutation)
    .random()
    .no_grad("integer result")
    .moves(Movement::kOther)
    .samples("call(6)", "call(0)")
    .rejects("ops.randperm(-1)", "ValueError", "randperm: n is -1; it must be 0 or more");

DYAD_OP("shuffle(x: Tensor, seed: int?=None) -> Tensor")
    .doc("Random permutation of the rows of a tensor.")
    .formula("out[k] = x[π(k)], P(π) = 1 / n!")
    .arg("x", "any dtype and shape.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.randperm")
    .compose([](const Call& call) -> Value {
      if (call.in(0).rank() == 0) return call.value(0);
      const Value order = randperm(call.builder(), Dims{call.in(0).shape[0]}, 0, call.integer(1, 0));
      return index_select(call[0], 0, order);
    })
    .random()
    .samples("call(T(5, 2))")
    .rejects("ops.shuffle(3)", "TypeError", "shuffle: x is 3");

DYAD_OP("bernoulli(input: Tensor, p: Operand=0.5, seed: int?=None) -> Tensor")
    .doc("Bernoulli sampling: 1 with probability p, else 0.")
    .formula("P(out[i] = 1) = p, P(out[i] = 0) = 1 − p")
    .arg("input", "its shape and dtype are read.")
    .arg("p", "probability in [0, 1], a number or a tensor that broadcasts with `input`.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.dropout, ops.rand")
    .compose([](const Call& call) {
      if (const Scalar* p = call[1].get<Scalar>(); p && !(p->to_double() >= 0 && p->to_double() <= 1)) {
        value_error(call.op(), ": p is ", *p, "; it must lie in 0 to 1");
      }
      return cast(less(rand_like(call[0], call[2], DType::kFloat32), call[1]), call.in(0).dtype);
    })
    .random()
    .no_grad("a draw is constant for differentiation")
    .samples("call(T(3, 4), 0.3)", "call(T(3, 4), F(3, 4, lo=0, hi=1))")
    .rejects("ops.bernoulli(ones(2), 1.5)", "ValueError", "bernoulli: p is 1.5; it must lie in 0 to 1");

DYAD_OP("bernoulli_of(input: Tensor, seed: int?=None) -> Tensor")
    .hidden()
    .doc("1 with the probability that the element holds and 0 otherwise.")
    .compose([](const Call& call) {
      return cast(less(rand_like(call[0], call[1], DType::kFloat32), call[0]), call.in(0).dtype);
    })
    .random()
    .no_grad("a draw is constant for differentiation")
    .samples("call(F(3, 4, lo=0, hi=1))")
    .rejects("dyad._core.named_op('bernoulli_of')(3)", "TypeError", "input is 3");

}  // namespace dyad
