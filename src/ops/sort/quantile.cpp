#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/sort/lines.h"

namespace dyad {

namespace {

DYAD_USE(any, cast, ceil, floor, full, gather_elements, greater_equal, isnan, lerp, less_equal, logical_and,
         logical_not, maximum, movedim, reshape, sort, sum, where);

/// The fractions asked for, as a tensor of one dimension.
Value fractions(const Call& call) {
  if (!call.is_value(1)) {
    const double q = call.real(1);
    if (!(q >= 0 && q <= 1)) value_error(call.op(), ": q is ", q, "; it must lie in 0 to 1");
    return full(call.builder(), Dims{1}, q, DType::kFloat64);
  }
  const Value& q = call.value(1);
  if (q->rank() > 1)
    value_error(call.op(), ": q has shape ", q->shape, "; it must have at most one dimension");
  infer::require_dtype(call, 1, is_float(q->dtype), "floating dtypes");
  return reshape(cast(q, DType::kFloat64), Dims{size_of(q->shape)});
}

/// (input, q, axis, keepdims): elements between two neighbors of the sorted line are found by a straight
/// line. A line with NaN gives NaN, or its other elements are taken alone.
Value quantile_body(const Call& call, bool skip_nan) {
  infer::require_dtype(call, 0, is_float(call.in(0).dtype), "floating dtypes");
  const Value asked = fractions(call);
  const Value fitting = logical_and(greater_equal(asked, 0.0), less_equal(asked, 1.0));
  const Value q = where(fitting, asked, 0.0);
  const bool over_all = !call.has(2) || call.in(0).rank() == 0;
  const Value input = over_all ? reshape(call.value(0), Dims{size_of(call.in(0).shape)}) : call.value(0);
  const int64_t axis = over_all ? 0 : sort_axis(call, 2);
  const Value lines = movedim(input, Dims{axis}, Dims{-1});
  const Dim length = lines->shape.back();
  if (length == Dim(0)) {
    value_error(call.op(), ": shape ", call.in(0).shape,
                " has no element to choose from; there must be at least one");
  }
  const Value sorted = sort.all(lines, -1, false, DType::kInt64)[0];
  const Value missing = isnan(lines);
  const Value last = maximum(cast(sum(logical_not(missing), Dims{-1}, true), DType::kFloat64) - 1.0, 0.0);
  const Value position = last * q;
  const Value below = floor(position);
  const Value low = gather_elements(sorted, -1, cast(below, DType::kInt64));
  const Value high = gather_elements(sorted, -1, cast(ceil(position), DType::kInt64));
  Value found = lerp(low, high, cast(position - below, input->dtype));
  // What a tensor asks for is known when it runs: there is no such element outside of 0 to 1.
  if (call.is_value(1)) found = where(fitting, found, std::numeric_limits<double>::quiet_NaN());
  if (!skip_nan) found = where(any(missing, Dims{-1}, true), std::numeric_limits<double>::quiet_NaN(), found);
  Ints axes;
  for (int64_t d = 0; d < call.in(0).rank(); ++d) {
    if (over_all || d == axis) axes.push_back(d);
  }
  Shape shape = infer::reduced(call.in(0).shape, axes, call.flag(3));
  if (call.is_value(1) && call.in(1).rank() == 1) shape.insert(0, q->shape[0]);
  return reshape(movedim(found, Dims{-1}, Dims{0}), shape);
}

}  // namespace

DYAD_OP("quantile(input: Tensor, q: Operand, axis: int?=None, keepdims: bool=False) -> Tensor")
    .doc(
        "Quantiles along an axis, with linear interpolation. Several fractions make a new first dimension; "
        "one outside [0, 1] is an error as a number and NaN in a tensor.")
    .formula("out = sorted(row) at position q · (n − 1), interpolated linearly")
    .arg("input", "floats, any shape.")
    .arg("q", "fractions in [0, 1], a number or a tensor.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .returns("Tensor in the dtype of `input`.")
    .see("ops.nanquantile, ops.median")
    .method("quantile(q, axis=None, keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose_wide([](const Call& call) { return quantile_body(call, false); })
    .numpy("np.quantile(input.astype(np.float64), q, axis=axis, keepdims=keepdims).astype(input.dtype)")
    .samples("call(T(2, 5), 0.3)", "call(T(2, 5), V([0.0, 0.25, 1.0], 'float32'), axis=1)",
             "call(T(2, 5), 0.5, keepdims=True)",
             "call(T(4, 3, 2), V([0.2, 0.7], 'float32'), axis=0, keepdims=True)", "call(T(), 0.5)",
             "call(V([1.0, float('nan'), 2.0], 'float32'), 0.5)")
    .rejects("ops.quantile(ones(2, 3), 1.5)", "ValueError", "quantile: q is 1.5; it must lie in 0 to 1")
    .rejects("ops.quantile(ones(2, 3), 0.5, 2)", "ValueError", "quantile: axis 2");

DYAD_OP("nanquantile(input: Tensor, q: Operand, axis: int?=None, keepdims: bool=False) -> Tensor")
    .doc("Quantiles along an axis of the elements that are not NaN, with linear interpolation.")
    .formula(
        "out = sorted(elements that are not NaN) at position q · (n − 1), n of them, interpolated linearly")
    .arg("input", "floats, any shape.")
    .arg("q", "fractions in [0, 1], a number or a tensor.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .returns("Tensor in the dtype of `input`.")
    .see("ops.quantile")
    .method("nanquantile(q, axis=None, keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose_wide([](const Call& call) { return quantile_body(call, true); })
    .numpy("np.nanquantile(input.astype(np.float64), q, axis=axis, keepdims=keepdims).astype(input.dtype)")
    .samples("call(T(2, 5), 0.3)", "call(T(2, 5), V([0.0, 0.25, 1.0], 'float32'), axis=1)",
             "call(V([[1.0, float('nan'), 2.0], [3.0, 1.0, 0.0]], 'float32'), 0.5, axis=1)")
    .rejects("ops.nanquantile(ones(2, 3), -0.5)", "ValueError",
             "nanquantile: q is -0.5; it must lie in 0 to 1");

DYAD_OP("bucketize(input: Tensor, boundaries: Operand, right: bool=False) -> Tensor")
    .primitive("Bucketize(boundaries, right=True)(input)")
    .doc("Bucket indices: the number of the interval between sorted boundaries that each element is in.")
    .formula("out[i] = number of boundaries < input[i]", "right=False")
    .formula("out[i] = number of boundaries ≤ input[i]", "right=True")
    .arg("input", "real numbers, any shape.")
    .arg("boundaries", "sorted numbers.")
    .arg("right", "whether an element that equals a boundary is above it.")
    .returns("Tensor of int32 with the shape of `input`.")
    .see("ops.searchsorted")
    .function("bucketize(input, boundaries, *, right=False)")
    .method("bucketize(boundaries, *, right=False)")
    .compose([](const Call& call) -> Value {
      static const OpName search_sorted_rows{"search_sorted_rows"};
      if (!call.is_value(1) || call.in(1).rank() != 1)
        type_error(call.op(), ": boundaries must be a list of numbers");
      return search_sorted_rows(call.builder(), call.value(1), call.value(0), call[2], DType::kInt32);
    })
    .numpy("np.searchsorted(np.asarray(boundaries), input, 'right' if right else 'left').astype(np.int32)")
    .samples("call(T(2, 3), [-1.0, 0.0, 1.5])", "call(I(4), [1, 2], right=True)", "call(T(0), [1.0])")
    .rejects("ops.bucketize(ones(2), 1.0)", "TypeError", "bucketize: boundaries must be a list of numbers");

}  // namespace dyad
