#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(amax, amin, argmax, argmin, cast, equal, gather_elements, max_with_index, maximum, min_with_index,
         minimum, place_along, reshape, sum, where, zeros);

/// An extreme needs at least one element.
void require_elements(const Arguments& args, const Shape& shape, const Ints& axes) {
  for (int64_t axis : axes) {
    if (shape[static_cast<size_t>(axis)] == Dim(0)) {
      value_error(args.op(), ": shape ", shape, " has no element along axis ", axis,
                  "; there must be at least one");
    }
  }
}

void infer_extreme(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  infer::require_dtype(args, 0, !is_complex(input.dtype), "bool, integer and floating dtypes");
  const Ints axes = infer::axes(args, 1, input.rank());
  require_elements(args, input.shape, axes);
  results.add(input.dtype, infer::reduced(input.shape, axes, args.flag(2)));
}

void infer_arg(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  infer::require_dtype(args, 0, !is_complex(input.dtype), "bool, integer and floating dtypes");
  const DType dtype = args.dtype(3);
  if (!is_int(dtype))
    type_error(args.op(), ": the index cannot have dtype ", dtype, "; accepted are integer dtypes");
  const Ints axes = axis_or_all(args, 1, input.rank());
  require_elements(args, input.shape, axes);
  results.add(dtype, infer::reduced(input.shape, axes, args.flag(2)));
}

void infer_with_index(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  infer::require_dtype(args, 0, !is_complex(input.dtype), "bool, integer and floating dtypes");
  const Ints axes = axis_or_all(args, 1, input.rank());
  require_elements(args, input.shape, axes);
  const Shape shape = infer::reduced(input.shape, axes, args.flag(2));
  results.add(input.dtype, shape);
  results.add(DType::kInt64, shape);
}

/// The gradient is shared equally among the elements that attain the extreme.
void grad_extreme(GradCall& g) {
  const Value chosen = cast(equal(g.value(0), expand_reduced(g, g.out())), g.in(0).dtype);
  const Value ties = sum(chosen, g[1], true);
  g.set(0, cast(chosen * expand_reduced(g, g.grad()) / ties, g.grad()->dtype));
}

/// The gradient goes to the element that the index names.
void grad_with_index(GradCall& g) {
  if (!g.grad(0)) return;
  const ValueImpl& input = g.in(0);
  if (!g.has(1) || input.rank() == 0) {
    const Value flat =
        place_along(reshape(g.grad(0), Dims{1}), reshape(g.out(1), Dims{1}), 0, Dims{size_of(input.shape)});
    return g.set(0, reshape(flat, input.shape));
  }
  const int64_t axis = normalize_axis(g.op(), g.integer(1), input.rank());
  const Shape kept = infer::reduced(input.shape, Ints{axis}, true);
  g.set(0, place_along(reshape(g.grad(0), kept), reshape(g.out(1), kept), axis,
                       Dims{input.shape[static_cast<size_t>(axis)]}));
}

/// (input, axis, keepdims, initial, where): what `where` masks out counts as `initial`, which takes part too.
Value masked(const Call& call, const Value& input) {
  if (!call.has(4)) return input;
  if (!call.has(3))
    value_error(call.op(), ": where is given without initial; initial says what masked elements count as");
  return where(call.value(4), input, call[3]);
}

template <bool greatest>
ValueList extreme_and_index(const Call& call) {
  const Value input = masked(call, call.value(0));
  ValueList results =
      greatest ? max_with_index.all(input, call[1], call[2]) : min_with_index.all(input, call[1], call[2]);
  if (call.has(3)) results[0] = greatest ? maximum(results[0], call[3]) : minimum(results[0], call[3]);
  // Over all elements there is no axis that an index could count along; MindSpore gives 0.
  if (!call.has(1)) results[1] = zeros(call.builder(), results[1]->shape, DType::kInt64);
  return results;
}

template <bool greatest>
Value extreme_value(const Call& call) {
  const Value input = masked(call, call.value(0));
  const Value value = greatest ? amax(input, call[1], call[2]) : amin(input, call[1], call[2]);
  if (!call.has(3)) return value;
  return greatest ? maximum(value, call[3]) : minimum(value, call[3]);
}

}  // namespace

