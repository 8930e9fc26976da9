#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(broadcast_to, cast, mean, normalize_rms, normalize_rows, normalize_rows_grad, reciprocal, relu,
         reshape, rsqrt, square, stop_gradient, sum, sum_to);

/// The trailing part of `shape` from `axis` on, and the leading part with ones in its place.
Shape trailing(const Shape& shape, int64_t axis) { return Shape(shape.begin() + axis, shape.end()); }
Shape leading(const Shape& shape, int64_t axis) {
  Shape result(shape.begin(), shape.begin() + axis);
  while (result.size() < shape.size()) result.push_back(1);
  return result;
}

/// Whether two shapes may be the same once their symbols are known.
bool fits(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].known() && b[i].known() && !(a[i] == b[i])) return false;
  }
  return true;
}

/// One number for each row.
void require_statistic(const Arguments& args, size_t at, std::string_view name, const Shape& expected) {
  if (!fits(args.in(at).shape, expected)) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; it must have one number for each row, shape ", expected);
  }
}

void require_parameter(const Arguments& args, size_t at, std::string_view name, const Shape& expected) {
  if (args.has(at) && !fits(args.in(at).shape, expected)) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; it must have the normalized shape ", expected);
  }
}

/// The axis at which the rows of argument `input_at` begin.
int64_t row_axis(const Arguments& args, size_t input_at, size_t axis_at) {
  const ValueImpl& input = args.in(input_at);
  infer::require_dtype(args, input_at, is_float(input.dtype), "floating dtypes");
  const int64_t axis = args.integer(axis_at);
  if (axis < 0 || axis > input.rank()) {
    value_error(args.op(), ": rows begin at axis ", axis, " of shape ", input.shape, "; accepted are 0 to ",
                input.rank());
  }
  return axis;
}

void infer_rows(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const int64_t axis = row_axis(args, 0, 1);
  const Shape normalized = trailing(input.shape, axis);
  require_parameter(args, 2, "weight", normalized);
  require_parameter(args, 3, "bias", normalized);
  results.add(input.dtype, input.shape);
  results.add(compute_dtype(input.dtype), leading(input.shape, axis));
  results.add(compute_dtype(input.dtype), leading(input.shape, axis));
}

/// The first of the trailing axes of `normalized_shape`.
int64_t begin_axis(const Call& call) {
  const Shape& shape = call.in(0).shape;
  const Dims& normalized = call.dims(1);
  if (normalized.empty() || normalized.size() > shape.size() ||
      !fits(trailing(shape, static_cast<int64_t>(shape.size() - normalized.size())), normalized)) {
    value_error(call.op(), ": normalized_shape is ", normalized, " but input has shape ", shape,
                "; it must be the last dimensions of that shape");
  }
  return static_cast<int64_t>(shape.size() - normalized.size());
}

Dims axes_from(int64_t first, int64_t rank) {
  Dims axes;
  for (int64_t i = first; i < rank; ++i) axes.push_back(i);
  return axes;
}

Value as_dtype(const Value& value, DType dtype) { return value->dtype == dtype ? value : cast(value, dtype); }

/// The gradient of the input by those of mean and scale, results 1 and 2 of normalize_rows; empty without
/// them.
Value through_statistics(const GradCall& g) {
  if (!g.grad(1) && !g.grad(2)) return {};
  const Value& input = g.value(0);
  Ints row;
  for (int64_t i = g.integer(1); i < input->rank(); ++i) row.push_back(i);
  Value total;
  if (g.grad(1)) total = g.grad(1);
  if (g.grad(2)) {
    const Value steep = (input - g.out(1)) * (g.grad(2) * g.out(2) * g.out(2) * g.out(2));
    total = total ? total - steep : -steep;
  }
  return as_dtype(broadcast_to(total / reduced_count(input, row), input->shape), input->dtype);
}

/// normalize_rows in terms of other operators. The variance is that of the distances from the mean, which
/// does not cancel.
ValueList decomposed_rows(const Call& call) {
  const ValueImpl& given = call.in(0);
  const DType computing = compute_dtype(given.dtype);
  const Value input = as_dtype(call.value(0), computing);
  const Dims row = axes_from(call.integer(1), given.rank());
  const Value center = mean(input, row, true);
  const Value distance = input - center;
  const Value scale = rsqrt(mean(square(distance), row, true) + call[4]);
  Value result = distance * scale;
  if (call.has(2)) result = result * as_dtype(call.value(2), computing);
  if (call.has(3)) result = result + as_dtype(call.value(3), computing);
  return {as_dtype(result, given.dtype), center, scale};
}

