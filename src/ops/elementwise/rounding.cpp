#include <cmath>

#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(rint, cast);

constexpr std::string_view kStep = "the result is constant between its steps";

}  // namespace

DYAD_OP("floor(input: Tensor) -> Tensor")
    .doc("Floor, ⌊x⌋: the largest integer that is not greater than x.")
    .formula("floor(x) = ⌊x⌋")
    .see("ops.ceil, ops.trunc")
    .method()
    .inplace("floor_")
    .primitive("Floor")
    .alias("x", "input")
    .mint("floor")
    .numpy_function("floor")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.floor(input)")
    .samples("unary(only='real')", "call(V([True, False], 'bool'))")
    .rejects("ops.floor(Tensor([1j]))", "TypeError", "floor: not defined for Complex128");

DYAD_OP("ceil(input: Tensor) -> Tensor")
    .doc("Ceiling, ⌈x⌉: the smallest integer that is not less than x.")
    .formula("ceil(x) = ⌈x⌉")
    .see("ops.floor")
    .method()
    .inplace("ceil_")
    .primitive("Ceil")
    .alias("x", "input")
    .mint("ceil")
    .numpy_function("ceil")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.ceil(input)")
    .samples("unary(only='real')", "call(V([True, False], 'bool'))")
    .rejects("ops.ceil(Tensor([1j]))", "TypeError", "ceil: not defined for Complex128");

DYAD_OP("trunc(input: Tensor) -> Tensor")
    .doc("Truncation towards 0: x without its fraction.")
    .formula("trunc(x) = sign(x) · ⌊|x|⌋")
    .see("ops.floor, ops.frac")
    .function("fix")
    .method()
    .inplace("trunc_")
    .primitive("Trunc")
    .alias("x", "input")
    .mint("fix", "trunc")
    .numpy_function("fix", "trunc")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.trunc(input)")
    .samples("unary(only='real')", "call(V([True, False], 'bool'))")
    .rejects("ops.trunc(Tensor([1j]))", "TypeError", "trunc: not defined for Complex128");

DYAD_OP("rint(input: Tensor) -> Tensor")
    .doc("Rounding to the nearest integer, halves to even.")
    .formula("rint(x) = the integer nearest to x, the even one of two")
    .see("ops.round")
    .primitive("Rint")
    .alias("x", "input")
    .alias("input_x", "input")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.rint(input)")
    .samples("unary(only='float')", "call(V([0.5, 1.5, -0.5, 2.5], 'float32'))")
    .rejects("ops.rint(Tensor([1j]))", "TypeError", "rint: not defined for Complex128");

DYAD_OP("round(input: Tensor, decimals: int=0) -> Tensor")
    .doc("Rounding to `decimals` digits after the point, halves to even.")
    .formula("round(x) = rint(x · 10^decimals) / 10^decimals")
    .arg("input", "integers or floats, any shape.")
    .arg("decimals", "digits after the point; a negative number rounds before the point.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.rint, ops.floor")
    .function("round(input, *, decimals=0)")
    .method()
    .inplace("round_")
    .primitive("Round")
    .alias("x", "input")
    .mint("round")
    .numpy_function("rint")
    .compose_wide([](const Call& c) {
      const Value& x = c.value(0);
      const int64_t decimals = c.integer(1);
      if (decimals == 0 || (is_int(x->dtype) && decimals > 0)) return rint(x);
      const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
      if (is_int(x->dtype)) return cast(rint(cast(x, DType::kFloat64) / scale) * scale, x->dtype);
      return decimals > 0 ? rint(x * scale) / scale : rint(x / scale) * scale;
    })
    .no_grad(kStep)
    .numpy("np.round(input, decimals)")
    .samples("unary(only='float')", "call(T(2, 3, lo=-30, hi=30), 1)", "call(T(2, 3, lo=-30, hi=30), -1)",
             "call(T(5, lo=-100, hi=100), -1, dtypes='int32+int64')")
    .rejects("ops.round(ones(2), decimals=1.5)", "TypeError", "decimals is 1.5");

DYAD_OP("frac(input: Tensor) -> Tensor")
    .doc("Fractional part, x − trunc(x), with the sign of x.")
    .formula("frac(x) = x − trunc(x)")
    .see("ops.trunc")
    .function("frac(x:input)")
    .method()
    .inplace("frac_")
    .alias("x", "input")
    .mint("frac")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, g.grad()); })
    .numpy("np.asarray(input) - np.trunc(input)")
    .samples("unary(only='real')")
    .rejects("ops.frac(Tensor([1j]))", "TypeError", "frac: not defined for Complex128");

}  // namespace dyad
