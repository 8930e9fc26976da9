#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(assign, relu, relu_grad, sigmoid, sigmoid_grad, silu_grad, gelu_erf, gelu_tanh, gelu_erf_grad,
         gelu_tanh_grad, tanh, exp, erf, square, mul, softplus, greater, where);

}  // namespace

DYAD_OP("relu(input: Tensor) -> Tensor")
    .primitive("ReLUV3()(x:input)")
    .doc("Rectified linear unit, max(x, 0), element by element. NaN stays NaN.")
    .formula("relu(x) = max(x, 0)")
    .see("ops.relu6, ops.leaky_relu, nn.ReLU")
    .method()
    .inplace("relu_")
    .primitive("ReLU")
    .alias("x", "input")
    .alias("input_x", "input")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, relu_grad(g.grad(), g.out())); })
    .numpy("np.maximum(input, 0)")
    .samples("unary(only='real')", "call(V([np.nan, -np.inf, np.inf], 'float32'))")
    .rejects("ops.relu(Tensor([1j]))", "TypeError", "relu: not defined for Complex128");

DYAD_OP("relu_inplace_or_not(input: Tensor, inplace: bool) -> Tensor")
    .doc("Rectified linear unit, max(x, 0), written into `input` if `inplace` is True.")
    .formula("relu(x) = max(x, 0)")
    .arg("input", "integers or floats, any shape.")
    .arg("inplace", "whether the result is written into `input`.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.relu, nn.ReLU")
    .hidden()
    .further_function("relu(input, inplace)")
    .compose([](const Call& c) {
      const Value result = relu(c.value(0));
      return c.flag(1) ? assign(c.value(0), result) : result;
    })
    .numpy("np.maximum(input, 0)")
    .samples("call(T(2, 3), False, dtypes='real')")
    .rejects("ops.relu(ones(2), 'a')", "TypeError", "relu");

DYAD_OP("relu_grad(gradient: Tensor, output: Tensor) -> Tensor")
    .doc("Gradient of relu from the gradient of its result and the result.")
    .hidden()
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, relu_grad(g.grad(), g.value(1))); })
    .numpy("np.where(np.asarray(output) > 0, gradient, np.zeros_like(gradient))")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('relu_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("sigmoid(input: Tensor) -> Tensor")
    .doc("Logistic sigmoid, 1 / (1 + e⁻ˣ), element by element.")
    .formula("sigmoid(x) = 1 / (1 + exp(−x))")
    .see("ops.logsigmoid, ops.hardsigmoid, nn.Sigmoid")
    .method()
    .inplace("sigmoid_")
    .primitive("Sigmoid")
    .alias("x", "input")
    .alias("input_x", "input")
    .mint("sigmoid")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, sigmoid_grad(g.grad(), conjugated(g.out()))); })
    .numpy("1 / (1 + np.exp(-np.asarray(input)))")
    .samples("unary(only='float')", "call(T(2, 3), dtypes='complex')",
             "call(V([-200.0, 200.0, np.inf, -np.inf, np.nan], 'float32'))")
    .rejects("ops.sigmoid('a')", "TypeError", "sigmoid: input is 'a'");

DYAD_OP("sigmoid_grad(gradient: Tensor, output: Tensor) -> Tensor")
    .doc("Gradient of sigmoid from the gradient of its result and the result.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      g.set(0, sigmoid_grad(g.grad(), conjugated(g.value(1))));
      g.set(1, g.grad() * conjugated(g.value(0) * (1.0 - g.value(1) * 2)));
    })
    .numpy("gradient * output * (1 - output)")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('sigmoid_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("silu(input: Tensor) -> Tensor")
    .doc("SiLU (swish): x · sigmoid(x), element by element.")
    .formula("silu(x) = x · sigmoid(x) = x / (1 + exp(−x))")
    .see("ops.gelu, ops.swiglu, nn.SiLU")
    .reference("arXiv:1702.03118")
    .function("swish")
    .inplace("silu_")
    .primitive("SiLU")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, silu_grad(g.grad(), conjugated(g[0]))); })
    .numpy("np.asarray(input) / (1 + np.exp(-np.asarray(input)))")
    .samples("unary(only='float+complex')")
    .rejects("ops.silu('a')", "TypeError", "silu: input is 'a'");