DYAD_OP("amax(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor")
    .doc("Maximum over the given axes, or over all of them. NaN is larger than any number.")
    .formula("out[…] = max over the axes of input[…]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.max, ops.argmax")
    .hidden()
    .function("reduce_max(x:input, axis=())")
    .primitive("ReduceMax(keep_dims:keepdims=False)(x:input, axis=())")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("input_x", "input")
    .infer(infer_extreme)
    .reduces(Reduction::kMax)
    .grad(grad_extreme)
    .batch(batch::along<1>)
    .numpy("np.max(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='real+bool')", "call(T(2, 3), axis=1, dtypes='real')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3, 4), axis=1, keepdims=True)", "call(T())",
             "call(T(3, 0), axis=0)", "call(strided(T(4, 6)), axis=0)", "call(T(3, 1000), axis=1)",
             "call(V([1.0, float('nan'), 2.0], 'float32'))")
    .rejects("ops.amax(ones(2, 3), 2)", "ValueError", "amax: axis 2")
    .rejects("ops.amax(ones(0, 3), 0)", "ValueError", "amax: shape (0, 3) has no element along axis 0");

DYAD_OP("amin(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor")
    .doc("Minimum over the given axes, or over all of them. NaN is smaller than any number.")
    .formula("out[…] = min over the axes of input[…]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.min, ops.argmin")
    .hidden()
    .function("reduce_min(x:input, axis=())")
    .primitive("ReduceMin(keep_dims:keepdims=False)(x:input, axis=())")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("input_x", "input")
    .infer(infer_extreme)
    .reduces(Reduction::kMin)
    .grad(grad_extreme)
    .batch(batch::along<1>)
    .numpy("np.min(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='real+bool')", "call(T(2, 3), axis=1, dtypes='real')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3, 4), axis=1, keepdims=True)", "call(T())",
             "call(T(3, 0), axis=0)", "call(strided(T(4, 6)), axis=0)")
    .rejects("ops.amin(ones(2, 3), 2)", "ValueError", "amin: axis 2")
    .rejects("ops.amin(ones(0, 3), 0)", "ValueError", "amin: shape (0, 3) has no element along axis 0");

DYAD_OP(
    "max_value(input: Tensor, axis: ints?=None, keepdims: bool=False, initial: Number?=None, where: "
    "Tensor?=None) -> Tensor")
    .doc("Maximum over the given axes of the elements where `where` is True, and of `initial`.")
    .formula("out[…] = max({initial} ∪ {input[…] : where[…]})")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("initial", "lower bound of the result; needed with `where`.")
    .arg("where", "bools that broadcast with `input`; None: all elements.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.amax")
    .hidden()
    .function("amax(input, axis=None, keepdims=False, *, initial=None, where=None)")
    .method("amax(axis=None, keepdims=False, *, initial=None, where=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return extreme_value<true>(call); })
    .numpy(
        "np.max(input, axis=axis, keepdims=keepdims, initial=initial, where=True if where is None else "
        "where)")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3), axis=1, initial=0.5, where=B(2, 3))")
    .rejects("ones(2, 3).amax(2)", "ValueError", "amax: axis 2");

DYAD_OP(
    "min_value(input: Tensor, axis: ints?=None, keepdims: bool=False, initial: Number?=None, where: "
    "Tensor?=None) -> Tensor")
    .doc("Minimum over the given axes of the elements where `where` is True, and of `initial`.")
    .formula("out[…] = min({initial} ∪ {input[…] : where[…]})")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("initial", "upper bound of the result; needed with `where`.")
    .arg("where", "bools that broadcast with `input`; None: all elements.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.amin")
    .hidden()
    .function("amin(input, axis=None, keepdims=False, *, initial=None, where=None)")
    .method("amin(axis=None, keepdims=False, *, initial=None, where=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return extreme_value<false>(call); })
    .numpy(
        "np.min(input, axis=axis, keepdims=keepdims, initial=initial, where=True if where is None else "
        "where)")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3), axis=1, initial=0.5, where=B(2, 3))")
    .rejects("ones(2, 3).amin(2)", "ValueError", "amin: axis 2");

