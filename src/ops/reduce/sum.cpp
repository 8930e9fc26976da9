#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(reshape, broadcast_to, cast, any, sum, mean, isnan, where, logical_not, truncate_div);

void infer_sum(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const Ints axes = infer::axes(args, 1, input.rank());
  // Integers are summed in 64 bits, so that small ones do not wrap.
  const bool widens = is_bool(input.dtype) || (is_int(input.dtype) && input.dtype != DType::kUInt64);
  results.add(args.dtype(3, widens ? DType::kInt64 : input.dtype),
              infer::reduced(input.shape, axes, args.flag(2)));
}

void infer_mean(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const Ints axes = infer::axes(args, 1, input.rank());
  const bool whole = is_bool(input.dtype) || is_int(input.dtype);
  const DType dtype = args.dtype(3, whole ? DType::kFloat32 : input.dtype);
  if (!is_float(dtype) && !is_complex(dtype)) {
    type_error(args.op(), ": the dtype ", dtype,
               " cannot hold a mean; accepted are floating and complex dtypes");
  }
  results.add(dtype, infer::reduced(input.shape, axes, args.flag(2)));
}

void infer_sum_to(const Arguments& args, Results& results) {
  const Shape& from = args.in(0).shape;
  const Shape& to = args.in(1).shape;
  if (!broadcasts_to(to, from)) {
    value_error(args.op(), ": input has shape ", from, "; it must be a shape that ", to, " broadcasts to");
  }
  results.add(args.in(0).dtype, to);
}

bool view_sum_to(const Arguments& args, const ResultSpec& result, ViewSpec& view) {
  if (!(args.in(0).shape == result.shape)) return false;
  view.strides = args.in(0).strides;
  return true;
}

/// sum_to in terms of sum.
Value sum_over_broadcast(const Call& call) {
  const Value& input = call.value(0);
  const Shape& wanted = call.in(1).shape;
  const size_t added = input->shape.size() - wanted.size();
  Dims axes;
  for (size_t d = 0; d < input->shape.size(); ++d) {
    if (d >= added && wanted[d - added] == input->shape[d]) continue;
    if (d >= added) (void)wanted[d - added].value();  // a size that is open may turn out to be the same
    axes.push_back(static_cast<int64_t>(d));
  }
  if (axes.empty()) return input;
  const Value total = sum(input, axes, added == 0, input->dtype);
  return total->shape == wanted ? total : reshape(total, wanted);
}

/// Sums each slice over the axes along which a slice of `like` was broadcast.
void summed_to(const BatchCall& call, ValueList& results) {
  const auto body = [](const Call& slice, ValueList& given) { given.push_back(sum_over_broadcast(slice)); };
  batch::compose(call, body, results);
}

}  // namespace

DYAD_OP("sum_to(input: Tensor, like: Tensor) -> Tensor")
    .describes(1)
    .doc(
        "Sums over the axes along which a tensor of the shape of `like` was broadcast to the shape of "
        "`input`.")
    .hidden()
    .infer(infer_sum_to)
    .view(view_sum_to)
    .decomposes([](const Call& call) { return sum_over_broadcast(call); })
    .linear()
    .grad([](GradCall& g) { g.set(0, broadcast_to(g.grad(), g.in(0).shape)); })
    .batch(summed_to)
    .cost(1)
    .numpy("ref.sum_to(input, like)")
    .samples("call(T(2, 3), T(3), dtypes='numeric')", "call(T(2, 3), T(2, 3))", "call(T(4, 2, 3), T(1, 3))",
             "call(T(4, 2, 3), T(4, 1, 1))", "call(T(5), T())", "call(T(0, 3), T(3))")
    .rejects("dyad._core.named_op('sum_to')(ones(2, 3), ones(4))", "ValueError",
             "sum_to: input has shape (2, 3)");