DYAD_OP("silu_grad(gradient: Tensor, input: Tensor) -> Tensor")
    .doc("Gradient of silu from the gradient of its result and its input.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(1);
      const Value s = sigmoid(x);
      g.set(0, silu_grad(g.grad(), conjugated(g[1])));
      g.set(1, g.grad() * conjugated(g.value(0) * (s * (1.0 - s) * (x * (1.0 - s * 2) + 2))));
    })
    .numpy("gradient * special.expit(input) * (1 + input * (1 - special.expit(input)))")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('silu_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("gelu(input: Tensor, approximate: str='none') -> Tensor")
    .doc("Gaussian error linear unit, element by element. Φ is the standard normal distribution function.")
    .formula("gelu(x) = x · Φ(x) = x/2 · (1 + erf(x/√2))", "approximate='none'")
    .formula("gelu(x) ≈ x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))", "approximate='tanh'")
    .arg("approximate", "'none' (exact) or 'tanh'.")
    .see("nn.GELU, ops.silu")
    .reference("arXiv:1606.08415")
    .alias("x", "input")
    .alias("input_x", "input")
    .compose([](const Call& c) {
      if (c.text(1) == "none") return gelu_erf(c.value(0));
      if (c.text(1) == "tanh") return gelu_tanh(c.value(0));
      value_error(c.op(), ": approximate is '", c.text(1), "'; it must be 'none' or 'tanh'");
    })
    .numpy("ref.gelu(input, approximate)")
    .samples("unary(only='float')", "call(T(2, 3), 'tanh', dtypes='float')")
    .rejects("ops.gelu(ones(2), 'fast')", "ValueError", "approximate is 'fast'");

DYAD_OP("gelu_erf(input: Tensor) -> Tensor")
    .doc("x (1 + erf(x / sqrt 2)) / 2 of each element.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, gelu_erf_grad(g.grad(), g.value(0))); })
    .numpy("ref.gelu(input)")
    .samples("unary(only='float')")
    .rejects("ops.gelu('a')", "TypeError", "gelu: input is 'a'");

DYAD_OP("gelu_erf_grad(gradient: Tensor, input: Tensor) -> Tensor")
    .doc("Gradient of the exact gelu from the gradient of its result and its input.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(1);
      const Value density = exp(square(x) * -0.5) * 0.39894228040143267794;
      g.set(0, gelu_erf_grad(g.grad(), x));
      g.set(1, g.grad() * g.value(0) * (density * (2.0 - square(x))));
    })
    .numpy("gradient * ref.gelu_slope(input)")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('gelu_erf_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("gelu_tanh(input: Tensor) -> Tensor")
    .doc("Gaussian error linear unit in its approximation by tanh, element by element.")
    .formula("gelu(x) ≈ x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))")
    .see("ops.gelu, nn.GELU")
    .reference("arXiv:1606.08415")
    .hidden()
    .primitive("GeLU")
    .primitive("Gelu")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, gelu_tanh_grad(g.grad(), g.value(0))); })
    .numpy("ref.gelu(input, 'tanh')")
    .samples("unary(only='float')")
    .rejects("ops.gelu('a', 'tanh')", "TypeError", "gelu: input is 'a'");

