#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(gather_elements, reshape, search_sorted_rows);

void require_integers(const Arguments& args) {
  infer::require_dtype(args, 0, is_int(args.in(0).dtype) || is_bool(args.in(0).dtype), "integer dtypes");
  infer::require_rank(args, 0, 1, "input");
}

/// Values of any shape look into one sequence, so those of a slice may stand in a row.
void searched(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = batch::wholes(call);
  if (batch::slice_rank(call, 0) > 1) return batch::apply(call, args, results);
  const Shape shape = batch::slice_shape(call, 1);
  args[1] = reshape(args[1], Dims{call.count(), size_of(shape)});
  ValueList found;
  batch::apply(call, args, found);
  results.push_back(reshape(found[0], batch::with_count(call, shape)));
}

/// The sequence in its order: as it is, or as the argument at `sorter` arranges it.
Value sequence_of(const Call& call, size_t sorter) {
  if (!call.has(sorter)) return call.value(0);
  const Shape& shape = call.in(0).shape;
  if (!may_agree(call.in(sorter).shape, shape)) {
    value_error(call.op(), ": sorter has shape ", call.in(sorter).shape,
                "; it must be that of sorted_sequence, ", shape);
  }
  return gather_elements(call.value(0), static_cast<int64_t>(shape.size()) - 1, call.value(sorter));
}

}  // namespace

DYAD_OP(
    "search_sorted_rows(sequence: Tensor, values: Tensor, right: bool=False, dtype: dtype=int64) -> Tensor")
    .doc("Insertion indices of values into sorted rows.")
    .formula("out[…, i] = number of elements of sequence[…, :] < values[…, i]", "right=False")
    .formula("out[…, i] = number of elements of sequence[…, :] ≤ values[…, i]", "right=True")
    .arg("sequence", "sorted along the last dimension.")
    .arg("values", "of the shape of `sequence` but for the last dimension; any shape for one row.")
    .arg("right", "whether a value is inserted after equal elements.")
    .arg("dtype", "int32 or int64: dtype of the result.")
    .returns("Tensor with the shape of `values`.")
    .see("ops.searchsorted")
    .hidden()
    .primitive("SearchSorted(dtype=int64, right=False)(sorted_sequence:sequence, values)")
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& sequence = args.in(0);
      const ValueImpl& values = args.in(1);
      if (sequence.rank() == 0)
        value_error(args.op(), ": sorted_sequence has no dimensions; it must have at least one");
      if (sequence.rank() > 1) {
        bool matches = values.rank() == sequence.rank();
        for (size_t i = 0; matches && i + 1 < sequence.shape.size(); ++i)
          matches = sequence.shape[i] == values.shape[i];
        if (!matches) {
          value_error(args.op(), ": values have shape ", values.shape, " and sorted_sequence ",
                      sequence.shape, "; they must agree but for the last dimension");
        }
      }
      results.add(args.dtype(3), values.shape);
    })
    .no_grad("a position does not vary continuously")
    .batch(searched)
    .cost(cost::comparisons)
    .numpy("ref.searchsorted(sequence, values, right)")
    .samples("call(V([1.0, 2.0, 2.0, 5.0], 'float32'), F(2, 3))",
             "call(V([1.0, 2.0, 2.0, 5.0], 'float32'), V([2.0, 6.0], 'float32'), right=True)",
             "call(V([[1, 3], [2, 4]], 'int64'), V([[3], [3]], 'int64'))")
    .rejects("ops.searchsorted(ones(2, 3), ones(3, 3))", "ValueError", "values have shape (3, 3)");

DYAD_OP(
    "searchsorted(sorted_sequence: Tensor, values: Operand, out_int32: bool=False, right: bool=False, side: "
    "str?=None, sorter: Tensor?=None) -> Tensor")
    .doc("Insertion indices: where values would be inserted so that the sequence stays sorted.")
    .formula("out[…, i] = number of elements of sorted_sequence[…, :] < values[…, i]", "side='left'")
    .formula("out[…, i] = number of elements of sorted_sequence[…, :] ≤ values[…, i]",
             "right=True or side='right'")
    .arg("sorted_sequence", "sorted along the last dimension.")
    .arg("values", "of the shape of the sequence but for the last dimension; any shape for one row.")
    .arg("out_int32", "whether the result is int32 instead of int64.")
    .arg("right", "whether a value is inserted after equal elements.")
    .arg("side", "'left' or 'right'; None: as `right` says.")
    .arg("sorter", "indices that sort the sequence along the last dimension; None: it is sorted.")
    .returns("Tensor with the shape of `values`.")
    .see("ops.bucketize")
    .function(
        "searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None)")
    .mint("searchsorted")
    .compose([](const Call& call) -> Value {
      bool right = call.flag(3);
      if (call.has(4)) {
        const std::string& side = call.text(4);
        if (side != "left" && side != "right")
          value_error(call.op(), ": side is '", side, "'; accepted are 'left' and 'right'");
        if (right && side == "left")
          value_error(call.op(), ": side is 'left' but right is True; they must agree");
        right = side == "right";
      }
      if (!call.is_value(1)) type_error(call.op(), ": values is a number; it must be a Tensor");
      return search_sorted_rows(sequence_of(call, 5), call.value(1), right,
                                call.flag(2) ? DType::kInt32 : DType::kInt64);
    })
    .numpy(
        "ref.searchsorted(sorted_sequence if sorter is None else np.take_along_axis(sorted_sequence, sorter, "
        "-1), "
        "values, right or side == 'right')")
    .samples("call(V([1.0, 2.0, 2.0, 5.0], 'float32'), F(2, 3))",
             "call(V([1.0, 2.0, 5.0], 'float32'), F(4), side='right')",
             "call(V([5.0, 1.0, 2.0], 'float32'), F(4), sorter=V([1, 2, 0], 'int64'))")
    .rejects("ops.searchsorted(ones(3), ones(3), sorter=ones(2).long())", "ValueError",
             "sorter has shape (2,); it must be that of sorted_sequence, (3,)")
    .rejects("ops.searchsorted(ones(3), ones(3), side='up')", "ValueError", "searchsorted: side is 'up'");

