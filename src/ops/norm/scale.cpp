#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(clamp, concat, pow, rsqrt, slice_view, square, sum, vector_norm, zeros);

}  // namespace

DYAD_OP("normalize(input: Tensor, p: float=2.0, axis: int=1, eps: float=1e-12) -> Tensor")
    .doc("Normalization to p-norm 1 along an axis.")
    .formula("out = input / max(‖input‖ₚ, eps)")
    .arg("input", "floats, any shape.")
    .arg("p", "order of the norm.")
    .arg("axis", "axis of the norm.")
    .arg("eps", "smallest divisor.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.norm, ops.l2_normalize")
    .alias("dim", "axis")
    .compose_wide([](const Call& call) {
      return call.value(0) / clamp(vector_norm(call.value(0), call[1], Dims{call.integer(2)}, true), call[3]);
    })
    .numpy("input / np.maximum(ref.vector_norm(input, p, axis, True), eps)")
    .samples("call(T(2, 3))", "call(T(2, 3), p=1, axis=0)")
    .rejects("ops.normalize(ones(2, 3), 2, 2)", "ValueError", "axis 2");

DYAD_OP("l2_normalize(input: Tensor, axis: ints=0, epsilon: float=1e-4) -> Tensor")
    .doc("L2 normalization along axes.")
    .formula("out = input / √max(Σ input², epsilon)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes of the sum.")
    .arg("epsilon", "smallest sum of squares.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.normalize")
    .primitive("L2Normalize(axis=0, epsilon=1e-4)(x:input)")
    .alias("x", "input")
    .compose_wide([](const Call& call) {
      return call.value(0) * rsqrt(clamp(sum(square(call.value(0)), call[1], true), call[2]));
    })
    .numpy("input / np.sqrt(np.maximum(np.sum(input * input, axis=axis, keepdims=True), epsilon))")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1)", "call(T(2, 3, 4), axis=(0, 2))")
    .rejects("ops.L2Normalize(2)(ones(2, 3))", "ValueError", "axis 2");

DYAD_OP(
    "lrn(input: Tensor, depth_radius: int=5, bias: float=1.0, alpha: float=1.0, beta: float=0.5, "
    "norm_region: str='ACROSS_CHANNELS') -> Tensor")
    .doc(
        "Local response normalization across channels. The sum runs over the channels within `depth_radius` "
        "of c.")
    .formula(
        "out[n, c, h, w] = input[n, c, h, w] / (bias + alpha · Σₖ input[n, k, h, w]²)^beta, |k − c| ≤ "
        "depth_radius")
    .arg("input", "floats of shape (N, C, H, W).")
    .arg("depth_radius", "half the number of neighboring channels.")
    .arg("bias", "added to the sum.")
    .arg("alpha", "factor of the sum.")
    .arg("beta", "exponent.")
    .arg("norm_region", "'ACROSS_CHANNELS'.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.LRN")
    .function("lrn(x:input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')")
    .primitive("LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(x:input)")
    .compose_wide([](const Call& call) -> Value {
      const Value& input = call.value(0);
      const int64_t radius = call.integer(1);
      if (input->rank() != 4)
        value_error(call.op(), ": input has shape ", input->shape, "; it must have 4 dimensions");
      if (call.text(5) != "ACROSS_CHANNELS") {
        value_error(call.op(), ": norm_region is '", call.text(5), "'; accepted is 'ACROSS_CHANNELS'");
      }
      if (radius < 0) value_error(call.op(), ": depth_radius is ", radius, "; it must not be negative");
      Shape border = input->shape;
      border[1] = radius;
      const Value edge = zeros(call.builder(), border, input->dtype);
      const Value padded = concat(ValueList{edge, square(input), edge}, 1);
      Value total;
      for (int64_t i = 0; i <= 2 * radius; ++i) {
        Dims starts(4, Dim(0));
        Dims stops = padded->shape;
        starts[1] = i;
        stops[1] = input->shape[1] + i;
        const Value shifted = slice_view(padded, starts, stops, Dims(4, Dim(1)));
        total = total ? total + shifted : shifted;
      }
      return input / pow(total * call.real(3) + call.real(2), call[4]);
    })
    .numpy("ref.lrn(input, depth_radius, bias, alpha, beta)")
    .samples("call(T(2, 7, 2, 3), depth_radius=2)", "call(T(1, 3, 2, 2), alpha=0.5, beta=0.75)")
    .rejects("ops.lrn(ones(2, 3))", "ValueError", "lrn: input has shape (2, 3)");

}  // namespace dyad
