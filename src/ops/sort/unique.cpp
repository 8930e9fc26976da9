#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast, distinct, group_rows, index_select, movedim, reshape);

/// The rows of `input` along an axis, or its elements, as a matrix.
Value rows_of(const Call& call, size_t at) {
  const Value& input = call.value(0);
  const Dim size = size_of(input->shape);
  if (!call.has(at)) return reshape(input, Dims{size, 1});
  if (input->rank() == 0) value_error(call.op(), ": input has no dimensions; leave the dimension out");
  const int64_t axis = normalize_axis(call.op(), call.integer(at), input->rank());
  const Dim rows = input->shape[static_cast<size_t>(axis)];
  Dim columns = 1;
  for (size_t d = 0; d < input->shape.size(); ++d) {
    if (static_cast<int64_t>(d) != axis) columns = columns * input->shape[d];
  }
  return reshape(movedim(input, Dims{axis}, Dims{0}), Dims{rows, columns});
}

/// Representatives of the groups, with the results that the flags at `flags` ask for.
ValueList representatives(const Call& call, size_t axis, size_t flags, bool consecutive) {
  const ValueList groups = group_rows.all(rows_of(call, axis), consecutive);
  const Value& input = call.value(0);
  ValueList results;
  if (call.has(axis)) {
    results.push_back(index_select(input, call[axis], groups[0]));
  } else {
    results.push_back(index_select(reshape(input, Dims{size_of(input->shape)}), 0, groups[0]));
  }
  if (call.flag(flags)) results.push_back(call.has(axis) ? groups[1] : reshape(groups[1], input->shape));
  if (call.flag(flags + 1)) results.push_back(groups[2]);
  return results;
}

}  // namespace

DYAD_OP("distinct(input: Tensor, sorted: bool=False, index_dtype: dtype=int32) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Distinct elements, in order of size or of first appearance, the index of each element among them, "
        "and counts.")
    .hidden()
    .data_shape()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(0);
      infer::require_dtype(args, 0, !is_complex(input.dtype), "bool, integer and floating dtypes");
      const Dim count = Dim::fresh("distinct");
      results.add(input.dtype, {count});
      results.add(args.dtype(2), input.shape);
      results.add(DType::kInt64, {count});
    })
    .grad([](GradCall& g) {
      if (!g.grad(0)) return;
      // Equal elements share the gradient of the one that stands for them.
      const Value share = g.grad(0) / cast(g.out(2), g.grad(0)->dtype);
      const Value places = reshape(g.out(1), Dims{size_of(g.in(0).shape)});
      g.set(0, reshape(index_select(share, 0, places), g.in(0).shape));
    })
    .cost(cost::comparisons)
    .numpy("ref.distinct(input, sorted)")
    .samples("call(I(3, 5, lo=0, hi=6), sorted=True)", "call(I(20, lo=0, hi=6))",
             "call(T(2, 3), dtypes='real')", "call(T(0))")
    .rejects("dyad._core.named_op('distinct')('a')", "TypeError", "distinct: input is 'a'");

DYAD_OP("unique(input: Tensor) -> (Tensor, Tensor)")
    .doc("Distinct elements in order of first appearance, and the index of each element among them.")
    .formula("values[indices[i]] = input[i]")
    .arg("input", "any dtype and shape.")
    .returns(
        "Tuple of the distinct elements, with one dimension, and the indices, with the shape of `input`.")
    .see("ops.unique_consecutive")
    .primitive("Unique()(input_x:input)")
    .alias("x", "input")
    .compose([](const Call& call) -> ValueList {
      // Positions among 64-bit integers are 64-bit integers.
      const bool wide = call.in(0).dtype == DType::kInt64;
      ValueList found = distinct.all(call.value(0), false, wide ? DType::kInt64 : DType::kInt32);
      found.pop_back();
      return found;
    })
    .numpy("ref.distinct(input, False)[:2]")
    .samples("call(I(3, 5, lo=0, hi=6))", "call(T(7))")
    .rejects("ops.unique('a')", "TypeError", "unique: input is 'a'");

