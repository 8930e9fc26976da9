#include <cmath>

#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(real_part)
DYAD_USE(imaginary_part)
DYAD_USE(complex)
DYAD_USE(conjugate)
DYAD_USE(zeros_like)
DYAD_USE(identity)
DYAD_USE(mul)
DYAD_USE(neg)
DYAD_USE(square)
DYAD_USE(abs)
DYAD_USE(cos)
DYAD_USE(sin)

void infer_real(const Arguments& args, Results& results) {
  results.add(real_dtype(args.in(0).dtype), args.in(0).shape);
}

void infer_angle(const Arguments& args, Results& results) {
  const DType dtype = real_dtype(args.in(0).dtype);
  results.add(is_float(dtype) ? dtype : DType::kFloat32, args.in(0).shape);
}

/// Two float tensors make a complex one that is as wide.
void infer_complex(const Arguments& args, Results& results) {
  const DType dtype = operand_dtype(args, 2);
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    type_error(args.op(), ": the parts have dtype ", dtype, "; accepted are Float32 and Float64");
  }
  results.add(dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64, operand_shape(args, 2));
}

}  // namespace

DYAD_OP("real_part(input: Tensor) -> Tensor")
    .doc("The real parts of the elements.")
    .hidden()
    .elementwise(infer_real)
    .grad([](GradCall& g) {
      g.set(0, is_complex(g.in(0).dtype) ? complex(g.grad(), zeros_like(g.grad())) : g.grad());
    })
    .numpy("np.real(input)")
    .samples("unary()")
    .rejects("ops.real('a')", "TypeError", "real: input is 'a'");

DYAD_OP("real(input: Tensor) -> Tensor")
    .doc("The real parts of the elements; a tensor without imaginary parts is returned as it is.")
    .method()
    .primitive("Real")
    .compose([](const Call& c) {
      return is_complex(c.in(0).dtype) ? real_part(c.value(0)) : identity(c.value(0));
    })
    .numpy("np.real(input)")
    .samples("unary()")
    .rejects("ops.real('a')", "TypeError", "real: input is 'a'");

DYAD_OP("imaginary_part(input: Tensor) -> Tensor")
    .doc("The imaginary parts of the elements; zeros if there are none.")
    .hidden()
    .function("imag")
    .method("imag()")
    .primitive("Imag")
    .elementwise(infer_real)
    .grad([](GradCall& g) {
      g.set(0, is_complex(g.in(0).dtype) ? complex(zeros_like(g.grad()), g.grad()) : zeros_like(g.grad()));
    })
    .numpy("np.imag(input)")
    .samples("unary()")
    .rejects("ops.imag('a')", "TypeError", "imag: input is 'a'");

DYAD_OP("conjugate(input: Tensor) -> Tensor")
    .doc("Each element with its imaginary part negated.")
    .hidden()
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, is_complex(g.in(0).dtype) ? conjugate(g.grad()) : g.grad()); })
    .numpy("np.conj(input).astype(input.dtype)")
    .samples("unary(only='float+complex')")
    .rejects("ops.conj('a')", "TypeError", "conj: input is 'a'");

DYAD_OP("conj(input: Tensor) -> Tensor")
    .doc(
        "Each element with its imaginary part negated; a tensor without imaginary parts is returned as it "
        "is.")
    .method()
    .primitive("Conj")
    .compose([](const Call& c) {
      return is_complex(c.in(0).dtype) ? conjugate(c.value(0)) : identity(c.value(0));
    })
    .numpy("np.conj(input).astype(input.dtype)")
    .samples("unary()")
    .rejects("ops.conj('a')", "TypeError", "conj: input is 'a'");

DYAD_OP("angle(input: Tensor) -> Tensor")
    .doc("The angle of each element in the complex plane, in radians.")
    .method()
    .primitive("Angle")
    .elementwise(infer_angle)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      if (!is_complex(x->dtype)) return g.set(0, zeros_like(g.grad()));
      const Value scaled = g.grad() / square(abs(x));
      g.set(0, complex(neg(mul(scaled, imaginary_part(x))), mul(scaled, real_part(x))));
    })
    .numpy("np.angle(input)")
    .samples("unary(only='float+complex')", "call(T(2, 3), dtypes='int32+int64')")
    .rejects("ops.angle('a')", "TypeError", "angle: input is 'a'");

DYAD_OP("complex(real: Operand, imag: Operand) -> Tensor")
    .doc("Complex numbers from their real and imaginary parts.")
    .primitive("Complex")
    .alias("input_real", "real")
    .alias("input_imag", "imag")
    .elementwise(infer_complex)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return real_part(g.grad()); });
      set_operand(g, 1, [&] { return imaginary_part(g.grad()); });
    })
    .numpy("real + 1j * np.asarray(imag)")
    .samples("call(T(2, 3), T(3), dtypes='float32+float64')", "call(T(), T())")
    .rejects("ops.complex(ints(2), ints(2))", "TypeError", "complex: the parts have dtype Int64");

DYAD_OP("polar(abs: Operand, angle: Operand) -> Tensor")
    .doc("Complex numbers from their modulus and angle.")
    .primitive("Polar")
    .elementwise(infer_complex)
    .grad([](GradCall& g) {
      const Value along = real_part(g.grad());
      const Value across = imaginary_part(g.grad());
      auto cosine = [&] { return g.is_value(1) ? Arg(cos(g.value(1))) : Arg(std::cos(g.real(1))); };
      auto sine = [&] { return g.is_value(1) ? Arg(sin(g.value(1))) : Arg(std::sin(g.real(1))); };
      set_operand(g, 0, [&] { return along * cosine() + across * sine(); });
      set_operand(g, 1, [&] { return (across * cosine() - along * sine()) * g[0]; });
    })
    .numpy("abs * np.exp(1j * np.asarray(angle))")
    .samples("call(T(2, 3), T(3), dtypes='float32+float64')")
    .rejects("ops.polar(ints(2), ints(2))", "TypeError", "polar: the parts have dtype Int64");

}  // namespace dyad