ValueList decomposed_rms(const Call& call) {
  const ValueImpl& given = call.in(0);
  const DType computing = compute_dtype(given.dtype);
  const Value input = as_dtype(call.value(0), computing);
  const Dims row = axes_from(given.rank() - call.in(1).rank(), given.rank());
  const Value factor = rsqrt(mean(square(input), row, true) + call[2]);
  return {as_dtype(input * factor * as_dtype(call.value(1), computing), given.dtype), factor};
}

/// Rows of all slices at once; what each slice has its own of is applied after it.
void normalized_rows(const BatchCall& call, ValueList& results) {
  if (!call.mapped(2) && !call.mapped(3)) {
    const Arg args[] = {batch::whole(call, 0), call.integer(1) + 1, call[2], call[3], call[4]};
    return batch::apply(call, args, results);
  }
  const auto body = [](const Call& slice, ValueList& given) {
    given = normalize_rows.all(slice[0], slice[1], nullptr, nullptr, slice[4]);
    if (slice.has(2)) given[0] = given[0] * slice.value(2);
    if (slice.has(3)) given[0] = given[0] + slice.value(3);
    if (given[0]->dtype != slice.in(0).dtype) given[0] = cast(given[0], slice.in(0).dtype);
  };
  batch::compose(call, body, results);
}

void normalized_rms(const BatchCall& call, ValueList& results) {
  if (!call.mapped(1)) {
    const Arg args[] = {call[0], call[1], call[2]};
    return batch::apply(call, args, results);
  }
  const auto body = [](const Call& slice, ValueList& given) {
    const Value input = cast(slice[0], compute_dtype(slice.in(0).dtype));
    const int64_t rank = input->rank();
    const Value squares = mean(input * input, axes_from(rank - slice.in(1).rank(), rank), true);
    const Value factor = rsqrt(squares + slice[2]);
    given = {cast(input * factor * slice.value(1), slice.in(0).dtype), factor};
  };
  batch::compose(call, body, results);
}

}  // namespace

