#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(amax, cast, exp, expand_dims, log, log_softmax, log_softmax_grad, log_sum_exp_line, neg, permute,
         reciprocal, reshape, softmax, softmax_grad, sum);

/// A 0-d value is one line of one element.
int64_t line_axis(const Arguments& args, size_t at) {
  return normalize_axis(args.op(), args.integer(at), std::max<int64_t>(args.in(0).rank(), 1));
}

void infer_softmax(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const DType dtype = args.dtype(2, input.dtype);
  if (!is_float(dtype)) {
    type_error(args.op(), ": the dtype ", dtype, " is not accepted; accepted are floating dtypes");
  }
  line_axis(args, 1);
  results.add(dtype, input.shape);
}

void infer_backward(const Arguments& args, Results& results) {
  infer::require_dtype(args, 0, is_float(args.in(0).dtype), "floating dtypes");
  infer::require_like(args, 1, "result", args.in(0));
  line_axis(args, 2);
  infer::same(args, results);
}

void infer_log_sum(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  infer::require_dtype(args, 0, is_float(input.dtype), "floating dtypes");
  Shape shape = input.shape;
  const auto axis = static_cast<size_t>(line_axis(args, 1));
  if (!shape.empty()) shape.erase(axis);
  results.add(input.dtype, shape);
}

Value as_dtype(const Value& value, DType dtype) { return value->dtype == dtype ? value : cast(value, dtype); }

/// The operand less the largest element along the axis, in the dtype that lines are computed in.
Value shifted(const Call& call) {
  const Value input = as_dtype(call.value(0), compute_dtype(call.dtype(2, call.in(0).dtype)));
  return input - amax(input, call[1], true);
}

Value as_input(GradCall& g, const Value& gradient) {
  return gradient->dtype == g.in(0).dtype ? gradient : cast(gradient, g.in(0).dtype);
}

}  // namespace

DYAD_OP("softmax(input: Tensor, axis: int=-1, dtype: dtype?=None) -> Tensor")
    .doc("Softmax: exponentials divided by their sum along `axis`, computed without overflow.")
    .formula("softmax(x)ᵢ = exp(xᵢ) / Σₖ exp(xₖ)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axis of the sum.")
    .arg("dtype", "`input` is converted to it first; None: its own.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.log_softmax, ops.softmin, nn.Softmax")
    .function("softmax(input, axis=-1, *, dtype=None)")
    .method("softmax(axis, dtype=None)")
    .primitive("Softmax(axis=-1)(input)")
    .alias("dim", "axis")
    .alias("x", "input")
    .alias("logits", "input")
    .infer(infer_softmax)
    .decomposes([](const Call& call) {
      const Value share = exp(shifted(call));
      return as_dtype(share * reciprocal(sum(share, call[1], true)), call.dtype(2, call.in(0).dtype));
    })
    .grad([](GradCall& g) { g.set(0, as_input(g, softmax_grad(g.grad(), g.out(), g[1]))); })
    .batch(batch::along<1>)
    .cost(5)
    .autocast(Autocast::kFloat32)
    .numpy("special.softmax(input, axis=axis)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), axis=0, dtypes='float')",
             "call(T(2, 70, 5), axis=1)", "call(T(3, 200))", "call(T(1), axis=0)", "call(T(0, 3))",
             "call(strided(T(4, 6)), axis=-1)", "call(V([[1000.0, 1001.0], [-1000.0, 0.0]], 'float32'))")
    .rejects("ops.softmax(ones(2, 3), 2)", "ValueError", "softmax: axis 2")
    .rejects("ops.softmax(ints(2, 3))", "TypeError", "softmax: the dtype Int64 is not accepted");

