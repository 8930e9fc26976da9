// Piecewise linear activations, and the exponential linear units.

#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(elu, leaky_relu, cast, mul, random_uniform, where, greater, less, less_equal, greater_equal,
         logical_and, not_equal, equal, exp, abs, square, sigmoid, silu, reshape, chunk);

/// The gradient where the element lies strictly between two numbers, 0 elsewhere.
Value inside(const GradCall& g, double low, double high, const Value& gradient) {
  const Value& x = g.value(0);
  return where(logical_and(greater(x, low), less(x, high)), gradient, false);
}

/// Both halves of a tensor along an axis.
ValueList halves(const Call& c) {
  if (c.in(0).rank() == 0)
    value_error(c.op(), ": a tensor of 0 dimensions has no halves; at least 1 is needed");
  const int64_t axis = normalize_axis(c.op(), c.integer(1), c.in(0).rank());
  const Dim size = c.in(0).shape[static_cast<size_t>(axis)];
  if (size.known() && size.value() % 2 != 0) {
    value_error(c.op(), ": the size along axis ", axis, " is ", size, "; it must be even");
  }
  if (size == Dim(0)) return {c.value(0), c.value(0)};  // an empty half; chunk returns no empty chunks
  return chunk.all(c.value(0), 2, axis);
}

}  // namespace

DYAD_OP("leaky_relu(input: Tensor, alpha: Number=0.2) -> Tensor")
    .doc("Each element, times alpha where it is negative.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      // At 0 the slope is the mean of those on both sides.
      const Value on_edge = (g.grad() + g.grad() * g[1]) * 0.5;
      const Value right = where(greater(g.value(0), 0), g.grad(), on_edge);
      g.set(0, where(less(g.value(0), 0), g.grad() * g[1], right));
    })
    .numpy("np.where(np.asarray(input) < 0, input * np.asarray(input).dtype.type(alpha), input)")
    .samples("call(T(2, 3), dtypes='float')", "call(strided(T(4, 6)), 0.01, dtypes='float')")
    .rejects("dyad._core.named_op('leaky_relu')('a')", "TypeError", "leaky_relu: input is 'a'");

DYAD_OP("leaky_rectified(input: Tensor, alpha: Operand=0.2) -> Tensor")
    .doc("Leaky ReLU: x, or alpha · x where x is negative.")
    .formula("out = x", "x ≥ 0")
    .formula("out = alpha · x", "x < 0")
    .arg("input", "floats, any shape.")
    .arg("alpha", "slope below 0, a number or a tensor that broadcasts with `input`.")
    .returns("Tensor in the dtype of `input`.")
    .see("ops.relu, nn.LeakyReLU")
    .function("leaky_relu(input, alpha=0.2)")
    .alias("negative_slope", "alpha")
    .alias("x", "input")
    .compose([](const Call& c) {
      if (!c.is_value(1)) return leaky_relu(c.value(0), c[1]);
      const Value& x = c.value(0);
      infer::require_dtype(c, 0, is_float(x->dtype), "float16, bfloat16, float32 and float64");
      return where(less(x, 0), mul(x, cast(c.value(1), x->dtype)), x);
    })
    .numpy("np.where(np.asarray(input) < 0, input * np.asarray(alpha, np.asarray(input).dtype), input)")
    .samples("call(T(2, 3))", "call(T(2, 3), 0.01, dtypes='float')", "call(T(2, 3), T())",
             "call(T(2, 3), T(3))")
    .rejects("ops.leaky_relu('a')", "TypeError", "leaky_relu: input is 'a'");

DYAD_OP("rrelu(input: Tensor, lower: float=0.125, upper: float=0.3333333333333333) -> Tensor")
    .doc(
        "Randomized leaky ReLU: x, or a · x where x is negative, with a drawn for each element. The slope is "
        "drawn in evaluation too.")
    .formula("out = x", "x ≥ 0")
    .formula("out = a · x, a uniform in lower ≤ a < upper", "x < 0")
    .arg("input", "floats, any shape.")
    .arg("lower", "smallest slope.")
    .arg("upper", "largest slope, at least `lower`.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.leaky_relu, nn.RReLU")
    .reference("arXiv:1505.00853")
    .random()
    .compose([](const Call& c) {
      const Value& x = c.value(0);
      if (!(c.real(1) <= c.real(2))) {
        value_error(c.op(), ": lower is ", c.real(1), " and upper ", c.real(2),
                    "; lower must not exceed upper");
      }
      infer::require_dtype(c, 0, is_float(x->dtype), "float16, bfloat16, float32 and float64");
      const Value slope = random_uniform(c.builder(), x->shape, c.real(1), c.real(2), x->dtype);
      return where(less(x, 0), mul(x, slope), x);
    })
    .samples("call(T(2, 3), dtypes='float')")
    .rejects("ops.rrelu(ones(2), 0.5, 0.1)", "ValueError", "lower is 0.5 and upper 0.1")
    .rejects("ops.rrelu(ints(2))", "TypeError", "rrelu: the dtype Int64 is not accepted");

