#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/sort/lines.h"

namespace dyad {

namespace {

DYAD_USE(place_along, select_extremes, sort);

/// The gradient of an element goes to where it came from.
void send_back(GradCall& g, int64_t axis) {
  if (!g.grad(0)) return;
  const ValueImpl& input = g.in(0);
  if (input.rank() == 0) return g.set(0, g.grad(0));
  g.set(0, place_along(g.grad(0), g.out(1), axis, Dims{input.shape[static_cast<size_t>(axis)]}));
}

}  // namespace

DYAD_OP(
    "sort(input: Tensor, axis: int=-1, descending: bool=False, index_dtype: dtype=int32) -> (Tensor, Tensor)")
    .doc("Stable sort along an axis, with the indices of the elements. NaN counts as the largest number.")
    .formula("values[…, k] = input[…, indices[…, k]], values[…, k] ≤ values[…, k + 1]", "ascending")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is sorted.")
    .arg("descending", "whether the largest element comes first.")
    .arg("index_dtype", "int32 or int64: dtype of the indices.")
    .returns("Tuple of the sorted elements and their indices.")
    .see("ops.argsort, ops.topk")
    .function("sort(input_x:input, axis=-1, descending=False)")
    .method("sort(axis=-1, descending=False)")
    .primitive("Sort(axis=-1, descending=False)(x:input)")
    .alias("dim", "axis")
    .infer([](const Arguments& args, Results& results) {
      require_ordered(args);
      sort_axis(args, 1);
      results.add(args.in(0).dtype, args.in(0).shape);
      results.add(args.dtype(3), args.in(0).shape);
    })
    .grad([](GradCall& g) { send_back(g, sort_axis(g, 1)); })
    .batch(batch::along<1>)
    .cost(cost::comparisons)
    .numpy("ref.sort(input, axis, descending)")
    .samples("call(T(2, 5), dtypes='real')", "call(T(4, 3, 2), axis=1)",
             "call(T(5), descending=True, dtypes='real')",
             "call(V([2.0, float('nan'), 1.0, 2.0], 'float32'))", "call(I(3, 50, lo=0, hi=5))",
             "call(T(0, 3), axis=0)", "call(T())")
    .rejects("ops.sort(ones(2, 3), 2)", "ValueError", "sort: axis 2");

DYAD_OP("argsort(input: Tensor, axis: int=-1, descending: bool=False) -> Tensor")
    .doc("Indices that sort a tensor along an axis; the sort is stable.")
    .formula("input[…, out[…, k]] ≤ input[…, out[…, k + 1]]", "ascending")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axis that is sorted.")
    .arg("descending", "whether the largest element comes first.")
    .returns("Tensor of int32 with the shape of `input`.")
    .see("ops.sort")
    .function("argsort(input, axis=-1, descending=False)")
    .method("argsort(axis=-1, descending=False)")
    .alias("dim", "axis")
    .compose([](const Call& call) { return sort.all(call.value(0), call[1], call[2])[1]; })
    .numpy("ref.sort(input, axis, descending)[1]")
    .samples("call(T(2, 5), dtypes='real')", "call(T(4, 3, 2), axis=1, descending=True)")
    .rejects("ops.argsort(ones(2, 3), 2)", "ValueError", "sort: axis 2");

DYAD_OP(
    "sort_along(input: Tensor, dim: int=-1, descending: bool=False, stable: bool=False) -> (Tensor, Tensor)")
    .doc("Stable sort along a dimension, with the indices of the elements.")
    .formula("values[…, k] = input[…, indices[…, k]], values[…, k] ≤ values[…, k + 1]", "ascending")
    .arg("input", "real numbers, any shape.")
    .arg("dim", "axis that is sorted.")
    .arg("descending", "whether the largest element comes first.")
    .arg("stable", "accepted for PyTorch's signature; the sort is always stable.")
    .returns("Tuple of the sorted elements and their indices.")
    .see("ops.sort")
    .hidden()
    .further_method("sort(dim=-1, descending=False, stable=False)")
    .compose([](const Call& call) { return sort.all(call.value(0), call[1], call[2]); })
    .numpy("ref.sort(input, dim, descending)")
    .samples("call(T(3, 5), 0, True, True)", "call(I(3, 5, lo=0, hi=3), 0, True, True)")
    .rejects("ones(2, 3).sort(2, stable=True)", "ValueError", "sort: axis 2");

DYAD_OP("argsort_along(input: Tensor, dim: int=-1, descending: bool=False, stable: bool=False) -> Tensor")
    .doc("Indices that sort a tensor along a dimension; the sort is stable.")
    .formula("input[…, out[…, k]] ≤ input[…, out[…, k + 1]]", "ascending")
    .arg("input", "real numbers, any shape.")
    .arg("dim", "axis that is sorted.")
    .arg("descending", "whether the largest element comes first.")
    .arg("stable", "accepted for PyTorch's signature; the sort is always stable.")
    .returns("Tensor of int32 with the shape of `input`.")
    .see("ops.argsort")
    .hidden()
    .further_method("argsort(dim=-1, descending=False, stable=False)")
    .compose([](const Call& call) { return sort.all(call.value(0), call[1], call[2])[1]; })
    .numpy("ref.sort(input, dim, descending)[1]")
    .samples("call(T(3, 5), 0, True, True)", "call(I(3, 5, lo=0, hi=3), 0, True, True)")
    .rejects("ones(2, 3).argsort(2, stable=True)", "ValueError", "sort: axis 2");

DYAD_OP("msort(input: Tensor) -> Tensor")
    .doc("Sort in ascending order along the first axis.")
    .formula("out[k, …] ≤ out[k + 1, …]")
    .arg("input", "real numbers, any shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.sort")
    .method()
    .compose([](const Call& call) { return sort.all(call.value(0), 0)[0]; })
    .numpy("np.sort(input, axis=0)")
    .samples("call(T(4, 3))")
    .rejects("ops.msort('a')", "TypeError", "msort: input is 'a'");

DYAD_OP(
    "topk(input: Tensor, k: size, axis: int?=None, largest: bool=True, sorted: bool=True) -> (Tensor, "
    "Tensor)")
    .doc("Top k: the k largest (or smallest) elements along an axis, and their indices.")
    .formula("values[…, j] = sorted(input[…, :])[j], descending, 0 ≤ j < k", "largest=True")
    .formula("values[…, j] = sorted(input[…, :])[j], ascending, 0 ≤ j < k", "largest=False")
    .arg("input", "real numbers, any shape.")
    .arg("k", "how many elements.")
    .arg("axis", "axis of the selection; None: the last.")
    .arg("largest", "whether the largest elements are selected.")
    .arg("sorted", "whether the results are sorted.")
    .returns("Tuple of the elements and their indices, of size k along the axis.")
    .see("ops.sort, ops.kthvalue")
    .function("topk(input, k, dim:axis=None, largest=True, sorted=True)")
    .function("top_k(input_x:input, k, sorted=True)")
    .method("topk(k, dim:axis=None, largest=True, sorted=True)")
    .method("top_k(k, sorted=True)")
    .primitive("TopK(sorted=True)(input_x:input, k)")
    .alias("dim", "axis")
    .compose([](const Call& call) {
      return select_extremes.all(call.value(0), call[1], call.integer(2, -1), call[3], call[4]);
    })
    .numpy("ref.topk(input, k, -1 if axis is None else axis, largest)")
    .samples("call(T(2, 5), 3, dtypes='real')", "call(T(4, 3, 2), 2, axis=0, largest=False)",
             "call(T(2, 3), 0)", "call(T(3, 200), 7)")
    .rejects("ops.topk(ones(2, 3), 4)", "ValueError", "k is 4; a line has 3 elements");

DYAD_OP(
    "select_extremes(input: Tensor, k: size, axis: int=-1, largest: bool=True, sorted: bool=True, "
    "index_dtype: dtype=int32) "
    "-> (Tensor, Tensor)")
    .doc("The `k` largest or smallest elements along an axis and their positions.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      require_ordered(args);
      const ValueImpl& input = args.in(0);
      const int64_t axis = sort_axis(args, 2);
      const Dim k = args.dim(1);
      const Dim length = line_length(input, axis);
      if (k.known() && (k.value() < 0 || (length.known() && k.value() > length.value()))) {
        value_error(args.op(), ": k is ", k, "; a line has ", length, " elements");
      }
      Shape shape = input.shape;
      if (!shape.empty()) shape[static_cast<size_t>(axis)] = k;
      results.add(input.dtype, shape);
      results.add(args.dtype(5), shape);
    })
    .grad([](GradCall& g) { send_back(g, sort_axis(g, 2)); })
    .batch(batch::along<2>)
    .cost(cost::comparisons)
    .numpy("ref.topk(input, k, axis, largest)")
    .samples("call(T(2, 5), 3)", "call(T(4, 3, 2), 2, axis=0, largest=False)")
    .rejects("dyad._core.named_op('select_extremes')(ones(2, 3), 4)", "ValueError",
             "select_extremes: k is 4");