DYAD_OP("softmax_grad(gradient: Tensor, result: Tensor, axis: int) -> Tensor")
    .doc("Gradient of softmax from the gradient of its result and the result.")
    .hidden()
    .infer(infer_backward)
    .decomposes([](const Call& call) {
      const DType computing = compute_dtype(call.in(0).dtype);
      const Value gradient = as_dtype(call.value(0), computing);
      const Value result = as_dtype(call.value(1), computing);
      return as_dtype(result * (gradient - sum(gradient * result, call[2], true)), call.in(0).dtype);
    })
    .linear()
    .grad([](GradCall& g) {
      const Value& gradient = g.value(0);
      const Value& result = g.value(1);
      const Value spread = sum(g.grad() * result, g[2], true);
      g.set(0, softmax_grad(g.grad(), result, g[2]));
      g.set(1, g.grad() * (gradient - sum(gradient * result, g[2], true)) - gradient * spread);
    })
    .batch(batch::along<2>)
    .cost(4)
    .numpy("result * (gradient - np.sum(gradient * result, axis, keepdims=True))")
    .samples("call(T(2, 3), T(2, 3), axis=1)", "call(T(4, 3, 2), T(4, 3, 2), axis=1)",
             "call(T(2, 130), T(2, 130), axis=1)")
    .rejects("dyad._core.named_op('softmax_grad')(ones(2, 3), ones(2, 3), 2)", "ValueError",
             "softmax_grad: axis 2")
    .rejects("dyad._core.named_op('softmax_grad')(ones(2, 3), ones(1), 1)", "ValueError",
             "softmax_grad: result has shape (1,)");

DYAD_OP("log_softmax(input: Tensor, axis: int=-1, dtype: dtype?=None) -> Tensor")
    .doc("Logarithm of softmax along `axis`, more accurate than log(softmax(x)).")
    .formula("log_softmax(x)ᵢ = xᵢ − log Σₖ exp(xₖ)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axis of the sum.")
    .arg("dtype", "`input` is converted to it first; None: its own.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.softmax, ops.logsumexp, nn.LogSoftmax")
    .function("log_softmax(logits:input, axis=-1)")
    .method("log_softmax(axis=-1, dtype=None)")
    .primitive("LogSoftmax(axis=-1)(logits:input)")
    .alias("dim", "axis")
    .alias("x", "input")
    .infer(infer_softmax)
    .decomposes([](const Call& call) {
      const Value below = shifted(call);
      return as_dtype(below - log(sum(exp(below), call[1], true)), call.dtype(2, call.in(0).dtype));
    })
    .grad([](GradCall& g) { g.set(0, as_input(g, log_softmax_grad(g.grad(), g.out(), g[1]))); })
    .batch(batch::along<1>)
    .cost(5)
    .autocast(Autocast::kFloat32)
    .numpy("special.log_softmax(input, axis=axis)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), axis=0, dtypes='float')",
             "call(T(2, 70, 5), axis=1)", "call(T(3, 200))", "call(T(0, 3))", "call(strided(T(4, 6)))",
             "call(V([[1000.0, 1001.0], [-1000.0, 0.0]], 'float32'))")
    .rejects("ops.log_softmax(ones(2, 3), 2)", "ValueError", "log_softmax: axis 2");

DYAD_OP("log_softmax_grad(gradient: Tensor, result: Tensor, axis: int) -> Tensor")
    .doc("Gradient of log_softmax from the gradient of its result and the result.")
    .hidden()
    .infer(infer_backward)
    .decomposes([](const Call& call) {
      const DType computing = compute_dtype(call.in(0).dtype);
      const Value gradient = as_dtype(call.value(0), computing);
      const Value share = exp(as_dtype(call.value(1), computing));
      return as_dtype(gradient - share * sum(gradient, call[2], true), call.in(0).dtype);
    })
    .grad([](GradCall& g) {
      const Value share = exp(g.value(1));
      g.set(0, g.grad() - sum(g.grad() * share, g[2], true));
      g.set(1, -(g.grad() * share * sum(g.value(0), g[2], true)));
    })
    .batch(batch::along<2>)
    .cost(4)
    .numpy("gradient - np.exp(result) * np.sum(gradient, axis, keepdims=True)")
    .samples("call(T(2, 3), T(2, 3), axis=1)", "call(T(4, 3, 2), T(4, 3, 2), axis=1)",
             "call(T(2, 130), T(2, 130), axis=1)")
    .rejects("dyad._core.named_op('log_softmax_grad')(ones(2, 3), ones(2, 3), 2)", "ValueError",
             "log_softmax_grad: axis 2");