DYAD_OP("gelu_tanh_grad(gradient: Tensor, input: Tensor) -> Tensor")
    .doc("Gradient of the approximate gelu from the gradient of its result and its input.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      constexpr double kScale = 0.79788456080286535588;
      constexpr double kCubic = 0.044715;
      const Value& x = g.value(1);
      const Value t = tanh((x + x * square(x) * kCubic) * kScale);
      const Value inner = (square(x) * (3 * kCubic) + 1) * kScale;
      const Value falls = 1.0 - square(t);
      const Value curve =
          falls * inner - x * t * falls * square(inner) + x * x * falls * (3 * kCubic * kScale);
      g.set(0, gelu_tanh_grad(g.grad(), x));
      g.set(1, g.grad() * g.value(0) * curve);
    })
    .numpy("gradient * ref.gelu_slope(input, 'tanh')")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('gelu_tanh_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("fast_gelu(x: Tensor) -> Tensor")
    .doc("Fast GELU: x · sigmoid(1.702 x), a coarse approximation of `gelu`.")
    .formula("fast_gelu(x) = x · sigmoid(1.702 x)")
    .see("ops.gelu, nn.FastGelu")
    .reference("arXiv:1606.08415")
    .primitive("FastGeLU")
    .primitive("FastGelu")
    .compose([](const Call& c) { return mul(c.value(0), sigmoid(c.value(0) * 1.702)); })
    .numpy("np.asarray(x) * special.expit(1.702 * np.asarray(x))")
    .samples("unary(only='float')")
    .rejects("ops.fast_gelu('a')", "TypeError", "x is 'a'");

DYAD_OP("softplus(input: Tensor, beta: Number=1, threshold: Number=20) -> Tensor")
    .doc("Softplus, log(1 + e^(βx)) / β, element by element; x itself where βx exceeds the threshold.")
    .formula("softplus(x) = log(1 + exp(beta · x)) / beta", "beta · x ≤ threshold")
    .formula("softplus(x) = x", "beta · x > threshold")
    .arg("input", "floats, any shape.")
    .arg("beta", "sharpness of the bend.")
    .arg("threshold", "above it the result is x.")
    .see("ops.logsigmoid, ops.mish")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value scaled = g.value(0) * g[1];
      g.set(0, where(greater(scaled, g[2]), g.grad(), g.grad() * sigmoid(scaled)));
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "np.where(input * np.float64(beta) > threshold, input, np.log1p(np.exp(input * np.float64(beta))) / "
        "beta)"
        ".astype(np.asarray(input).dtype)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3, lo=-9, hi=9), 2.0, 4.0, dtypes='float')",
             "call(V([100.0, -100.0, 19.0], 'float32'))")
    .rejects("ops.softplus('a')", "TypeError", "softplus: input is 'a'");

DYAD_OP("softplus_plain(input: Tensor) -> Tensor")
    .doc("Softplus, log(1 + eˣ), element by element.")
    .formula("softplus(x) = log(1 + exp(x))")
    .see("ops.softplus")
    .hidden()
    .primitive("Softplus")
    .alias("x", "input")
    .compose([](const Call& c) { return softplus(c.value(0)); })
    .autocast(Autocast::kFloat32)
    .numpy("np.logaddexp(0, input).astype(np.asarray(input).dtype)")
    .samples("unary(only='float')")
    .rejects("ops.Softplus()('a')", "TypeError", "input is 'a'");

DYAD_OP("logsigmoid(input: Tensor) -> Tensor")
    .doc("Logarithm of the sigmoid, −log(1 + e⁻ˣ), element by element.")
    .formula("logsigmoid(x) = log(sigmoid(x)) = −log(1 + exp(−x))")
    .see("ops.sigmoid, nn.LogSigmoid")
    .function("logsigmoid(x:input)")
    .function("log_sigmoid")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * sigmoid(-g.value(0))); })
    .numpy("-np.logaddexp(0, -np.asarray(input)).astype(np.asarray(input).dtype)")
    .samples("unary(only='float')", "call(V([100.0, -100.0, -1000.0], 'float32'))")
    .rejects("ops.logsigmoid('a')", "TypeError", "input is 'a'");

DYAD_OP("mish(input: Tensor) -> Tensor")
    .doc("Mish: x · tanh(softplus(x)), element by element.")
    .formula("mish(x) = x · tanh(log(1 + exp(x)))")
    .see("ops.silu, nn.Mish")
    .reference("arXiv:1908.08681")
    .function("mish(x:input)")
    .primitive("Mish")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value t = tanh(softplus(x));
      g.set(0, g.grad() * (t + x * sigmoid(x) * (1.0 - square(t))));
    })
    .numpy("np.asarray(input) * np.tanh(np.logaddexp(0, input))")
    .samples("unary(only='float')", "call(V([30.0, -60.0, 100.0], 'float32'))")
    .rejects("ops.mish('a')", "TypeError", "input is 'a'");

DYAD_OP("tanhshrink(input: Tensor) -> Tensor")
    .doc("Tanh shrinkage, x − tanh(x), element by element.")
    .formula("tanhshrink(x) = x − tanh(x)")
    .see("ops.softshrink, nn.Tanhshrink")
    .compose([](const Call& c) { return c.value(0) - tanh(c.value(0)); })
    .numpy("input - np.tanh(input)")
    .samples("unary(only='float')")
    .rejects("ops.tanhshrink('a')", "TypeError", "tanhshrink: input is 'a'");

}  // namespace dyad
