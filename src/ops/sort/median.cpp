#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/sort/lines.h"

namespace dyad {

namespace {

DYAD_USE(argmax, cast, floor_divide, gather_elements, isnan, logical_not, maximum, median, nanmedian, reshape,
         sort, sum, where);

void require_lines(const Call& call, int64_t axis) {
  require_ordered(call);
  if (line_length(call.in(0), axis) == Dim(0)) {
    value_error(call.op(), ": shape ", call.in(0).shape, " has no element along axis ", axis,
                "; there must be at least one");
  }
}

/// (input, axis, keepdims)
ValueList median_body(const Call& call) {
  const int64_t axis = sort_axis(call, 1);
  require_lines(call, axis);
  const bool keepdims = call.flag(2);
  const Dim length = line_length(call.in(0), axis);
  const Dim middle = floor_div(length - 1, 2);
  const ValueList sorted = sort.all(call.value(0), axis, false, DType::kInt64);
  Value value = element_of_lines(sorted[0], axis, middle, keepdims);
  Value place = element_of_lines(sorted[1], axis, middle, keepdims);
  if (!is_float(call.in(0).dtype)) return {value, place};
  // NaN sorts last: one there means that the line has no middle. argmax finds the first NaN.
  const Value last = element_of_lines(sorted[0], axis, length - 1, keepdims);
  const Value missing = isnan(last);
  return {where(missing, last, value), where(missing, argmax(call.value(0), axis, keepdims), place)};
}

/// (input, axis, keepdims)
ValueList nanmedian_body(const Call& call) {
  if (!is_float(call.in(0).dtype) || call.in(0).rank() == 0)
    return median.all(call.value(0), call[1], call[2]);
  const int64_t axis = sort_axis(call, 1);
  require_lines(call, axis);
  const ValueList sorted = sort.all(call.value(0), axis, false, DType::kInt64);
  const Value count = sum(logical_not(isnan(call.value(0))), Dims{axis}, true);
  const Value middle = maximum(floor_divide(count - 1, 2), 0);
  const Shape shape = infer::reduced(call.in(0).shape, Ints{axis}, call.flag(2));
  return {reshape(gather_elements(sorted[0], axis, middle), shape),
          reshape(gather_elements(sorted[1], axis, middle), shape)};
}

}  // namespace

DYAD_OP("median(input: Tensor, axis: int=-1, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc(
        "Median along an axis, the lower one of two middle elements, and its index. A row with NaN has the "
        "median NaN.")
    .formula("values = sorted(row)[⌊(n − 1) / 2⌋]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced.")
    .returns("Tuple of the medians, in the dtype of `input`, and their indices.")
    .see("ops.nanmedian, ops.quantile")
    .method()
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return median_body(call); })
    .numpy("ref.median(input, axis, keepdims)")
    .samples("call(T(2, 5))", "call(T(4, 3, 2), axis=0, keepdims=True)", "call(I(3, 4), axis=1)", "call(T())",
             "call(V([[1.0, float('nan'), 2.0, float('nan')], [4.0, 1.0, 3.0, 2.0]], 'float32'))")
    .rejects("ops.median(ones(2, 3), 2)", "ValueError", "median: axis 2")
    .rejects("ops.median(ones(2, 0))", "ValueError", "median: shape (2, 0) has no element along axis 1");

DYAD_OP("nanmedian(input: Tensor, axis: int=-1, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Median along an axis of the elements that are not NaN, and its index.")
    .formula("values = sorted(elements that are not NaN)[⌊(n − 1) / 2⌋], n of them")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced.")
    .returns("Tuple of the medians, in the dtype of `input`, and their indices.")
    .see("ops.median")
    .method()
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return nanmedian_body(call); })
    .numpy("ref.nanmedian(input, axis, keepdims)")
    .samples("call(T(2, 5))", "call(T(4, 3, 2), axis=0, keepdims=True)", "call(I(3, 4), axis=1)", "call(T())",
             "call(V([[1.0, float('nan'), 2.0, 0.5], [4.0, 1.0, 3.0, 2.0]], 'float32'))",
             "call(V([float('nan'), float('nan')], 'float32'))")
    .rejects("ops.nanmedian(ones(2, 3), 2)", "ValueError", "axis 2");

DYAD_OP(
    "median_of(input: Tensor, global_median: bool=False, axis: int=0, keepdims: bool=False, ignore_nan: "
    "bool=False) "
    "-> (Tensor, Tensor)")
    .doc("Median along an axis or of all elements, the lower one of two middle elements, and its index.")
    .formula("values = sorted(row)[⌊(n − 1) / 2⌋]")
    .arg("input", "real numbers, any shape.")
    .arg("global_median", "whether the median of all elements is computed.")
    .arg("axis", "axis that is reduced.")
    .arg("ignore_nan", "whether NaN is left out.")
    .returns("Tuple of the medians, in the dtype of `input`, and their indices.")
    .see("ops.median")
    .hidden()
    .primitive("Median(global_median=False, axis=0, keep_dims:keepdims=False, ignore_nan=False)(x:input)")
    .compose([](const Call& call) -> ValueList {
      const OpName& middle = call.flag(4) ? nanmedian : median;
      if (!call.flag(1)) return middle.all(call.value(0), call[2], call[3]);
      return middle.all(reshape(call.value(0), Dims{size_of(call.in(0).shape)}), 0);
    })
    .numpy(
        "(ref.nanmedian if ignore_nan else ref.median)(input.reshape(-1) if global_median else input, "
        "0 if global_median else axis, keepdims and not global_median)")
    .samples("call(T(2, 5))", "call(T(2, 5), True)", "call(T(2, 5), axis=1, keepdims=True, ignore_nan=True)")
    .rejects("ops.Median(axis=2)(ones(2, 3))", "ValueError", "Median: axis 2");

}  // namespace dyad