DYAD_OP("sum(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc("Sum over the given axes, or over all of them. Integers and bools are summed as int64.")
    .formula("out[…] = Σ over the axes of input[…]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result; None: that of `input`, int64 for integers and bools.")
    .returns("Tensor without the reduced axes.")
    .see("ops.mean, ops.cumsum, ops.nansum")
    .function("sum(input, dim:axis=None, keepdim:keepdims=False, *, dtype=None)")
    .method("sum(axis=None, dtype=None, keepdims=False)")
    .further_method("sum(dim:axis=None, keepdim:keepdims=False, *, dtype=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("keep_dims", "keepdims")
    .alias("x", "input")
    .mint("sum")
    .infer(infer_sum)
    .reduces(Reduction::kSum)
    .linear()
    .grad([](GradCall& g) {
      const Value spread = expand_reduced(g, g.grad());
      g.set(0, spread->dtype == g.in(0).dtype ? spread : cast(spread, g.in(0).dtype));
    })
    .batch(batch::along<1>)
    .autocast(Autocast::kFloat32)
    .numpy("np.sum(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='all')", "call(T(2, 3), axis=1, dtypes='numeric')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3, 4), axis=1, keepdims=True)",
             "call(T(), dtypes='numeric')", "call(T(0, 3), axis=0)", "call(T(0,))",
             "call(strided(T(4, 6)), axis=0)", "call(T(3, 0), axis=0)", "call(T(70, 50), axis=0)",
             "call(T(3, 5000), axis=1)", "call(T(3, 4, 5), axis=(0, 2))")
    .rejects("ops.sum(ones(2, 3), 2)", "ValueError", "sum: axis 2")
    .rejects("ops.sum(ones(2, 3), (0, 0))", "ValueError", "sum: axis 0 is given twice");

DYAD_OP(
    "sum_from(input: Tensor, axis: ints?=None, dtype: dtype?=None, keepdims: bool=False, initial: "
    "Number?=None) -> Tensor")
    .doc("Sum over the given axes, starting from `initial`. Integers and bools are summed as int64.")
    .formula("out[…] = initial + Σ over the axes of input[…]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result; None: that of `input`, int64 for integers and bools.")
    .arg("initial", "number that is added; None: 0.")
    .returns("Tensor without the reduced axes.")
    .see("ops.sum")
    .hidden()
    .further_method("sum(axis=None, dtype=None, keepdims=False, initial=None)")
    .compose([](const Call& call) -> Value {
      const Value total = sum(call.value(0), call[1], call[3], call[2]);
      return call.has(4) ? total + call[4] : total;
    })
    .numpy("np.sum(input, axis=axis, keepdims=keepdims, initial=0 if initial is None else initial)")
    .samples("call(T(2, 3), 1, initial=2)", "call(T(2, 3), initial=0.5)", "call(T(2, 3), 0, keepdims=True)")
    .rejects("ones(2, 3).sum(2, initial=1)", "ValueError", "sum: axis 2");

DYAD_OP("mean(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc("Mean of the elements over the given axes, or over all of them; that of integers is a float32.")
    .hidden()
    .infer(infer_mean)
    .reduces(Reduction::kMean)
    .linear()
    .grad([](GradCall& g) {
      const Arg count = reduced_count(g.value(0), infer::axes(g, 1, g.in(0).rank()));
      const Value spread = expand_reduced(g, g.grad() / count);
      g.set(0, spread->dtype == g.in(0).dtype ? spread : cast(spread, g.in(0).dtype));
    })
    .batch(batch::along<1>)
    .numpy("np.mean(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='numeric')", "call(T(2, 3), axis=1, dtypes='float')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3, 4), axis=1, keepdims=True)", "call(T())",
             "call(strided(T(4, 6)), axis=0)")
    .rejects("ops.mean(ones(2, 3), 0, 2)", "TypeError", "keepdims is 2; it must be a bool")
    .rejects("dyad._core.named_op('mean')(ones(2, 3), 2)", "ValueError", "mean: axis 2");

DYAD_OP("mean_of_kind(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc(
        "Mean over the given axes, or over all of them. The mean of integers is truncated to their dtype "
        "unless `dtype` is a float.")
    .formula("out[…] = Σ over the axes of input[…] / n, n elements")
    .arg("input", "numbers, any shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "`input` is converted to it first; None: its own.")
    .returns("Tensor without the reduced axes.")
    .see("ops.sum, ops.var_mean, ops.median")
    .hidden()
    .function("mean(x:input, axis=None, keep_dims:keepdims=False)")
    .method("mean(axis=None, keep_dims:keepdims=False, *, dtype=None)")
    .function("reduce_mean(x:input, axis=())")
    .primitive("ReduceMean(keep_dims:keepdims=False)(x:input, axis=())")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("input_x", "input")
    .compose([](const Call& call) -> Value {
      const ValueImpl& input = call.in(0);
      if (!is_int(input.dtype) || call.has(3)) return mean(call.value(0), call[1], call[2], call[3]);
      const Value wide = cast(call.value(0), DType::kInt64);
      Arg count = reduced_count(wide, infer::axes(call, 1, input.rank()));
      if (const Scalar* known = count.get<Scalar>()) {
        if (known->to_int() == 0)
          value_error(call.op(), ": there are no elements in a tensor of shape ", input.shape);
        count = known->to_int();
      }
      return cast(truncate_div(call.builder(), sum(wide, call[1], call[2]), count), input.dtype);
    })
    .numpy("ref.mean(input, axis, keepdims, dtype)")
    .samples("call(T(2, 3), dtypes='numeric')", "call(T(2, 3), axis=1, dtypes='real')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3), axis=1, dtype=float32, dtypes='int')",
             "call(V([-3, 0], 'int32'))", "call(V([200, 250, 255], 'uint8'))")
    .rejects("ops.mean(ones(2, 3), 2)", "ValueError", "mean: axis 2")
    .rejects("ops.mean(Tensor(np.zeros((0, 2), np.int32)), 0)", "ValueError", "mean: there are no elements")
    .rejects("ones(2, 3).mean(dtype=dyad.int32)", "TypeError", "mean: the dtype Int32 cannot hold a mean");

DYAD_OP("reduce_sum(input: Tensor, axis: ints=(), keepdims: bool=False, skip_mode: bool=False) -> Tensor")
    .doc("Sum over the given axes in the dtype of `input`; logical OR for bools.")
    .formula("out[…] = Σ over the axes of input[…]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; (): all, or none with `skip_mode`.")
    .arg("skip_mode", "whether no axes means that nothing is summed.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.sum")
    .function("reduce_sum(x:input, axis=())")
    .primitive("ReduceSum(keep_dims:keepdims=False, skip_mode=False)(x:input, axis=())")
    .alias("input_x", "input")
    .compose([](const Call& call) -> Value {
      if (call.flag(3) && call.dims(1).empty()) return call.value(0);
      if (is_bool(call.in(0).dtype)) return any(call.value(0), call[1], call[2]);
      return sum(call.value(0), call[1], call[2], call.in(0).dtype);
    })
    .numpy("np.sum(input, axis=axis or None, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='numeric')", "call(T(2, 3), axis=-1, keepdims=True)")
    .rejects("ops.ReduceSum()(ones(2, 3), 2)", "ValueError", "ReduceSum: axis 2");

DYAD_OP("nansum(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc("Sum over the given axes that counts NaN as 0.")
    .formula("out[…] = Σ over the axes of input[…] that are not NaN")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result; None: that of `input`, int64 for integers and bools.")
    .returns("Tensor without the reduced axes.")
    .see("ops.sum")
    .function("nansum(input, axis=None, keepdims=False, *, dtype=None)")
    .method("nansum(axis=None, keepdims=False, *, dtype=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .mint("nansum")
    .compose([](const Call& call) -> Value {
      if (!is_float(call.in(0).dtype)) return sum(call.value(0), call[1], call[2], call[3]);
      return sum(where(isnan(call.value(0)), 0, call.value(0)), call[1], call[2], call[3]);
    })
    .numpy("np.nansum(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), axis=1, dtypes='real')", "call(V([1.0, float('nan'), 2.0], 'float32'))")
    .rejects("ops.nansum(ones(2, 3), 2)", "ValueError", "sum: axis 2");

DYAD_OP("nanmean(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc("Mean over the given axes of the elements that are not NaN.")
    .formula("out[…] = Σ over the axes of input[…] that are not NaN / their number")
    .arg("input", "numbers, any shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor without the reduced axes.")
    .see("ops.mean, ops.nansum")
    .function("nanmean(input, axis=None, keepdims=False, *, dtype=None)")
    .method("nanmean(axis=None, keepdims=False, *, dtype=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .compose([](const Call& call) -> Value {
      if (!is_float(call.in(0).dtype)) return mean(call.value(0), call[1], call[2], call[3]);
      const Value missing = isnan(call.value(0));
      const Value total = sum(where(missing, 0, call.value(0)), call[1], call[2], call[3]);
      return total / cast(sum(logical_not(missing), call[1], call[2]), total->dtype);
    })
    .numpy("np.nanmean(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), axis=1)", "call(V([1.0, float('nan'), 2.0], 'float32'))")
    .rejects("ops.nanmean(ones(2, 3), 2)", "ValueError", "axis 2");

DYAD_OP("sum_to_size(input: Tensor, size: ints) -> Tensor")
    .doc(
        "Sum to a shape, the adjoint of broadcasting: sums over the axes along which a tensor of that shape "
        "would be repeated.")
    .formula("out[…] = Σ input over the leading axes and those where size is 1 and input.shape is not")
    .arg("input", "numbers, any shape.")
    .arg("size", "shape of the result, which broadcasts to the shape of `input`.")
    .returns("Tensor of shape `size`.")
    .see("ops.sum, ops.broadcast_to")
    .hidden()
    .method("sum_to_size(*size)")
    .shares_memory()
    .compose([](const Call& call) -> Value {
      const Value& input = call.value(0);
      const Dims& size = call.dims(1);
      const size_t rank = input->shape.size();
      Dims axes;
      bool fits = size.size() <= rank;
      for (size_t i = 0; fits && i < rank; ++i) {
        const size_t added = rank - size.size();
        if (i < added) {
          axes.push_back(static_cast<int64_t>(i));
        } else if (size[i - added].value() != input->shape[i].value()) {
          fits = size[i - added].value() == 1;
          axes.push_back(static_cast<int64_t>(i));
        }
      }
      if (!fits) {
        value_error(call.op(), ": size ", size, " cannot be repeated to the shape ", input->shape);
      }
      return axes.empty() ? input : reshape(sum(input, axes), size);
    })
    .numpy("ref.sum_to_size(input, size)")
    .samples("call(T(3, 4), (1, 4))", "call(T(2, 3, 4), (3, 1))", "call(T(3, 4), (3, 4))",
             "call(T(2, 3), (1,))")
    .rejects("ones(3, 4).sum_to_size(2, 4)", "ValueError", "sum_to_size: size (2, 4) cannot be repeated")
    .rejects("ones(3).sum_to_size(1, 3, 3)", "ValueError", "sum_to_size: size (1, 3, 3) cannot be repeated");

}  // namespace dyad
