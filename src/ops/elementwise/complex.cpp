#include <cmath>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(real_part, imaginary_part, complex, conjugate, zeros_like, view_as_complex, view_as_real, identity,
         mul, neg, square, abs, cos, sin);

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

void infer_parts(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  if (!is_complex(input.dtype)) {
    type_error(args.op(), ": input has dtype ", input.dtype, "; accepted are Complex64 and Complex128");
  }
  Shape shape = input.shape;
  shape.push_back(2);
  results.add(real_dtype(input.dtype), shape);
}

void infer_paired(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  if (input.dtype != DType::kFloat32 && input.dtype != DType::kFloat64) {
    type_error(args.op(), ": input has dtype ", input.dtype, "; accepted are Float32 and Float64");
  }
  if (input.rank() == 0 || (input.shape.back().known() && input.shape.back().value() != 2)) {
    value_error(args.op(), ": input has shape ", input.shape,
                "; its last size must be 2, a real and an imaginary part");
  }
  results.add(input.dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64,
              Shape(input.shape.begin(), input.shape.end() - 1));
}

/// True if the two parts are neighbors in memory and pairs are a whole number of pairs apart.
bool view_paired(const Arguments& args, const ResultSpec&, ViewSpec& view) {
  const Strides& strides = args.in(0).strides;
  if (strides.back() != 1) return false;
  for (size_t i = 0; i + 1 < strides.size(); ++i) {
    if (strides[i] % 2 != 0) return false;
    view.strides.push_back(strides[i] / 2);
  }
  return true;
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
    .doc("Real part, element by element, copied.")
    .formula("real(x) = Re(x)")
    .arg("input", "any dtype and shape.")
    .returns(
        "Tensor with the shape of `input`; float32 for complex64, float64 for complex128, else the dtype of "
        "`input`.")
    .see("ops.imag, ops.complex")
    .method()
    .primitive("Real")
    .mint("real")
    .compose([](const Call& c) {
      return is_complex(c.in(0).dtype) ? real_part(c.value(0)) : identity(c.value(0));
    })
    .numpy("np.real(input)")
    .samples("unary()")
    .rejects("ops.real('a')", "TypeError", "real: input is 'a'");

DYAD_OP("imaginary_part(input: Tensor) -> Tensor")
    .doc("Imaginary part, element by element; zeros for real numbers.")
    .formula("imag(x) = Im(x)")
    .arg("input", "any dtype and shape.")
    .see("ops.real")
    .hidden()
    .function("imag")
    .method("imag()")
    .primitive("Imag")
    .mint("imag")
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
    .doc("Complex conjugate, element by element, copied. Real numbers stay as they are.")
    .formula("conj(a + bi) = a − bi")
    .arg("input", "any dtype and shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .method()
    .primitive("Conj")
    .compose([](const Call& c) {
      return is_complex(c.in(0).dtype) ? conjugate(c.value(0)) : identity(c.value(0));
    })
    .numpy("np.conj(input).astype(input.dtype)")
    .samples("unary()")
    .rejects("ops.conj('a')", "TypeError", "conj: input is 'a'");

DYAD_OP("angle(input: Tensor) -> Tensor")
    .doc(
        "Angle (argument) of complex numbers in radians, in [−π, π]. It is 0 for positive and π for negative "
        "real numbers.")
    .formula("angle(x) = atan2(Im(x), Re(x))")
    .see("ops.polar")
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
    .doc("Complex numbers from real and imaginary parts, element by element.")
    .formula("out[i] = real[i] + imag[i] · i")
    .arg("real", "float32 or float64.")
    .arg("imag", "broadcasts with `real`.")
    .returns("Tensor with the broadcast shape; complex64, or complex128 for float64.")
    .see("ops.polar, ops.view_as_complex")
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

DYAD_OP("view_as_real(input: Tensor) -> Tensor")
    .doc("View of complex numbers as pairs of floats, sharing the memory.")
    .formula("out[…, 0] = Re(input[…]), out[…, 1] = Im(input[…])")
    .arg("input", "complex numbers, any shape.")
    .returns("Tensor of floats with the shape (*input.shape, 2).")
    .see("ops.view_as_complex")
    .infer(infer_parts)
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      for (int64_t stride : args.in(0).strides) view.strides.push_back(2 * stride);
      view.strides.push_back(1);
      return true;
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, view_as_complex(g.grad())); })
    .batch(batch::leading)
    .numpy("np.stack([input.real, input.imag], -1)")
    .samples("unary(only='complex')")
    .rejects("ops.view_as_real(ones(2))", "TypeError", "view_as_real: input has dtype Float32");

DYAD_OP("view_as_complex(input: Tensor) -> Tensor")
    .doc(
        "View of pairs of floats as complex numbers. The memory is shared where the two of a pair are "
        "neighbors.")
    .formula("out[…] = input[…, 0] + input[…, 1] · i")
    .arg("input", "float32 or float64, last dimension of size 2.")
    .returns("Tensor of complex numbers with the shape input.shape[:-1].")
    .see("ops.view_as_real")
    .infer(infer_paired)
    .view(view_paired)
    .linear()
    .grad([](GradCall& g) { g.set(0, view_as_real(g.grad())); })
    .batch(batch::leading)
    .numpy("input[..., 0] + 1j * input[..., 1]")
    .samples("call(T(3, 2), dtypes='float32+float64')", "call(T(2))", "call(T(0, 2))",
             "call(strided(T(3, 4, 2)))", "call(transposed(T(3, 2)))")
    .rejects("ops.view_as_complex(ones(2, 3))", "ValueError", "view_as_complex: input has shape (2, 3)")
    .rejects("ops.view_as_complex(ints(2))", "TypeError", "view_as_complex: input has dtype Int64");

DYAD_OP("polar(abs: Operand, angle: Operand) -> Tensor")
    .doc("Complex numbers from modulus and angle, element by element.")
    .formula("out[i] = abs[i] · (cos(angle[i]) + sin(angle[i]) · i)")
    .arg("abs", "modulus, float32 or float64.")
    .arg("angle", "angle in radians, broadcasts with `abs`.")
    .returns("Tensor with the broadcast shape; complex64, or complex128 for float64.")
    .see("ops.complex, ops.angle")
    .primitive("Polar")
    .mint("polar")
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