DYAD_OP(
    "layer_norm(input: Tensor, normalized_shape: ints, weight: Tensor?=None, bias: Tensor?=None, eps: "
    "float=1e-5) "
    "-> Tensor")
    .doc(
        "Layer normalization over the last dimensions, then scale and shift. μ and σ² are mean and variance "
        "over these dimensions.")
    .formula("out = (input − μ) / √(σ² + eps) · weight + bias")
    .arg("input", "floats of shape (*batch, *normalized_shape).")
    .arg("normalized_shape", "the last dimensions.")
    .arg("weight", "scale, of shape `normalized_shape`; None: 1.")
    .arg("bias", "shift, of shape `normalized_shape`; None: 0.")
    .arg("eps", "added to the variance.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.LayerNorm, ops.group_norm")
    .reference("arXiv:1607.06450")
    .alias("epsilon", "eps")
    .compose([](const Call& call) {
      return normalize_rows.all(call.value(0), begin_axis(call), call[2], call[3], call[4])[0];
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.layer_norm(input, normalized_shape, weight, bias, eps)")
    .samples("call(T(2, 3), (3,), dtypes='float')", "call(T(4, 2, 3), (2, 3), T(2, 3), T(2, 3))",
             "call(T(4, 130), (130,), T(130))", "call(strided(T(4, 6)), (6,))", "call(T(0, 3), (3,))")
    .rejects("ops.layer_norm(ones(2, 3), (2,))", "ValueError",
             "layer_norm: normalized_shape is (2,) but input has shape (2, 3)")
    .rejects("ops.layer_norm(ones(2, 3), (3,), ones(2))", "ValueError", "weight has shape (2,)");

DYAD_OP(
    "normalize_rows(input: Tensor, begin_axis: int, weight: Tensor?=None, bias: Tensor?=None, eps: "
    "float=1e-5) "
    "-> (Tensor, Tensor, Tensor)")
    .doc(
        "layer_norm over the axes from `begin_axis` on, with the mean and the reciprocal standard deviation "
        "it used.")
    .hidden()
    .infer(infer_rows)
    .decomposes([](const Call& call) { return decomposed_rows(call); })
    .grad([](GradCall& g) {
      // mean and scale are mostly kept for this rule only; where they are used, they pass gradients on too.
      const Value through = through_statistics(g);
      if (!g.grad(0)) return g.set(0, through);
      const ValueList found = normalize_rows_grad.all(g.grad(0), g.value(0), g.out(1), g.out(2), g[2], g[1]);
      g.set(0, through ? found[0] + through : found[0]);
      if (g.has(2)) g.set(2, as_dtype(found[1], g.in(2).dtype));
      if (g.has(3)) g.set(3, as_dtype(found[2], g.in(3).dtype));
    })
    .batch(normalized_rows)
    .cost(8)
    .autocast(Autocast::kFloat32)
    .numpy("ref.normalize_rows(input, begin_axis, weight, bias, eps)")
    .samples("call(T(2, 3), 1)", "call(T(4, 2, 3), 1, T(2, 3), T(2, 3))")
    .rejects("dyad._core.named_op('normalize_rows')(ones(2, 3), 3)", "ValueError",
             "normalize_rows: rows begin at axis 3");

DYAD_OP(
    "normalize_rows_grad(gradient: Tensor, input: Tensor, mean: Tensor, scale: Tensor, weight: Tensor?, "
    "begin_axis: int) "
    "-> (Tensor, Tensor, Tensor)")
    .doc("Gradients of layer_norm's input, weight and bias.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(1);
      const int64_t axis = row_axis(args, 1, 5);
      const Shape normalized = trailing(input.shape, axis);
      infer::require_like(args, 0, "gradient", input);
      require_statistic(args, 2, "mean", leading(input.shape, axis));
      require_statistic(args, 3, "scale", leading(input.shape, axis));
      require_parameter(args, 4, "weight", normalized);
      results.add(input.dtype, input.shape);
      results.add(compute_dtype(input.dtype), normalized);
      results.add(compute_dtype(input.dtype), normalized);
    })
    .compose([](const Call& call) -> ValueList {
      const Value& input = call.value(1);
      const Value& gradient = call.value(0);
      const Value& scale = call.value(3);
      const int64_t axis = call.integer(5);
      const Dims row = axes_from(axis, input->rank());
      const Value unit = (input - call.value(2)) * scale;
      const Value weighted = call.has(4) ? gradient * call.value(4) : gradient;
      const Value change = weighted - mean(weighted, row, true) - unit * mean(weighted * unit, row, true);
      Dims outer;
      for (int64_t i = 0; i < axis; ++i) outer.push_back(i);
      const Value product = gradient * unit;
      if (outer.empty())
        return {as_dtype(scale * change, input->dtype), product, as_dtype(gradient, product->dtype)};
      return {as_dtype(scale * change, input->dtype), sum(product, outer),
              as_dtype(sum(gradient, outer), product->dtype)};
    })
    .cost(12)
    .numpy("ref.normalize_rows_grad(gradient, input, mean, scale, weight, begin_axis)")
    .samples("call(T(2, 3), T(2, 3), T(2, 1), T(2, 1), None, 1)",
             "call(T(40, 7), T(40, 7), T(40, 1), T(40, 1), T(7), 1)")
    .rejects("dyad._core.named_op('normalize_rows_grad')(ones(2, 3), 'a', ones(2, 1), ones(2, 1), None, 1)",
             "TypeError", "normalize_rows_grad: input is 'a'")
    .rejects(
        "dyad._core.named_op('normalize_rows_grad')(ones(2, 3), ones(2, 3), ones(2, 1), ones(2, 1), None, 7)",
        "ValueError", "normalize_rows_grad: rows begin at axis 7")
    .rejects(
        "dyad._core.named_op('normalize_rows_grad')(ones(3), ones(2, 3), ones(2, 1), ones(2, 1), None, 1)",
        "ValueError", "normalize_rows_grad: gradient has shape (3,)")
    .rejects(
        "dyad._core.named_op('normalize_rows_grad')(ones(2, 3), ones(2, 3), ones(1), ones(2, 1), None, 1)",
        "ValueError", "normalize_rows_grad: mean has shape (1,)");

DYAD_OP(
    "layer_norm_moments(input: Tensor, weight: Tensor, bias: Tensor, begin_norm_axis: int=1, "
    "begin_params_axis: int=1, "
    "epsilon: float=1e-7) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Layer normalization over the axes from `begin_norm_axis` on, with the mean μ and the variance σ² "
        "that it used. Both are constants for differentiation.")
    .formula("out = (input − μ) / √(σ² + epsilon) · weight + bias")
    .arg("input", "floats, any shape.")
    .arg("weight", "scale, of the shape of the axes from `begin_params_axis` on.")
    .arg("bias", "shift, of the shape of `weight`.")
    .arg("begin_norm_axis", "first axis that is normalized.")
    .arg("begin_params_axis", "first axis of `weight` and `bias`.")
    .arg("epsilon", "added to the variance.")
    .returns("Tuple of the result, the mean and the variance.")
    .see("ops.layer_norm")
    .reference("arXiv:1607.06450")
    .hidden()
    .primitive(
        "LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)(input_x:input, gamma:weight, "
        "beta:bias)")
    .compose([](const Call& call) -> ValueList {
      const int64_t rank = call.in(0).rank();
      const int64_t norm_axis = normalize_axis(call.op(), call.integer(3), rank, "begin_norm_axis");
      const int64_t params_axis = normalize_axis(call.op(), call.integer(4), rank, "begin_params_axis");
      ValueList found;
      if (norm_axis == params_axis) {
        found = normalize_rows.all(call.value(0), norm_axis, call[1], call[2], call[5]);
      } else {
        found = normalize_rows.all(call.value(0), norm_axis, nullptr, nullptr, call[5]);
        found[0] = found[0] * call.value(1) + call.value(2);
      }
      const Value deviation = reciprocal(stop_gradient(found[2]));
      return {found[0], stop_gradient(found[1]), relu(square(deviation) - call.real(5))};
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.layer_norm_moments(input, begin_norm_axis, weight, bias, epsilon)")
    .samples("call(T(2, 3), T(3), T(3))",
             "call(T(4, 2, 3), T(3), T(3), begin_norm_axis=1, begin_params_axis=2)")
    .rejects("ops.LayerNorm(3)(ones(2, 3), ones(3), ones(3))", "ValueError", "begin_norm_axis 3");

DYAD_OP("normalize_rms(input: Tensor, weight: Tensor, epsilon: float=1e-6) -> (Tensor, Tensor)")
    .doc(
        "Root mean square (RMS) normalization over the dimensions of `weight`, with the factor that it used.")
    .formula("factor = 1 / √(mean(input²) + epsilon), out = input · factor · weight")
    .arg("input", "floats, any shape.")
    .arg("weight", "scale, with the last dimensions of `input`.")
    .arg("epsilon", "added to the mean square.")
    .returns("Tuple of the result and the factor.")
    .see("ops.rms_norm")
    .reference("arXiv:1910.07467")
    .hidden()
    .primitive("RmsNorm(epsilon=1e-6)(x:input, gamma:weight)")
    .function("rms_norm(x:input, gamma:weight, epsilon=1e-6)")
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(0);
      const ValueImpl& weight = args.in(1);
      infer::require_dtype(args, 0, is_float(input.dtype), "floating dtypes");
      const int64_t axis = input.rank() - weight.rank();
      if (axis < 0 || !fits(trailing(input.shape, axis), weight.shape)) {
        value_error(args.op(), ": weight has shape ", weight.shape, "; it must be the last dimensions of ",
                    input.shape);
      }
      results.add(input.dtype, input.shape);
      results.add(compute_dtype(input.dtype), leading(input.shape, axis));
    })
    .decomposes([](const Call& call) { return decomposed_rms(call); })
    .grad([](GradCall& g) {
      const ValueImpl& input = g.in(0);
      const Dims row = axes_from(input.rank() - g.in(1).rank(), input.rank());
      const Value unit = g.value(0) * g.out(1);
      Value through;
      if (g.grad(1)) {
        Ints axes;
        for (Dim axis : row) axes.push_back(axis.value());
        through = -(unit * (g.grad(1) * g.out(1) * g.out(1))) / reduced_count(g.value(0), axes);
      }
      if (!g.grad(0)) return g.set(0, through);
      const Value weighted = g.grad(0) * g.value(1);
      const Value change = (weighted - unit * mean(weighted * unit, row, true)) * g.out(1);
      g.set(0, as_dtype(through ? change + through : change, input.dtype));
      g.set(1, as_dtype(sum_to(g.grad(0) * unit, g.value(1)), g.in(1).dtype));
    })
    .batch(normalized_rms)
    .cost(5)
    .autocast(Autocast::kFloat32)
    .numpy("ref.normalize_rms(input, weight, epsilon)")
    .samples("call(T(2, 3), T(3))", "call(T(4, 2, 3), T(2, 3))", "call(T(4, 130), T(130))")
    .rejects("ops.rms_norm(ones(2, 3), ones(2))", "ValueError", "rms_norm: weight has shape (2,)");

}  // namespace dyad