DYAD_OP("softmin(input: Tensor, axis: int=-1, dtype: dtype?=None) -> Tensor")
    .doc("Softmin: softmax(−x) along `axis`.")
    .formula("softmin(x)ᵢ = exp(−xᵢ) / Σₖ exp(−xₖ)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axis of the sum.")
    .arg("dtype", "`input` is converted to it first; None: its own.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.softmax, nn.Softmin")
    .function("softmin(x:input, axis=-1, *, dtype=None)")
    .alias("dim", "axis")
    .compose([](const Call& call) { return softmax(neg(call.value(0)), call[1], call[2]); })
    .autocast(Autocast::kFloat32)
    .numpy("special.softmax(-input, axis=axis)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), axis=0)")
    .rejects("ops.softmin(ones(2, 3), 2)", "ValueError", "softmin: axis 2");

DYAD_OP("log_sum_exp_line(input: Tensor, axis: int) -> Tensor")
    .doc("Logarithm of the sum of exponentials along one axis, which is dropped.")
    .hidden()
    .infer(infer_log_sum)
    .grad([](GradCall& g) {
      if (g.in(0).rank() == 0) return g.set(0, g.grad());
      g.set(0, expand_dims(g.grad(), g[1]) * exp(g.value(0) - expand_dims(g.out(), g[1])));
    })
    .batch(batch::along<1>)
    .cost(4)
    .numpy("special.logsumexp(input, axis=axis)")
    .samples("call(T(2, 3), axis=1, dtypes='float')", "call(T(2, 3, 4), axis=1)", "call(T(2, 130), axis=-1)")
    .rejects("dyad._core.named_op('log_sum_exp_line')(ones(2, 3), 2)", "ValueError",
             "log_sum_exp_line: axis 2");

DYAD_OP("logsumexp(input: Tensor, axis: ints, keepdims: bool=False) -> Tensor")
    .doc("Logarithm of the sum of exponentials over the given axes, computed without overflow.")
    .formula("out[…] = log Σ exp(input[…])")
    .arg("input", "numbers, any shape; integers are computed as float32.")
    .arg("axis", "axes that are reduced; (): all.")
    .returns("Tensor without the reduced axes.")
    .see("ops.logaddexp, ops.log_softmax")
    .function("logsumexp(input, dim:axis, keepdim:keepdims=False)")
    .method("logsumexp(axis, keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("keep_dims", "keepdims")
    .mint("logsumexp")
    .compose([](const Call& call) -> Value {
      Value input = call.value(0);
      if (is_int(input->dtype) || is_bool(input->dtype)) input = cast(input, DType::kFloat32);
      const Ints axes = infer::axes(call, 1, input->rank());
      const Shape result = infer::reduced(input->shape, axes, call.flag(2));
      if (axes.empty()) return reshape(log_sum_exp_line(input, 0), result);
      if (axes.size() == 1) return reshape(log_sum_exp_line(input, axes[0]), result);
      const Value moved = permute(input, axes_moved_last(input->rank(), axes));
      return reshape(log_sum_exp_line(with_joined_end(moved, axes.size()), -1), result);
    })
    .autocast(Autocast::kFloat32)
    .numpy("special.logsumexp(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='float')", "call(T(2, 3, 4), axis=(0, 2))",
             "call(T(2, 3, 4), axis=-2, keepdims=True)")
    .rejects("ops.logsumexp(ones(2, 3), 2)", "ValueError", "logsumexp: axis 2");

}  // namespace dyad
