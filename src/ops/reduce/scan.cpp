#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/scan_gradient.h"

namespace dyad {

namespace {

DYAD_USE(logcumsumexp, narrow, pad_constant, flip, cast, concat, conjugate, cumprod, cumprod_grad, cumsum,
         not_equal, place_along, reshape, slice_view, sum, weighed_scan);

int64_t scan_axis(const Arguments& args, size_t at) {
  return normalize_axis(args.op(), args.integer(at), std::max<int64_t>(args.in(0).rank(), 1));
}

DType widened(DType dtype) { return is_int(dtype) || is_bool(dtype) ? DType::kInt64 : dtype; }

void infer_cumsum(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  scan_axis(args, 1);
  results.add(args.dtype(4, is_bool(input.dtype) ? DType::kInt64 : input.dtype), input.shape);
}

void infer_cumprod(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  scan_axis(args, 1);
  results.add(args.dtype(4, widened(input.dtype)), input.shape);
}

void infer_running_extreme(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  infer::require_dtype(args, 0, !is_complex(input.dtype), "bool, integer and floating dtypes");
  scan_axis(args, 1);
  results.add(input.dtype, input.shape);
  results.add(DType::kInt64, input.shape);
}

Value as_input(GradCall& g, size_t at, const Value& gradient) {
  return gradient->dtype == g.in(at).dtype ? gradient : cast(gradient, g.in(at).dtype);
}

void grad_running_extreme(GradCall& g) {
  if (!g.grad(0)) return;
  const ValueImpl& input = g.in(0);
  if (input.rank() == 0) return g.set(0, g.grad(0));
  const auto axis = static_cast<size_t>(scan_axis(g, 1));
  g.set(0, place_along(g.grad(0), g.out(1), g[1], Dims{input.shape[axis]}));
}

/// The part of `input` from `start` to `stop` along `axis`.
Value part(const Value& input, int64_t axis, Dim start, Dim stop) {
  const auto rank = static_cast<size_t>(input->rank());
  Dims starts(rank, Dim(0));
  Dims stops = input->shape;
  starts[static_cast<size_t>(axis)] = start;
  stops[static_cast<size_t>(axis)] = stop;
  return slice_view(input, starts, stops, Dims(rank, Dim(1)));
}

}  // namespace

DYAD_OP(
    "cumsum(input: Tensor, axis: int, exclusive: bool=False, reverse: bool=False, dtype: dtype?=None) -> "
    "Tensor")
    .doc(
        "Cumulative sum along an axis. `exclusive` leaves out the element itself, `reverse` starts at the "
        "end.")
    .formula("out[…, i, …] = Σₖ input[…, k, …], k ≤ i", "neither")
    .formula("out[…, i, …] = Σₖ input[…, k, …], k < i", "exclusive=True")
    .formula("out[…, i, …] = Σₖ input[…, k, …], k ≥ i", "reverse=True")
    .arg("input", "numbers, any shape but ().")
    .arg("axis", "axis of the sum.")
    .arg("exclusive", "whether the element itself is left out.")
    .arg("reverse", "whether the sum runs from the end.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.sum, ops.cumprod")
    .function("cumsum(x:input, axis, dtype=None)")
    .primitive("CumSum(exclusive=False, reverse=False)(input, axis)")
    .alias("dim", "axis")
    .mint("cumsum")
    .infer(infer_cumsum)
    .linear()
    .grad([](GradCall& g) { g.set(0, as_input(g, 0, cumsum(g.grad(), g[1], g[2], !g.flag(3)))); })
    .batch(batch::along<1>)
    .cost(1)
    .autocast(Autocast::kFloat32)
    .numpy("ref.cumulate(np.cumsum, 0, input, axis, exclusive, reverse)")
    .samples("call(T(2, 3), axis=1, dtypes='numeric')", "call(T(4, 3, 2), axis=1)",
             "call(T(5), axis=0, exclusive=True)", "call(T(2, 5), axis=-1, reverse=True)",
             "call(T(2, 5), axis=-1, exclusive=True, reverse=True)", "call(T(0, 3), axis=0)",
             "call(strided(T(4, 6)), axis=0)")
    .rejects("ops.cumsum(ones(2, 3), 2)", "ValueError", "cumsum: axis 2");

DYAD_OP("cumsum_method(input: Tensor, axis: int?=None, dtype: dtype?=None) -> Tensor")
    .doc(
        "Cumulative sum along an axis, or over all elements in row-major order. Bools and integers below 32 "
        "bits are summed as int32.")
    .formula("out[…, i, …] = Σₖ input[…, k, …], k ≤ i")
    .arg("input", "numbers, any shape.")
    .arg("axis", "axis of the sum; None: `input` is flattened.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor with the shape of `input`, flattened without an axis.")
    .see("ops.cumsum")
    .hidden()
    .method("cumsum(axis=None, dtype=None)")
    .alias("dim", "axis")
    .compose([](const Call& call) -> Value {
      const DType given = call.in(0).dtype;
      const bool narrow_int = is_bool(given) || (is_int(given) && itemsize(given) < 4);
      const DType dtype = call.dtype(2, narrow_int ? DType::kInt32 : given);
      if (call.has(1)) return cumsum(call.value(0), call[1], false, false, dtype);
      return cumsum(reshape(call.value(0), Dims{size_of(call.in(0).shape)}), 0, false, false, dtype);
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.cumsum(input, axis=axis)")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1)")
    .rejects("ones(2, 3).cumsum(2)", "ValueError", "cumsum: axis 2");

DYAD_OP(
    "cumprod(input: Tensor, axis: int, exclusive: bool=False, reverse: bool=False, dtype: dtype?=None) -> "
    "Tensor")
    .doc(
        "Cumulative product along an axis. `exclusive` leaves out the element itself, `reverse` starts at "
        "the end.")
    .formula("out[…, i, …] = Πₖ input[…, k, …], k ≤ i", "neither")
    .formula("out[…, i, …] = Πₖ input[…, k, …], k < i", "exclusive=True")
    .formula("out[…, i, …] = Πₖ input[…, k, …], k ≥ i", "reverse=True")
    .arg("input", "numbers, any shape but ().")
    .arg("axis", "axis of the product.")
    .arg("exclusive", "whether the element itself is left out.")
    .arg("reverse", "whether the product runs from the end.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.prod, ops.cumsum")
    .function("cumprod(input, dim:axis, dtype=None)")
    .method("cumprod(dim:axis, dtype=None)")
    .primitive("CumProd(exclusive=False, reverse=False)(x:input, axis)")
    .alias("dim", "axis")
    .mint("cumprod")
    .infer(infer_cumprod)
    .grad([](GradCall& g) {
      const Value input = cast(g.value(0), g.grad()->dtype);
      const Value factors = is_complex(input->dtype) ? conjugate(input) : input;
      g.set(0, as_input(g, 0, cumprod_grad(g.grad(), factors, g[1], g[2], g[3])));
    })
    .batch(batch::along<1>)
    .cost(1)
    .autocast(Autocast::kFloat32)
    .numpy("ref.cumulate(np.cumprod, 1, input, axis, exclusive, reverse)")
    .samples("call(T(2, 3), axis=1, dtypes='numeric')", "call(T(4, 3, 2), axis=1)",
             "call(T(5), axis=0, exclusive=True)", "call(T(2, 5), axis=-1, reverse=True)",
             "call(T(2, 5), axis=-1, exclusive=True, reverse=True)",
             "call(V([2.0, 0.0, 3.0, 0.0], 'float32'), axis=0)")
    .rejects("ops.cumprod(ones(2, 3), 2)", "ValueError", "cumprod: axis 2");

DYAD_OP(
    "cumprod_grad(gradient: Tensor, input: Tensor, axis: int, exclusive: bool=False, reverse: bool=False) -> "
    "Tensor")
    .doc("Gradient of cumprod, without dividing by factors that may be zero.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      scan_axis(args, 2);
      infer::require_dtype(args, 0, !is_bool(args.in(0).dtype), "numbers");
      infer::require_like(args, 1, "input", args.in(0));
      infer::same(args, results);
    })
    .compose([](const Call& call) { return running_product_gradient(call); })
    .cost(4)
    .numpy("ref.cumprod_grad(gradient, input, axis, exclusive, reverse)")
    .samples("call(T(2, 3), T(2, 3), axis=1)", "call(T(2, 3), T(2, 3), axis=0, exclusive=True)",
             "call(T(2, 3), T(2, 3), axis=1, reverse=True)",
             "call(T(3), V([2.0, 0.0, 3.0], 'float32'), axis=0)")
    .rejects("dyad._core.named_op('cumprod_grad')(ones(2), ones(2), 1)", "ValueError", "cumprod_grad: axis 1")
    .rejects("dyad._core.named_op('cumprod_grad')(ones(9), ones(2), 0)", "ValueError",
             "cumprod_grad: input has shape (2,)");

DYAD_OP("cummax(input: Tensor, axis: int) -> (Tensor, Tensor)")
    .doc("Cumulative maximum along an axis, and the index where it was last attained.")
    .formula("values[…, i, …] = max over k ≤ i of input[…, k, …]")
    .formula("indices[…, i, …] = the largest k ≤ i with input[…, k, …] = values[…, i, …]")
    .arg("input", "real numbers, any shape but ().")
    .arg("axis", "axis of the scan.")
    .returns("Tuple of the values and the indices, each with the shape of `input`.")
    .see("ops.max, ops.cummin")
    .method()
    .primitive("Cummax(axis)(input)")
    .alias("dim", "axis")
    .mint("cummax")
    .infer(infer_running_extreme)
    .grad(grad_running_extreme)
    .batch(batch::along<1>)
    .cost(1)
    .numpy("ref.running_extreme(np.greater_equal, input, axis)")
    .samples("call(T(2, 5), axis=1, dtypes='real')", "call(T(4, 3, 2), axis=1)", "call(T(0, 3), axis=0)")
    .rejects("ops.cummax(ones(2, 3), 2)", "ValueError", "cummax: axis 2");

DYAD_OP("cummin(input: Tensor, axis: int) -> (Tensor, Tensor)")
    .doc("Cumulative minimum along an axis, and the index where it was last attained.")
    .formula("values[…, i, …] = min over k ≤ i of input[…, k, …]")
    .formula("indices[…, i, …] = the largest k ≤ i with input[…, k, …] = values[…, i, …]")
    .arg("input", "real numbers, any shape but ().")
    .arg("axis", "axis of the scan.")
    .returns("Tuple of the values and the indices, each with the shape of `input`.")
    .see("ops.min, ops.cummax")
    .method()
    .primitive("Cummin(axis)(input)")
    .alias("dim", "axis")
    .mint("cummin")
    .infer(infer_running_extreme)
    .grad(grad_running_extreme)
    .batch(batch::along<1>)
    .cost(1)
    .numpy("ref.running_extreme(np.less_equal, input, axis)")
    .samples("call(T(2, 5), axis=1, dtypes='real')", "call(T(4, 3, 2), axis=1)", "call(T(0, 3), axis=0)")
    .rejects("ops.cummin(ones(2, 3), 2)", "ValueError", "cummin: axis 2");

DYAD_OP("logcumsumexp(input: Tensor, axis: int) -> Tensor")
    .doc("Logarithm of the cumulative sum of exponentials along an axis, computed without overflow.")
    .formula("out[…, i, …] = log Σₖ exp(input[…, k, …]), k ≤ i")
    .arg("input", "floats, any shape but ().")
    .arg("axis", "axis of the sum.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.logsumexp, ops.cumsum")
    .method()
    .alias("dim", "axis")
    .infer([](const Arguments& args, Results& results) {
      infer::require_dtype(args, 0, is_float(args.in(0).dtype), "floating dtypes");
      scan_axis(args, 1);
      infer::same(args, results);
    })
    .grad([](GradCall& g) { g.set(0, weighed_scan(g.grad(), g[0], g.out(), g[1], true)); })
    .batch(batch::along<1>)
    .cost(4)
    .autocast(Autocast::kFloat32)
    .numpy("np.logaddexp.accumulate(input, axis=axis)")
    .samples("call(T(2, 5), axis=1, dtypes='float')", "call(T(4, 3, 2), axis=0)",
             "call(V([-500.0, 300.0, 800.0], 'float32'), axis=0)")
    .rejects("ops.logcumsumexp(ones(2, 3), 2)", "ValueError", "logcumsumexp: axis 2");

DYAD_OP(
    "cumulative_logsumexp(input: Tensor, axis: int, exclusive: bool=False, reverse: bool=False) -> Tensor")
    .doc(
        "Logarithm of the cumulative sum of exponentials along an axis. `exclusive` leaves out the element "
        "itself, `reverse` starts at the end.")
    .formula("out[…, i, …] = log Σₖ exp(input[…, k, …]), k ≤ i", "neither")
    .formula("out[…, i, …] = log Σₖ exp(input[…, k, …]), k < i", "exclusive=True")
    .formula("out[…, i, …] = log Σₖ exp(input[…, k, …]), k ≥ i", "reverse=True")
    .arg("input", "floats, any shape but ().")
    .arg("axis", "axis of the sum.")
    .arg("exclusive", "whether the element itself is left out; the first result is −∞.")
    .arg("reverse", "whether the sum runs from the end.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.logcumsumexp")
    .hidden()
    .primitive("CumulativeLogsumexp(exclusive=False, reverse=False)(x:input, axis)")
    .compose([](const Call& call) -> Value {
      const int64_t axis = scan_axis(call, 1);
      const Dims only{axis};
      const Value x = call.flag(3) ? flip(call.value(0), only) : call.value(0);
      Value sums = logcumsumexp(x, axis);
      if (call.flag(2)) {
        // One place further on, behind a sum of nothing.
        Dims before(x->shape.size(), 0), after(x->shape.size(), 0);
        before[static_cast<size_t>(axis)] = 1;
        const Value later = pad_constant(sums, before, after, -std::numeric_limits<double>::infinity());
        sums = narrow(later, axis, 0, x->shape[static_cast<size_t>(axis)].value());
      }
      return call.flag(3) ? flip(sums, only) : sums;
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.cumulative_logsumexp(input, axis, exclusive, reverse)")
    .samples("call(T(2, 5), 1, dtypes='float32+float64')", "call(T(4, 3), 0, reverse=True)",
             "call(T(4), 0, exclusive=True)", "call(T(2, 4), 1, exclusive=True, reverse=True)")
    .rejects("ops.CumulativeLogsumexp()(ones(2, 3), 2)", "ValueError", "axis 2");

DYAD_OP("diff(input: Tensor, n: int=1, axis: int=-1, prepend: Tensor?=None, append: Tensor?=None) -> Tensor")
    .doc(
        "Differences of neighboring elements along an axis, taken `n` times. For bools: where neighbors "
        "differ.")
    .formula("out[…, i, …] = input[…, i + 1, …] − input[…, i, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("n", "how often differences are taken, ≥ 0.")
    .arg("axis", "axis of the differences.")
    .arg("prepend", "joined before `input` along `axis`.")
    .arg("append", "joined after `input` along `axis`.")
    .returns("Tensor that is shorter by `n` along `axis`.")
    .see("ops.cumsum")
    .function("diff(x:input, n=1, axis=-1, prepend=None, append=None)")
    .method()
    .alias("dim", "axis")
    .mint("diff")
    .compose([](const Call& call) -> Value {
      if (call.in(0).rank() == 0)
        value_error(call.op(), ": input has no dimensions; it must have at least one");
      if (call.integer(1) < 0)
        value_error(call.op(), ": n is ", call.integer(1), "; it must not be negative");
      const int64_t axis = scan_axis(call, 2);
      ValueList pieces;
      if (call.has(3)) pieces.push_back(call.value(3));
      pieces.push_back(call.value(0));
      if (call.has(4)) pieces.push_back(call.value(4));
      Value current = pieces.size() == 1 ? pieces[0] : concat(pieces, axis);
      for (int64_t i = 0; i < call.integer(1); ++i) {
        const Dim size = current->shape[static_cast<size_t>(axis)];
        if (size == Dim(0)) break;
        const Value later = part(current, axis, 1, size);
        const Value earlier = part(current, axis, 0, size - 1);
        current = is_bool(current->dtype) ? not_equal(later, earlier) : later - earlier;
      }
      return current;
    })
    .numpy("ref.diff(input, n, axis, prepend, append)")
    .samples("call(T(2, 5))", "call(T(4, 3), n=2, axis=0, dtypes='numeric')",
             "call(T(4), prepend=T(2), append=T(1))")
    .rejects("ops.diff(ones(2, 3), 1, 2)", "ValueError", "diff: axis 2")
    .rejects("ops.diff(ones(2, 3), -1)", "ValueError", "diff: n is -1");

DYAD_OP("trapz(y: Tensor, x: Tensor?=None, dx: float=1.0, axis: int=-1) -> Tensor")
    .doc("Integral along an axis by the trapezoidal rule.")
    .formula("out[…] = Σᵢ (y[…, i + 1] + y[…, i]) / 2 · (x[i + 1] − x[i])", "x given")
    .formula("out[…] = Σᵢ (y[…, i + 1] + y[…, i]) / 2 · dx", "x=None")
    .arg("y", "values of the function, at least one dimension.")
    .arg("x", "sample points, of shape (n,) or broadcasting with `y`; None: equally spaced.")
    .arg("dx", "spacing of the points without `x`.")
    .arg("axis", "axis of the integral.")
    .returns("Tensor of floats without the axis.")
    .see("ops.cumsum")
    .function("trapz(y, x=None, *, dx=1.0, dim:axis=-1)")
    .compose_wide([](const Call& call) -> Value {
      Value y = call.value(0);
      if (y->rank() == 0) value_error(call.op(), ": y has no dimensions; it must have at least one");
      if (!is_float(y->dtype) && !is_complex(y->dtype)) y = cast(y, DType::kFloat32);
      const int64_t axis = scan_axis(call, 3);
      const Dim size = y->shape[static_cast<size_t>(axis)];
      if (size == Dim(0)) return sum(y, Dims{axis});
      const Value pairs = part(y, axis, 1, size) + part(y, axis, 0, size - 1);
      if (!call.has(1)) return sum(pairs * (0.5 * call.real(2)), Dims{axis});
      Value x = call.value(1);
      if (x->rank() == 1) {
        Dims spread(static_cast<size_t>(y->rank()), Dim(1));
        spread[static_cast<size_t>(axis)] = x->shape[0];
        x = reshape(x, spread);
      }
      const Dim points = x->shape[static_cast<size_t>(axis)];
      return sum(pairs * (part(x, axis, 1, points) - part(x, axis, 0, points - 1)) * 0.5, Dims{axis});
    })
    .numpy("ref.trapezoid(y, x, dx, axis)")
    .samples("call(T(2, 5))", "call(T(2, 5), dx=0.5, axis=0)", "call(T(2, 5), x=T(5))")
    .rejects("ops.trapz(ones(2, 3), dim=2)", "ValueError", "trapz: axis 2");

}  // namespace dyad
