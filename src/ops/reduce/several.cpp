#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(amax, amin, cast, equal, square, sum, vector_norm);

/// The sum of the squares, added up in float32 where the dtype is narrower.
Value squares(const Value& x) {
  const bool narrow = x->dtype == DType::kFloat16 || x->dtype == DType::kBFloat16;
  return narrow ? cast(sum(square(cast(x, DType::kFloat32))), x->dtype) : sum(square(x));
}

}  // namespace

DYAD_OP("dist(input: Tensor, other: Tensor, p: float=2) -> Tensor")
    .doc("Distance of two tensors: the p-norm of their difference.")
    .formula("out = (Σ |input − other|ᵖ)^(1/p)")
    .arg("input", "floats or complex numbers, any shape.")
    .arg("other", "broadcasts with `input`.")
    .arg("p", "order of the norm.")
    .returns("Tensor of shape ().")
    .see("ops.norm, ops.cdist")
    .compose_wide([](const Call& call) { return vector_norm(call.value(0) - call.value(1), call[2]); })
    .autocast(Autocast::kFloat32)
    .numpy("ref.vector_norm(input - other, p)")
    .samples("call(T(2, 3), T(2, 3))", "call(T(2, 3), T(3), p=1)")
    .rejects("ops.dist(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("ptp(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor")
    .doc("Peak to peak: the maximum minus the minimum over the given axes.")
    .formula("out[…] = max input[…] − min input[…]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.amax, ops.amin")
    .hidden()
    .method("ptp(axis=None, keepdims=False)")
    .compose([](const Call& call) {
      return amax(call.value(0), call[1], call[2]) - amin(call.value(0), call[1], call[2]);
    })
    .numpy("np.ptp(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1, keepdims=True)")
    .rejects("ones(2, 3).ptp(2)", "ValueError", "axis 2");

DYAD_OP("square_sum_all(x: Tensor, y: Tensor) -> (Tensor, Tensor)")
    .doc("Sums of squares of two tensors of one dtype and shape.")
    .formula("(Σ x², Σ y²)")
    .arg("x", "floats, any shape.")
    .arg("y", "of the dtype and shape of `x`.")
    .returns("Tuple of two Tensors of shape ().")
    .hidden()
    .primitive("SquareSumAll()(x, y)")
    .compose([](const Call& call) -> ValueList {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      if (call.in(0).dtype != call.in(1).dtype)
        type_error(call.op(), ": x has dtype ", call.in(0).dtype, " and y has ", call.in(1).dtype,
                   "; need one dtype");
      if (!may_agree(call.in(0).shape, call.in(1).shape))
        value_error(call.op(), ": x has shape ", call.in(0).shape, " and y has ", call.in(1).shape,
                    "; need one shape");
      return {squares(call.value(0)), squares(call.value(1))};
    })
    .numpy("(np.sum(x * x), np.sum(y * y))")
    .samples("call(T(2, 3), T(2, 3))")
    .rejects("ops.SquareSumAll()(ones(2), ones(3))", "ValueError", "need one shape")
    .rejects("ops.SquareSumAll()('a', ones(2))", "TypeError", "x is 'a'");

DYAD_OP("equal_count(x: Tensor, y: Tensor) -> Tensor")
    .doc("Number of equal elements of two tensors.")
    .formula("out[0] = Σᵢ [x[i] = y[i]]")
    .arg("x", "numbers of shape (n,).")
    .arg("y", "of the shape of `x`.")
    .returns("Tensor of shape (1,) in the dtype of `x`.")
    .see("ops.equal")
    .hidden()
    .primitive("EqualCount()(x, y)")
    .compose([](const Call& call) {
      return sum(equal(call.value(0), call.value(1)), Dims{0}, true, call.in(0).dtype);
    })
    .numpy("np.sum(x == y, axis=0, keepdims=True).astype(x.dtype)")
    .samples("call(V([1, 2, 3], 'int32'), V([1, 5, 3], 'int32'))")
    .rejects("ops.EqualCount()('a', ints(2))", "TypeError", "x is 'a'");

DYAD_OP("euclidean_norm(x: Tensor, axes: ints=(), keep_dims: bool=False) -> Tensor")
    .doc("Euclidean norm over the given axes.")
    .formula("out[…] = √(Σ |x[…]|²)")
    .arg("x", "floats or complex numbers, any shape.")
    .arg("axes", "axes that are reduced; (): all.")
    .arg("keep_dims", "whether reduced axes stay, with size 1.")
    .returns("Tensor without the reduced axes.")
    .see("ops.norm")
    .hidden()
    .primitive("EuclideanNorm(keep_dims=False)(x, axes)")
    .compose_wide([](const Call& call) { return vector_norm(call.value(0), 2, call[1], call[2]); })
    .autocast(Autocast::kFloat32)
    .numpy("ref.vector_norm(x, 2, axes or None, keep_dims)")
    .samples("call(T(2, 3), axes=1)", "call(T(2, 3), axes=(0, 1), keep_dims=True)")
    .rejects("ops.EuclideanNorm()(ones(2, 3), 2)", "ValueError", "axis 2");

}  // namespace dyad