DYAD_OP("bincount(input: Tensor, weights: Tensor?=None, minlength: int=0, dtype: dtype=float32) -> Tensor")
    .doc("Number of occurrences of each integer from 0 on, or the sum of their weights.")
    .formula("out[k] = Σ weights[i] over i with input[i] = k")
    .arg("input", "integers ≥ 0 of shape (n,).")
    .arg("weights", "of shape (n,); None: 1.")
    .arg("minlength", "smallest size of the result.")
    .arg("dtype", "the dtype of the result without weights.")
    .returns("Tensor of shape (max(minlength, largest + 1),).")
    .see("ops.histc")
    .function("bincount(input, weights=None, minlength=0)")
    .method("bincount(weights=None, minlength=0)")
    .data_shape()
    .infer([](const Arguments& args, Results& results) {
      require_integers(args);
      if (args.integer(2) < 0)
        value_error(args.op(), ": minlength is ", args.integer(2), "; it must not be negative");
      if (args.has(1) && !may_agree(args.in(1).shape, args.in(0).shape)) {
        value_error(args.op(), ": weights have shape ", args.in(1).shape, "; it must be that of input, ",
                    args.in(0).shape);
      }
      results.add(args.has(1) ? args.in(1).dtype : args.dtype(3), {Dim::fresh("bins")});
    })
    .grad([](GradCall& g) {
      if (g.has(1)) g.set(1, gather_elements(g.grad(), 0, g[0]));
    })
    .cost(1)
    .numpy("np.bincount(input, weights, minlength).astype(np.float32)")
    .samples("call(I(20, lo=0, hi=6))", "call(I(5, lo=0, hi=3), minlength=7)",
             "call(I(5, lo=0, hi=3), T(5), 6)")
    .rejects("ops.bincount(ones(3))", "TypeError", "bincount: the dtype Float32 is not accepted")
    .rejects("ops.bincount(-ints(3) - 1)", "ValueError", "bincount: input holds -");

DYAD_OP("histc(input: Tensor, bins: int=100, min: float=0.0, max: float=0.0) -> Tensor")
    .doc(
        "Histogram of `bins` equal intervals from `min` to `max`. If these are equal, they are the smallest "
        "and the largest element.")
    .formula(
        "out[k] = number of x with min + k · w ≤ x < min + (k + 1) · w, w = (max − min) / bins; max is in "
        "the last")
    .arg("input", "real numbers, any shape.")
    .arg("bins", "number of intervals, ≥ 1.")
    .arg("min", "lower end.")
    .arg("max", "upper end.")
    .returns("Tensor of shape (bins,) in the dtype of `input`.")
    .see("ops.bincount, ops.histogram_fixed_width")
    .method()
    .primitive("Histogram(bins=100, min=0.0, max=0.0)(x:input)")
    .checks_data()
    .mint("histc")
    .infer([](const Arguments& args, Results& results) {
      infer::require_dtype(args, 0, !is_complex(args.in(0).dtype) && !is_bool(args.in(0).dtype),
                           "integer and floating dtypes");
      if (args.integer(1) < 1)
        value_error(args.op(), ": bins is ", args.integer(1), "; it must be at least 1");
      if (args.real(2) > args.real(3)) {
        value_error(args.op(), ": min is ", args.real(2), " and max ", args.real(3),
                    "; min must not exceed max");
      }
      results.add(args.in(0).dtype, {Dim(args.integer(1))});
    })
    .no_grad("counts do not vary continuously")
    .cost(2)
    .numpy("ref.histc(input, bins, min, max)")
    .samples("call(T(20), bins=4)", "call(T(4, 5), bins=5, min=-1.0, max=1.0)")
    .rejects("ops.histc(ones(3), 0)", "ValueError", "histc: bins is 0");

}  // namespace dyad