DYAD_OP("elu(input: Tensor, alpha: Number=1.0) -> Tensor")
    .doc("Exponential linear unit, element by element.")
    .formula("elu(x) = x", "x > 0")
    .formula("elu(x) = alpha · (eˣ − 1)", "x ≤ 0")
    .arg("input", "floats, any shape.")
    .arg("alpha", "−alpha is the limit at −∞.")
    .see("ops.celu, ops.selu, nn.ELU")
    .reference("arXiv:1511.07289")
    .function("elu(input_x:input, alpha=1.0)")
    .inplace("elu_")
    .primitive("Elu(alpha=1.0)(input_x:input)")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, where(less(g.value(0), 0), g.grad() * (g.out() + g[1]), g.grad())); })
    .numpy("np.where(np.asarray(input) > 0, input, alpha * np.expm1(input)).astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), 2.5, dtypes='float')")
    .rejects("ops.elu('a')", "TypeError", "input is 'a'");

DYAD_OP("celu(input: Tensor, alpha: Number=1.0) -> Tensor")
    .doc("Continuously differentiable exponential linear unit, element by element.")
    .formula("celu(x) = x", "x > 0")
    .formula("celu(x) = alpha · (exp(x / alpha) − 1)", "x ≤ 0")
    .arg("input", "floats, any shape.")
    .arg("alpha", "−alpha is the limit at −∞ if it is positive; not 0.")
    .see("ops.elu, nn.CELU")
    .reference("arXiv:1704.07483")
    .function("celu(x:input, alpha=1.0)")
    .primitive("CeLU(alpha=1.0)(x:input)")
    .alias("x", "input")
    .elementwise([](const Arguments& args, Results& results) {
      if (args.real(1) == 0) value_error(args.op(), ": alpha is 0; it must be a number other than 0");
      infer::floating(args, results);
    })
    .grad([](GradCall& g) {
      g.set(0, where(greater(g.value(0), 0), g.grad(), g.grad() * (g.out() / g[1] + 1)));
    })
    .numpy(
        "np.where(np.asarray(input) > 0, input, alpha * np.expm1(input / np.float64(alpha)))"
        ".astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), 2.5, dtypes='float')")
    .rejects("ops.celu(ones(2), 0.0)", "ValueError", "alpha is 0");

DYAD_OP("selu(input: Tensor) -> Tensor")
    .doc("Scaled exponential linear unit, which keeps mean 0 and variance 1 through layers.")
    .formula("selu(x) = λ · x", "x > 0")
    .formula("selu(x) = λ · α · (eˣ − 1)", "x ≤ 0")
    .formula("λ = 1.0507009873554805, α = 1.6732632423543772")
    .see("ops.elu, nn.SeLU")
    .reference("arXiv:1706.02515")
    .function("selu(input_x:input)")
    .primitive("SeLU")
    .alias("x", "input")
    .compose([](const Call& c) { return elu(c.value(0), 1.6732632423543772848) * 1.0507009873554804934; })
    .numpy(
        "1.0507009873554804934 * np.where(np.asarray(input) > 0, input, 1.6732632423543772848 * "
        "np.expm1(input))")
    .samples("unary(only='float64')", "call(T(2, 3))")
    .rejects("ops.selu('a')", "TypeError", "input is 'a'");

DYAD_OP("softsign(input: Tensor) -> Tensor")
    .doc("Softsign, x / (1 + |x|), element by element.")
    .formula("softsign(x) = x / (1 + |x|)")
    .see("ops.tanh, nn.Softsign")
    .function("softsign(x:input)")
    .primitive("Softsign")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / square(abs(g.value(0)) + 1)); })
    .numpy("input / (1 + np.abs(input))")
    .samples("unary(only='float')")
    .rejects("ops.softsign('a')", "TypeError", "input is 'a'");