DYAD_OP("max_with_index(input: Tensor, axis: int?=None, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc(
        "Maximum along an axis and its index; without an axis, of all elements in row-major order. NaN is "
        "larger than any number; of equal elements the first counts.")
    .formula("values = maxₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .returns("Tuple of the values, in the dtype of `input`, and the indices.")
    .see("ops.max, ops.argmax")
    .hidden()
    .method("argmax_with_value(axis=0, keep_dims:keepdims=False)")
    .infer(infer_with_index)
    .grad(grad_with_index)
    .batch(batch::along<1>)
    .cost(1)
    .numpy("ref.max_with_index(input, axis, keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real')", "call(T(2, 3, 4), axis=1, keepdims=True)",
             "call(T(2, 3))", "call(T())")
    .rejects("dyad._core.named_op('max_with_index')(ones(2, 3), 2)", "ValueError", "max_with_index: axis 2");

DYAD_OP("min_with_index(input: Tensor, axis: int?=None, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc(
        "Minimum along an axis and its index; without an axis, of all elements in row-major order. NaN is "
        "smaller than any number; of equal elements the first counts.")
    .formula("values = minₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .returns("Tuple of the values, in the dtype of `input`, and the indices.")
    .see("ops.min, ops.argmin")
    .hidden()
    .method("argmin_with_value(axis=0, keep_dims:keepdims=False)")
    .infer(infer_with_index)
    .grad(grad_with_index)
    .batch(batch::along<1>)
    .cost(1)
    .numpy("ref.min_with_index(input, axis, keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real')", "call(T(2, 3, 4), axis=1, keepdims=True)",
             "call(T(2, 3))", "call(T())")
    .rejects("dyad._core.named_op('min_with_index')(ones(2, 3), 2)", "ValueError", "min_with_index: axis 2");

DYAD_OP(
    "max(input: Tensor, axis: int?=None, keepdims: bool=False, initial: Number?=None, where: Tensor?=None) "
    "-> (Tensor, Tensor)")
    .doc(
        "Maximum along an axis and its index. Without an axis: the maximum of all elements, and the index 0.")
    .formula("values = maxₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .arg("initial", "lower bound of the result; needed with `where`.")
    .arg("where", "bools that broadcast with `input`: elements that count; None: all.")
    .returns("Tuple of the values, in the dtype of `input`, and the indices.")
    .see("ops.amax, ops.argmax, ops.maximum")
    .function("max(input, axis=None, keepdims=False, *, initial=None, where=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return extreme_and_index<true>(call); })
    .numpy("ref.max(input, axis, keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real')", "call(T(2, 3))", "call(T(2, 3), axis=0, keepdims=True)")
    .rejects("ops.max(ones(2, 3), 2)", "ValueError", "axis 2")
    .rejects("ops.max(ones(2, 3), 1, where=ones(2, 3) > 0)", "ValueError",
             "max: where is given without initial");

DYAD_OP(
    "min(input: Tensor, axis: int?=None, keepdims: bool=False, initial: Number?=None, where: Tensor?=None) "
    "-> (Tensor, Tensor)")
    .doc(
        "Minimum along an axis and its index. Without an axis: the minimum of all elements, and the index 0.")
    .formula("values = minₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .arg("initial", "upper bound of the result; needed with `where`.")
    .arg("where", "bools that broadcast with `input`: elements that count; None: all.")
    .returns("Tuple of the values, in the dtype of `input`, and the indices.")
    .see("ops.amin, ops.argmin, ops.minimum")
    .function("min(input, axis=None, keepdims=False, *, initial=None, where=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) { return extreme_and_index<false>(call); })
    .numpy("ref.min(input, axis, keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real')", "call(T(2, 3))", "call(T(2, 3), axis=0, keepdims=True)")
    .rejects("ops.min(ones(2, 3), 2)", "ValueError", "axis 2");

DYAD_OP("index_of_max(input: Tensor, axis: int=0, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Index of the maximum along an axis, and the maximum.")
    .formula("index = argmaxₖ input[…, k, …], value = maxₖ input[…, k, …]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced.")
    .returns("Tuple of the indices and the values.")
    .see("ops.argmax, ops.max")
    .hidden()
    .primitive("ArgMaxWithValue(axis=0, keep_dims:keepdims=False)(input)")
    .compose([](const Call& call) -> ValueList {
      const ValueList found = max_with_index.all(call.value(0), call[1], call[2]);
      return {found[1], found[0]};
    })
    .numpy("ref.max_with_index(input, axis, keepdims)[::-1]")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3))")
    .rejects("ops.ArgMaxWithValue(2)(ones(2, 3))", "ValueError", "axis 2");

DYAD_OP("index_of_min(input: Tensor, axis: int=0, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Index of the minimum along an axis, and the minimum.")
    .formula("index = argminₖ input[…, k, …], value = minₖ input[…, k, …]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced.")
    .returns("Tuple of the indices and the values.")
    .see("ops.argmin, ops.min")
    .hidden()
    .primitive("ArgMinWithValue(axis=0, keep_dims:keepdims=False)(input)")
    .compose([](const Call& call) -> ValueList {
      const ValueList found = min_with_index.all(call.value(0), call[1], call[2]);
      return {found[1], found[0]};
    })
    .numpy("ref.min_with_index(input, axis, keepdims)[::-1]")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3))")
    .rejects("ops.ArgMinWithValue(2)(ones(2, 3))", "ValueError", "axis 2");

DYAD_OP("argmax(input: Tensor, axis: int?=None, keepdims: bool=False, dtype: dtype=int64) -> Tensor")
    .doc("Argmax: the index of the first maximum along an axis, or among all elements in row-major order.")
    .formula("out[…] = the smallest k with input[…, k, …] = maxⱼ input[…, j, …]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .arg("dtype", "int32 or int64: the dtype of the result.")
    .returns("Tensor without the reduced axis, in `dtype`.")
    .see("ops.max, ops.argmin")
    .function("argmax(input, dim:axis=None, keepdim:keepdims=False)")
    .method("argmax(axis=None, keepdims=False)")
    .primitive("Argmax(axis=-1, output_type:dtype=int32)(input_x:input)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("x", "input")
    .mint("argmax")
    .infer(infer_arg)
    .no_grad("an index does not vary continuously")
    .batch(batch::along<1>)
    .cost(1)
    .numpy("np.argmax(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real+bool')", "call(T(2, 3, 4), axis=1, keepdims=True)",
             "call(T(2, 3))", "call(T())", "call(strided(T(4, 6)), axis=0)",
             "call(V([1.0, float('nan'), 2.0], 'float32'))")
    .rejects("ops.argmax(ones(2, 3), 2)", "ValueError", "argmax: axis 2")
    .rejects("ops.argmax(ones(0))", "ValueError", "argmax: shape (0,) has no element along axis 0");

DYAD_OP("argmin(input: Tensor, axis: int?=None, keepdims: bool=False, dtype: dtype=int32) -> Tensor")
    .doc("Argmin: the index of the first minimum along an axis, or among all elements in row-major order.")
    .formula("out[…] = the smallest k with input[…, k, …] = minⱼ input[…, j, …]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .arg("dtype", "int32 or int64: the dtype of the result.")
    .returns("Tensor without the reduced axis, in `dtype`.")
    .see("ops.min, ops.argmax")
    .function("argmin(input, axis=None, keepdims=False)")
    .method("argmin(axis=None, keepdims=False)")
    .primitive("Argmin(axis=-1, output_type:dtype=int32)(x:input)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("input_x", "input")
    .infer(infer_arg)
    .no_grad("an index does not vary continuously")
    .batch(batch::along<1>)
    .cost(1)
    .numpy("np.argmin(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real+bool')", "call(T(2, 3, 4), axis=1, keepdims=True)",
             "call(T(2, 3))", "call(T())", "call(strided(T(4, 6)), axis=0)")
    .rejects("ops.argmin(ones(2, 3), 2)", "ValueError", "argmin: axis 2");

DYAD_OP("place_along(values: Tensor, indices: Tensor, axis: int, size: ints) -> Tensor")
    .doc(
        "Zeros with `size` elements along the axis, to which each value is added at the position its index "
        "names.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& values = args.in(0);
      infer::require_dtype(args, 1, is_int(args.in(1).dtype), "integer dtypes");
      if (!may_agree(args.in(1).shape, values.shape)) {
        value_error(args.op(), ": indices have shape ", args.in(1).shape, "; it must be that of values, ",
                    values.shape);
      }
      Shape shape = values.shape;
      const int64_t axis = normalize_axis(args.op(), args.integer(2), std::max<int64_t>(values.rank(), 1));
      if (!shape.empty()) shape[static_cast<size_t>(axis)] = args.dims(3)[0];
      results.add(values.dtype, shape);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, gather_elements(g.grad(), g[2], g.value(1))); })
    .batch(batch::along<2>)
    .cost(1)
    .numpy("ref.place_along(values, indices, axis, size)")
    .samples("call(T(2, 3), I(2, 3, lo=0, hi=4), axis=1, size=5)",
             "call(T(2, 3), I(2, 3, lo=0, hi=4), axis=0, size=4)")
    .rejects("dyad._core.named_op('place_along')(ones(2), ints(3), 0, 2)", "ValueError",
             "place_along: indices have shape (3,)");

DYAD_OP("aminmax(input: Tensor, axis: int?=0, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Minimum and maximum along an axis, or of all elements.")
    .formula("(minₖ input[…, k, …], maxₖ input[…, k, …])")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is reduced; None: all elements.")
    .returns("Tuple of the minima and the maxima, in the dtype of `input`.")
    .see("ops.amin, ops.amax")
    .function("aminmax(input, *, axis=0, keepdims=False)")
    .method("aminmax(*, axis=0, keepdims=False)")
    .compose([](const Call& call) -> ValueList {
      const Arg axis = call.has(1) && call.in(0).rank() > 0 ? Arg(Dims{call.integer(1)}) : Arg();
      return {amin(call.value(0), axis, call[2]), amax(call.value(0), axis, call[2])};
    })
    .numpy("(np.min(input, axis=axis, keepdims=keepdims), np.max(input, axis=axis, keepdims=keepdims))")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3), axis=None)")
    .rejects("ops.aminmax(ones(2, 3), axis=2)", "ValueError", "axis 2");

}  // namespace dyad