DYAD_OP("kthvalue(input: Tensor, k: int, axis: int=-1, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("k-th smallest element along an axis, counted from 1, and its index.")
    .formula("values = sorted(input[…, :])[k − 1]")
    .arg("input", "real numbers, any shape.")
    .arg("k", "from 1 to the size of the axis.")
    .arg("axis", "axis that is reduced.")
    .returns("Tuple of the elements and their indices.")
    .see("ops.topk, ops.median")
    .method("kthvalue(k, dim:axis=-1, keepdim:keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .mint("kthvalue")
    .compose([](const Call& call) -> ValueList {
      const int64_t axis = sort_axis(call, 2);
      const Dim length = line_length(call.in(0), axis);
      const int64_t k = call.integer(1);
      if (k < 1 || (length.known() && k > length.value())) {
        value_error(call.op(), ": k is ", k, "; accepted are 1 to ", length);
      }
      const ValueList sorted = sort.all(call.value(0), axis, false, DType::kInt64);
      return {element_of_lines(sorted[0], axis, k - 1, call.flag(3)),
              element_of_lines(sorted[1], axis, k - 1, call.flag(3))};
    })
    .numpy("ref.kth(input, k, axis, keepdims)")
    .samples("call(T(2, 5), 2)", "call(T(4, 3, 2), 3, axis=0, keepdims=True)")
    .rejects("ops.kthvalue(ones(2, 3), 4)", "ValueError", "kthvalue: k is 4; accepted are 1 to 3");

}  // namespace dyad