DYAD_OP("hardsigmoid(input: Tensor) -> Tensor")
    .doc("Hard sigmoid, a piecewise linear sigmoid, element by element.")
    .formula("hardsigmoid(x) = min(max(x + 3, 0), 6) / 6")
    .see("ops.sigmoid, ops.hardswish, nn.HSigmoid")
    .reference("arXiv:1905.02244")
    .function("hsigmoid")
    .primitive("HSigmoid")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, inside(g, -3, 3, g.grad() * (1.0 / 6.0))); })
    .numpy("np.clip(input + np.asarray(input).dtype.type(3), 0, 6) / np.asarray(input).dtype.type(6)")
    .samples("unary(lo=-6, hi=6, only='float')")
    .rejects("ops.hardsigmoid('a')", "TypeError", "input is 'a'");

DYAD_OP("hardswish(input: Tensor) -> Tensor")
    .doc("Hard swish, x · hardsigmoid(x), element by element.")
    .formula("hardswish(x) = x · min(max(x + 3, 0), 6) / 6")
    .see("ops.silu, ops.hardsigmoid, nn.HSwish")
    .reference("arXiv:1905.02244")
    .function("hswish")
    .primitive("HSwish")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value middle = g.grad() * (x * (1.0 / 3.0) + 0.5);
      g.set(0, where(less(x, -3), 0, where(greater(x, 3), g.grad(), middle)));
    })
    .numpy("input * np.clip(input + np.asarray(input).dtype.type(3), 0, 6) / np.asarray(input).dtype.type(6)")
    .samples("unary(lo=-6, hi=6, only='float')")
    .rejects("ops.hardswish('a')", "TypeError", "input is 'a'");

DYAD_OP("hardshrink(input: Tensor, lambd: Number=0.5) -> Tensor")
    .doc("Hard shrinkage: x, or 0 where |x| ≤ lambd.")
    .formula("hardshrink(x) = x", "|x| > lambd")
    .formula("hardshrink(x) = 0", "|x| ≤ lambd")
    .arg("input", "floats, any shape.")
    .arg("lambd", "threshold.")
    .see("ops.softshrink, nn.HShrink")
    .method()
    .primitive("HShrink(lambd=0.5)(input)")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, where(equal(g.out(), 0), false, g.grad())); })
    .numpy("np.where(np.abs(input) <= lambd, 0, input).astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), 1.5, dtypes='float')")
    .rejects("ops.hardshrink('a')", "TypeError", "hardshrink: input is 'a'");

DYAD_OP("softshrink(input: Tensor, lambd: Number=0.5) -> Tensor")
    .doc("Soft shrinkage, sign(x) · max(|x| − lambd, 0).")
    .formula("softshrink(x) = sign(x) · max(|x| − lambd, 0)")
    .arg("input", "floats, any shape.")
    .arg("lambd", "threshold.")
    .see("ops.hardshrink, nn.SoftShrink")
    .function("soft_shrink")
    .method("soft_shrink(lambd=0.5)")
    .primitive("SoftShrink(lambd=0.5)(input)")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, where(equal(g.out(), 0), false, g.grad())); })
    .numpy("(np.sign(input) * np.maximum(np.abs(input) - lambd, 0)).astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), 1.5, dtypes='float')")
    .rejects("ops.softshrink('a')", "TypeError", "softshrink: input is 'a'");

DYAD_OP("threshold(input: Tensor, thr: Number, value: Number) -> Tensor")
    .doc("Threshold: x where x > thr, else `value`.")
    .formula("out = x", "x > thr")
    .formula("out = value", "x ≤ thr")
    .arg("input", "integers or floats, any shape.")
    .arg("thr", "threshold.")
    .arg("value", "the result at and below the threshold.")
    .see("ops.relu, nn.Threshold")
    .inplace("threshold_")
    .alias("threshold", "thr")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, where(greater(g.value(0), g[1]), g.grad(), false)); })
    .numpy("np.where(np.asarray(input) > thr, input, value).astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), 0.5, 9.0, dtypes='float')", "call(T(2, 3), 1, 9, dtypes='int32+int64')")
    .rejects("ops.threshold('a', 0, 0)", "TypeError", "threshold: input is 'a'");

