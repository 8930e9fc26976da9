
#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast)
DYAD_USE(clamp)
DYAD_USE(concat)
DYAD_USE(maximum)
DYAD_USE(minimum)
DYAD_USE(pow)
DYAD_USE(rsqrt)
DYAD_USE(slice_view)
DYAD_USE(square)
DYAD_USE(stack)
DYAD_USE(sum)
DYAD_USE(vector_norm)
DYAD_USE(zeros)

Value as_dtype(const Value& value, DType dtype) { return value->dtype == dtype ? value : cast(value, dtype); }

void require_tensors(const Call& call) {
  if (call.values(0).empty()) value_error(call.op(), ": x holds no tensors; it must hold at least one");
  for (const Value& value : call.values(0)) {
    if (!value) type_error(call.op(), ": x holds None; it must hold Tensors");
  }
}

/// Norm of several tensors taken as one vector.
Value joint_norm(const ValueList& values, double order) {
  ValueList norms;
  for (const Value& value : values) {
    norms.push_back(vector_norm(as_dtype(value, compute_dtype(value->dtype)), order));
  }
  for (Value& norm : norms) norm = as_dtype(norm, norms[0]->dtype);
  return norms.size() == 1 ? norms[0] : vector_norm(stack(norms), order);
}

}  // namespace

DYAD_OP("normalize(input: Tensor, p: float=2.0, axis: int=1, eps: float=1e-12) -> Tensor")
    .doc("Divides by the norm of order `p` along an axis, which counts as at least `eps`.")
    .alias("dim", "axis")
    .compose([](const Call& call) {
      return call.value(0) / clamp(vector_norm(call.value(0), call[1], Dims{call.integer(2)}, true), call[3]);
    })
    .numpy("input / np.maximum(ref.vector_norm(input, p, axis, True), eps)")
    .samples("call(T(2, 3))", "call(T(2, 3), p=1, axis=0)")
    .rejects("ops.normalize(ones(2, 3), 2, 2)", "ValueError", "axis 2");

DYAD_OP("l2_normalize(input: Tensor, axis: ints=0, epsilon: float=1e-4) -> Tensor")
    .doc("Divides by the root of the sum of squares along an axis, which counts as at least `epsilon`.")
    .primitive("L2Normalize(axis=0, epsilon=1e-4)(x:input)")
    .alias("x", "input")
    .compose([](const Call& call) {
      return call.value(0) * rsqrt(clamp(sum(square(call.value(0)), call[1], true), call[2]));
    })
    .numpy("input / np.sqrt(np.maximum(np.sum(input * input, axis=axis, keepdims=True), epsilon))")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1)", "call(T(2, 3, 4), axis=(0, 2))")
    .rejects("ops.L2Normalize(2)(ones(2, 3))", "ValueError", "axis 2");

DYAD_OP(
    "lrn(input: Tensor, depth_radius: int=5, bias: float=1.0, alpha: float=1.0, beta: float=0.5, "
    "norm_region: str='ACROSS_CHANNELS') -> Tensor")
    .doc(
        "Divides each element by (bias + alpha * the sum of squares of the channels within `depth_radius`) "
        "to the power beta.")
    .function("lrn(x:input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')")
    .primitive("LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(x:input)")
    .compose([](const Call& call) -> Value {
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

DYAD_OP("clip_by_global_norm(x: Tensors, clip_norm: float=1.0, use_norm: Tensor?=None) -> Tensors")
    .doc("Scales all tensors by one factor so that their joint norm does not exceed `clip_norm`.")
    .compose([](const Call& call) -> ValueList {
      require_tensors(call);
      const double limit = call.real(1);
      if (!(limit > 0)) value_error(call.op(), ": clip_norm is ", limit, "; it must be positive");
      const Value norm = call.has(2) ? call.value(2) : joint_norm(call.values(0), 2);
      const Value factor = limit / maximum(norm, limit);
      ValueList clipped;
      for (const Value& value : call.values(0)) clipped.push_back(as_dtype(value * factor, value->dtype));
      return clipped;
    })
    .numpy("ref.clip_by_global_norm(x, clip_norm)")
    .samples("call([T(2, 3), T(4)])", "call([T(2, 3)], clip_norm=100.0)")
    .rejects("ops.clip_by_global_norm([])", "ValueError", "clip_by_global_norm: x holds no tensors")
    .rejects("ops.clip_by_global_norm([ones(2)], 0.0)", "ValueError", "clip_by_global_norm: clip_norm is 0");

DYAD_OP("clip_all_by_norm(x: Tensors, max_norm: float, norm_type: float=2.0) -> Tensors")
    .doc(
        "Scales all tensors by one factor so that their joint norm of the given order does not exceed "
        "`max_norm`.")
    .hidden()
    .compose([](const Call& call) -> ValueList {
      require_tensors(call);
      const Value norm = joint_norm(call.values(0), call.real(2));
      const Value factor = minimum(call.real(1) / (norm + 1e-6), 1);
      ValueList clipped;
      for (const Value& value : call.values(0)) clipped.push_back(as_dtype(value * factor, value->dtype));
      return clipped;
    })
    .numpy("ref.clip_all_by_norm(x, max_norm, norm_type)")
    .samples("call([T(2, 3), T(4)], 1.0)", "call([T(2, 3)], 100.0, 1.0)")
    .rejects("dyad._core.named_op('clip_all_by_norm')([], 1.0)", "ValueError",
             "clip_all_by_norm: x holds no tensors");

}  // namespace dyad