DYAD_OP("group_rows(input: Tensor, consecutive: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Groups of equal rows, in ascending order or, if only neighbors are grouped, as they come: a row of "
        "each group, "
        "the group of each row, and how many rows a group has.")
    .hidden()
    .data_shape()
    .infer([](const Arguments& args, Results& results) {
      infer::require_rank(args, 0, 2, "input");
      infer::require_dtype(args, 0, !is_complex(args.in(0).dtype), "bool, integer and floating dtypes");
      const Dim count = Dim::fresh("groups");
      results.add(DType::kInt64, {count});
      results.add(DType::kInt64, {args.in(0).shape[0]});
      results.add(DType::kInt64, {count});
    })
    .no_grad("which rows are equal does not vary continuously")
    .cost(cost::comparisons)
    .numpy("ref.group_rows(input, consecutive)")
    .samples("call(I(20, 1, lo=0, hi=4))", "call(I(20, 2, lo=0, hi=3))", "call(I(20, 1, lo=0, hi=3), True)",
             "call(T(0, 2))", "call(T(3, 0))")
    .rejects("dyad._core.named_op('group_rows')(ones(2))", "ValueError", "it must have 2 dimensions");

DYAD_OP(
    "unique_consecutive(input: Tensor, return_inverse: bool=False, return_counts: bool=False, dim: "
    "int?=None) "
    "-> Tensor or Tensors")
    .doc("Elements, or slices along a dimension, that differ from their predecessor.")
    .formula("values[inverse[i]] = input[i], counts[k] = number of i with inverse[i] = k")
    .arg("input", "any dtype and shape.")
    .arg("return_inverse", "whether the index of each element among the results is returned.")
    .arg("return_counts", "whether the length of each run is returned.")
    .arg("dim", "axis of the slices; None: `input` is flattened.")
    .returns("Tensor, or a tuple with the inverse indices and the counts.")
    .see("ops.unique")
    .method()
    .alias("return_idx", "return_inverse")
    .alias("axis", "dim")
    .mint("unique_consecutive")
    .compose([](const Call& call) { return representatives(call, 3, 1, true); })
    .numpy("ref.unique_consecutive(input, return_inverse, return_counts, dim)")
    .samples("call(I(12, lo=0, hi=2))", "call(I(3, 5, lo=0, hi=2), True, True)",
             "call(I(8, 1, lo=0, hi=2), True, True, 0)", "call(I(2, 9, lo=0, hi=2), dim=1)", "call(T(0))")
    .rejects("ops.unique_consecutive(ones(2), dim=1)", "ValueError", "unique_consecutive: axis 1");

DYAD_OP(
    "unique_sorted(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, "
    "dim: int?=None) -> Tensor or Tensors")
    .doc("Distinct elements, or slices along a dimension, in ascending order.")
    .formula("values[inverse[i]] = input[i], counts[k] = number of i with inverse[i] = k")
    .arg("input", "any dtype and shape.")
    .arg("sorted", "accepted for PyTorch's signature; the result is always sorted.")
    .arg("return_inverse", "whether the index of each element among the results is returned.")
    .arg("return_counts", "whether the number of occurrences is returned.")
    .arg("dim", "axis of the slices; None: `input` is flattened.")
    .returns("Tensor, or a tuple with the inverse indices and the counts.")
    .see("ops.unique")
    .hidden()
    .method("unique(sorted=True, return_inverse=False, return_counts=False, dim=None)")
    .alias("axis", "dim")
    .compose([](const Call& call) { return representatives(call, 4, 2, false); })
    .numpy("ref.unique_sorted(input, return_inverse, return_counts, dim)")
    .samples("call(I(12, lo=0, hi=4))", "call(I(3, 5, lo=0, hi=4), True, True, True)",
             "call(I(9, 2, lo=0, hi=2), True, True, True, 0)", "call(I(2, 9, lo=0, hi=2), dim=1)")
    .rejects("ones(2).unique(dim=1)", "ValueError", "unique: axis 1");

}  // namespace dyad