DYAD_OP("prelu(input: Tensor, weight: Tensor) -> Tensor")
    .doc(
        "Parametric ReLU: x, or a learned slope times x where x is negative. c is the index along dimension "
        "1.")
    .formula("out[n, c, …] = input[n, c, …]", "input[n, c, …] > 0")
    .formula("out[n, c, …] = weight[c] · input[n, c, …]", "otherwise")
    .arg("input", "floats; its dimension 1 has the channels.")
    .arg("weight", "one slope per channel, or one for all.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.leaky_relu, nn.PReLU")
    .reference("arXiv:1502.01852")
    .primitive("PReLU")
    .alias("x", "input")
    .alias("w", "weight")
    .compose([](const Call& c) {
      const Value& x = c.value(0);
      const Value& weight = c.value(1);
      if (weight->rank() > 1) {
        value_error(c.op(), ": weight has shape ", weight->shape, "; it must have one dimension");
      }
      const Dim count = size_of(weight->shape);
      const bool single = count.known() && count.value() == 1;
      const Dim channels = x->rank() > 1 ? x->shape[1] : Dim(1);
      if (!single && count.known() && channels.known() && !(count == channels)) {
        value_error(c.op(), ": weight has ", count, " elements; it must have 1 or as many as input of shape ",
                    x->shape, " has channels, ", channels);
      }
      Shape spread(x->shape.size(), 1);
      if (!single && x->rank() > 1) spread[1] = count;
      return where(greater(x, 0), x, mul(x, reshape(weight, spread)));
    })
    .autocast(Autocast::kLow)
    .numpy("ref.prelu(input, weight)")
    .samples("call(T(2, 3, 4), T(3), dtypes='float')", "call(T(2, 3), T(1), dtypes='float')",
             "call(T(4), T(1))")
    .rejects("ops.prelu(ones(2, 3), ones(4))", "ValueError", "weight has 4 elements");

DYAD_OP("glu(x: Tensor, axis: int=-1) -> Tensor")
    .doc("Gated linear unit, a · sigmoid(b), where a and b are the halves of `x` along `axis`.")
    .formula("glu(x) = a · sigmoid(b), (a, b) = split(x, 2)")
    .arg("x", "floats; the size along `axis` is even.")
    .arg("axis", "axis that is halved.")
    .returns("Tensor with half the size along `axis`.")
    .see("ops.swiglu, nn.GLU")
    .reference("arXiv:1612.08083")
    .primitive("GLU(axis=-1)(x)")
    .alias("dim", "axis")
    .alias("input", "x")
    .compose([](const Call& c) {
      const ValueList half = halves(c);
      return mul(half[0], sigmoid(half[1]));
    })
    .numpy("(lambda a, b: a * special.expit(b))(*np.split(np.asarray(x), 2, axis))")
    .samples("call(T(2, 6), dtypes='float')", "call(T(4, 3), 0)", "call(T(2, 0))")
    .rejects("ops.glu(Tensor(1.0))", "ValueError", "glu: a tensor of 0 dimensions has no halves")
    .rejects("ops.glu(ones(3, 3))", "ValueError", "the size along axis 1 is 3; it must be even");

DYAD_OP("swiglu(input: Tensor, dim: int=-1) -> Tensor")
    .doc("SwiGLU, silu(a) · b, where a and b are the halves of `input` along `dim`.")
    .formula("swiglu(x) = silu(a) · b, (a, b) = split(x, 2)")
    .arg("input", "floats; the size along `dim` is even.")
    .arg("dim", "axis that is halved.")
    .returns("Tensor with half the size along `dim`.")
    .see("ops.glu, ops.silu")
    .reference("arXiv:2002.05202")
    .alias("axis", "dim")
    .compose([](const Call& c) {
      const ValueList half = halves(c);
      return mul(silu(half[0]), half[1]);
    })
    .numpy("(lambda a, b: a * special.expit(a) * b)(*np.split(np.asarray(input), 2, dim))")
    .samples("call(T(2, 6), dtypes='float')", "call(T(4, 3), 0)")
    .rejects("ops.swiglu(ones(3, 3))", "ValueError", "the size along axis 1 is 3; it must be even");

}  // namespace dyad
