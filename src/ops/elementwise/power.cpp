#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(power, pow, mul, square, sqrt, rsqrt, reciprocal, log, equal, where, cast, div_no_nan);

/// Exponents that have a cheaper operator of their own.
Value short_power(const Value& base, double exponent) {
  if (exponent == 2) return square(base);
  if (exponent == 3) return mul(square(base), base);
  const bool inexact = is_float(base->dtype) || is_complex(base->dtype);
  if (!inexact) return {};
  if (exponent == 0.5) return sqrt(base);
  if (exponent == -0.5) return rsqrt(base);
  if (exponent == -1) return reciprocal(base);
  if (exponent == -2) return reciprocal(square(base));
  return {};
}

}  // namespace

DYAD_OP("pow(input: Operand, exponent: Operand) -> Tensor")
    .doc(
        "Power, input^exponent, element by element. Integers with a negative exponent give 0, except 1 and "
        "−1.")
    .formula("out[i] = input[i] ^ exponent[i]")
    .arg("input", "any numeric dtype, any shape.")
    .arg("exponent", "broadcasts with `input`.")
    .returns("Tensor with the broadcast shape and the promoted dtype.")
    .see("ops.square, ops.float_power")
    .function("tensor_pow")
    .function("pows")
    .method()
    .inplace("pow_")
    .primitive("Pow")
    .alias("x", "input")
    .alias("y", "exponent")
    .alias("other", "exponent")
    .mint("pow")
    .numpy_function("power")
    .infer(infer::arithmetic)
    .compose([](const Call& c) {
      const Scalar* exponent = c[1].get<Scalar>();
      const bool real = exponent && exponent->kind() != Scalar::Kind::kComplex;
      // A shorter way multiplies in the dtype of the base, which need not be that of the result.
      if (real && c.is_value(0) && operand_dtype(c, 2) == c.in(0).dtype) {
        if (Value result = short_power(c.value(0), exponent->to_double())) return result;
      }
      return power(c.builder(), c[0], c[1]);
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.power(input, exponent)")
    .samples("call(T(2, 3, lo=0.5, hi=3), T(3), dtypes='float')",
             "call(T(2, 3), 2, dtypes='float+int8+int16+int32+int64+uint8+complex')",
             "call(T(4, lo=1, hi=3), 3, dtypes='float+int8+int16+int32+int64+uint8')",
             "call(T(2, 3, lo=0.5, hi=3), 0.5, dtypes='float')",
             "call(T(4, lo=1, hi=3), 2.0, dtypes='float+int8+int64')",
             "call(T(5, lo=0.5, hi=3), -1.5, dtypes='float')", "call(2.0, T(2, 3), dtypes='float')",
             "call(T(3, lo=0, hi=5), T(3, lo=0, hi=4), dtypes='int')")
    .rejects("ops.pow(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast")
    .rejects("ops.pow(ints(3).astype(dyad.uint16), 2)", "TypeError",
             "pow: a UInt16 tensor does not mix with the number 2");

DYAD_OP("power(input: Operand, exponent: Operand) -> Tensor")
    .doc("`input` raised to `exponent` by the general formula.")
    .hidden()
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] {
        if (!g.is_value(1)) {
          const Scalar exponent = g.number(1);
          if (!exponent.to_bool()) return g.grad() * 0;
          const Scalar less =
              exponent.integral() ? Scalar(exponent.to_int() - 1) : Scalar(exponent.to_complex() - 1.0);
          const Scalar plain =
              exponent.kind() == Scalar::Kind::kFloat ? Scalar(exponent.to_double() - 1.0) : less;
          return g.grad() * conjugated(pow(g.value(0), plain) * exponent);
        }
        // x^0 is constant, also at zero, where x^-1 would give 0 * inf, here or in a higher derivative.
        const Value less = where(equal(g.value(1), 0), 0, g.value(1) - 1);
        return g.grad() * conjugated(g.value(1) * pow(g.value(0), less));
      });
      set_operand(g, 1, [&] {
        if (!g.is_value(0))
          return g.grad() * conjugated(g.out() * log(cast(g.builder(), g[0], g.out()->dtype)));
        const Value slope = g.out() * log(g.value(0));
        return g.grad() * conjugated(where(equal(g.value(0), 0), 0, slope));
      });
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.power(input, exponent)")
    .samples("call(T(2, 3, lo=0.5, hi=3), T(3), dtypes='float')",
             "call(T(2, 3, lo=0.5, hi=3), 2.5, dtypes='float')", "call(1.5, T(2, 3), dtypes='float')",
             "call(T(3, lo=0, hi=5), T(3, lo=0, hi=4), dtypes='int')",
             "call(T(3, lo=-5, hi=5), V([2.0, -3.0, 3.0], 'float32'))")
    .rejects("ops.pow(ones(2, 3), ones(4))", "ValueError", "shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("float_power(input: Operand, exponent: Operand) -> Tensor")
    .doc("Power, input^exponent, computed in float64, or in complex128 if an operand is complex.")
    .formula("out[i] = input[i] ^ exponent[i]")
    .arg("input", "any dtype and shape.")
    .arg("exponent", "broadcasts with `input`.")
    .returns("Tensor of float64 or complex128 with the broadcast shape.")
    .see("ops.pow")
    .method("float_power(other:exponent)")
    .mint("float_power")
    .numpy_function("float_power")
    .compose([](const Call& c) {
      const bool is_complex_call = is_complex(operand_dtype(c, 2));
      const DType dtype = is_complex_call ? DType::kComplex128 : DType::kFloat64;
      auto wide = [&](size_t i) { return c.is_value(i) ? Arg(cast(c.value(i), dtype)) : c[i]; };
      return pow(c.builder(), wide(0), wide(1));
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.float_power(input, exponent)")
    .samples("call(T(2, 3, lo=1, hi=3), 2, dtypes='float64')",
             "call(T(2, 3, lo=1, hi=3), T(3), dtypes='float64')")
    .rejects("ops.float_power(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("sqrt(input: Tensor) -> Tensor")
    .doc("Square root, √x, element by element. It is NaN below 0.")
    .formula("sqrt(x) = √x")
    .see("ops.rsqrt, ops.square")
    .method()
    .inplace("sqrt_")
    .primitive("Sqrt")
    .alias("x", "input")
    .mint("sqrt")
    .numpy_function("sqrt")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(mul(g.out(), 2))); })
    .numpy("np.sqrt(input)")
    .samples("unary(lo=0.1, hi=9, only='float+complex')",
             "call(T(5, lo=0, hi=9), dtypes='int32+int64+uint32')")
    .rejects("ops.sqrt('a')", "TypeError", "sqrt: input is 'a'");

DYAD_OP("rsqrt(input: Tensor) -> Tensor")
    .doc("Reciprocal square root, 1/√x, element by element.")
    .formula("rsqrt(x) = 1 / √x")
    .see("ops.sqrt")
    .method()
    .inplace("rsqrt_")
    .primitive("Rsqrt")
    .alias("x", "input")
    .mint("rsqrt")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(g.out() * square(g.out()) * -0.5)); })
    .autocast(Autocast::kFloat32)
    .numpy("1 / np.sqrt(np.asarray(input))")
    .samples("unary(lo=0.5, hi=9, only='float+complex')",
             "call(T(5, lo=1, hi=9), dtypes='int32+int64+uint32')")
    .rejects("ops.rsqrt('a')", "TypeError", "rsqrt: input is 'a'");

DYAD_OP("hypot(input: Operand, other: Operand) -> Tensor")
    .doc("Length of the hypotenuse, √(input² + other²), computed without overflow.")
    .formula("out[i] = √(input[i]² + other[i]²)")
    .arg("input", "floats, any shape.")
    .arg("other", "broadcasts with `input`.")
    .method()
    .primitive("Hypot")
    .alias("x1", "input")
    .alias("x2", "other")
    .numpy_function("hypot")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * div_no_nan(g.value(0), g.out()); });
      set_operand(g, 1, [&] { return g.grad() * div_no_nan(g.value(1), g.out()); });
    })
    .numpy("np.hypot(input, other)")
    .samples("call(T(2, 3, lo=1, hi=4), T(3), dtypes='float')", "call(T(2, 1), 2.0, dtypes='float')")
    .rejects("ops.hypot(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

}  // namespace dyad
