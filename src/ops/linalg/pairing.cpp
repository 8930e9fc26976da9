#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(conj, matmul, mul, permute, reshape, sum, swapaxes);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

}  // namespace

DYAD_OP("adjoint(input: Tensor) -> Tensor")
    .doc("Adjoint (conjugate transpose) of each matrix. Real tensors share the memory.")
    .formula("out[…, i, j] = conj(input[…, j, i])")
    .arg("input", "any dtype, at least 2 dimensions.")
    .returns("Tensor with the last two sizes swapped.")
    .see("ops.swapaxes, ops.conj")
    .method()
    .alias("x", "input")
    .shares_memory()
    .compose([](const Call& call) {
      if (call.in(0).rank() < 2)
        value_error(call.op(), ": input has shape ", call.in(0).shape,
                    "; it must have at least 2 dimensions");
      const Value exchanged = swapaxes(call.value(0), -2, -1);
      return is_complex(exchanged->dtype) ? conj(exchanged) : exchanged;
    })
    .numpy("np.conj(np.swapaxes(input, -2, -1))")
    .samples("call(T(2, 3), dtypes='float32+complex')", "call(T(2, 3, 4))")
    .rejects("ops.adjoint(ones(3))", "ValueError", "adjoint: input has shape (3,)");

DYAD_OP("conjugate_transpose(x: Tensor, perm: ints) -> Tensor")
    .doc("Conjugate of the tensor with its dimensions permuted.")
    .formula("out[i₀, i₁, …] = conj(x[j₀, j₁, …]) with j[perm[k]] = iₖ")
    .arg("x", "any dtype and shape.")
    .arg("perm", "for each dimension of the result, the one of `x`.")
    .returns("Tensor with the permuted shape.")
    .see("ops.permute, ops.conj")
    .hidden()
    .primitive("ConjugateTranspose()(x, perm)")
    .compose([](const Call& call) { return conj(permute(call.value(0), call[1])); })
    .numpy("np.conj(np.transpose(x, perm))")
    .samples("call(T(2, 3, 4), (2, 0, 1), dtypes='float32+complex')")
    .rejects("ops.ConjugateTranspose()(ones(2, 3), (0,))", "ValueError", "(0,)");

DYAD_OP("vecdot(x: Tensor, y: Tensor, axis: int=-1) -> Tensor")
    .doc("Inner product along an axis; the first operand is conjugated.")
    .formula("out[…] = Σᵢ conj(x[…, i]) · y[…, i]")
    .arg("x", "numbers, at least one dimension.")
    .arg("y", "broadcasts with `x`.")
    .arg("axis", "axis of the sum.")
    .returns("Tensor with the broadcast shape without the axis.")
    .see("ops.vdot, ops.inner")
    .function("vecdot(x, y, *, axis=-1)")
    .compose([](const Call& call) {
      if (call.in(0).rank() == 0 || call.in(1).rank() == 0) {
        value_error(call.op(), ": x and y have shapes ", call.in(0).shape, " and ", call.in(1).shape,
                    "; each must have at least 1 dimension");
      }
      return sum(mul(conj(call.value(0)), call.value(1)), call[2]);
    })
    .numpy("np.sum(np.conj(x) * y, axis=axis)")
    .samples("call(T(2, 3), T(2, 3), dtypes='float32+complex')", "call(T(2, 3), T(3))",
             "call(T(2, 3), T(2, 3), 0)")
    .rejects("ops.vecdot(ones(2, 3), ones(4))", "ValueError", "do not broadcast")
    .rejects("ops.vecdot(ones(3), ops.ones(()))", "ValueError", "at least 1 dimension");

DYAD_OP("bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor?=None) -> Tensor")
    .doc("Bilinear layer.")
    .formula("out[…, o] = Σᵢⱼ input1[…, i] · weight[o, i, j] · input2[…, j] + bias[o]")
    .arg("input1", "floats of shape (…, m).")
    .arg("input2", "floats of shape (…, n).")
    .arg("weight", "of shape (out, m, n).")
    .arg("bias", "of shape (out,); None: 0.")
    .returns("Tensor of shape (…, out).")
    .see("nn.BiDense, ops.dense")
    .compose_wide([](const Call& call) {
      const Value& first = call.value(0);
      const Value& second = call.value(1);
      const Value& weight = call.value(2);
      const Shape& sizes = weight->shape;
      if (sizes.size() != 3 || first->rank() < 1 || second->rank() < 1 ||
          differ(first->shape.back(), sizes[1]) || differ(second->shape.back(), sizes[2])) {
        value_error(call.op(), ": input1, input2 and weight have shapes ", first->shape, ", ", second->shape,
                    " and ", sizes, "; need (..., m), (..., n) and (outputs, m, n)");
      }
      const Value rows = reshape(first, Dims{-1, sizes[1]});
      const Value others = reshape(second, Dims{-1, 1, sizes[2]});
      // One product gives x1 @ weight of every output; the rest is a product with x2.
      const Value by_output = matmul(rows, reshape(permute(weight, Dims{1, 0, 2}), Dims{sizes[1], -1}));
      Value result = sum(mul(reshape(by_output, Dims{-1, sizes[0], sizes[2]}), others), -1);
      if (call.has(3)) result = result + call.value(3);
      Shape shape = first->shape;
      shape.back() = sizes[0];
      return reshape(result, shape);
    })
    .autocast(Autocast::kLow)
    .numpy("np.einsum('...i,oij,...j->...o', input1, weight, input2) + (0 if bias is None else bias)")
    .samples("call(T(4, 3), T(4, 2), T(5, 3, 2))", "call(T(2, 2, 3), T(2, 2, 2), T(5, 3, 2), T(5))")
    .rejects("ops.bidense(ones(2, 3), ones(2, 3), ones(4, 2, 3))", "ValueError",
             "bidense: input1, input2 and weight have shapes (2, 3), (2, 3) and (4, 2, 3)");

}  // namespace dyad
