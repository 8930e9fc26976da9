#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(any, cast, equal, expand_dims, gather_elements, greater, greater_equal, index_gather, isfinite, less,
         logical_and, logical_not, nonzero, reshape, sum, where);

}  // namespace

DYAD_OP("intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor")
    .doc(
        "Top-k test: true if the class of a row is among its k largest scores. It is false for classes that "
        "do not exist and for scores that are not finite.")
    .formula("out[n] = number of c with x1[n, c] > x1[n, x2[n]] is < k")
    .arg("x1", "scores, floats of shape (N, C).")
    .arg("x2", "class indices, integers of shape (N,).")
    .arg("k", "how many scores count.")
    .returns("Tensor of bools and shape (N,).")
    .see("ops.topk")
    .primitive("InTopK(k)(x1, x2)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 2, "x1");
      infer::require_rank(call, 1, 1, "x2");
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "floating dtypes");
      infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes");
      const Value& scores = call.value(0);
      const Dim rows = scores->shape[0];
      const Dim classes = scores->shape[1];
      if (rows.known() && call.in(1).shape[0].known() && !(rows == call.in(1).shape[0])) {
        value_error(call.op(), ": x1 has shape ", scores->shape, " and x2 ", call.in(1).shape,
                    "; x2 must name one class per row");
      }
      if (classes == Dim(0))
        value_error(call.op(), ": x1 has shape ", scores->shape, "; there must be at least one class");
      const Value wanted = cast(call.value(1), DType::kInt64);
      const Value exists = logical_and(greater_equal(wanted, 0), less(wanted, classes.value()));
      const Value score = gather_elements(scores, 1, expand_dims(where(exists, wanted, 0), 1));
      const Value better = sum(greater(scores, score), Dims{1});
      return logical_and(logical_and(less(better, call[2]), isfinite(reshape(score, Dims{rows}))), exists);
    })
    .numpy("ref.in_top_k(x1, x2, k)")
    .samples("call(T(4, 5), I(4), 2)", "call(T(3, 4), V([-1, 4, 2], 'int32'), 3)",
             "call(V([[1.0, float('nan')], [float('inf'), 2.0]], 'float32'), V([1, 0], 'int32'), 2)",
             "call(T(0, 3), I(0), 1)")
    .rejects("ops.intopk(ones(2, 3), ints(3), 1)", "ValueError", "x2 must name one class per row")
    .rejects("ops.intopk(ones(3), ints(3), 1)", "ValueError", "it must have 2 dimensions");

DYAD_OP("list_difference(x: Tensor, y: Tensor, out_idx: dtype=int32) -> (Tensor, Tensor)")
    .doc("List difference: the elements of x that are not in y, in their order, and their indices.")
    .formula("values = [x[i] for all i with x[i] not in y], indices = these i")
    .arg("x", "numbers of shape (n,).")
    .arg("y", "numbers of shape (m,).")
    .arg("out_idx", "int32 or int64: dtype of the indices.")
    .returns("Tuple of the elements and their indices.")
    .see("ops.unique")
    .hidden()
    .primitive("ListDiff(out_idx=int32)(x, y)")
    .compose([](const Call& call) -> ValueList {
      infer::require_rank(call, 0, 1, "x");
      infer::require_rank(call, 1, 1, "y");
      const Value found = any(equal(expand_dims(call.value(0), 1), expand_dims(call.value(1), 0)), Dims{1});
      const Value places = reshape(nonzero(logical_not(found)), Dims{-1});
      return {index_gather(call.value(0), ValueList{places}), cast(places, call[2])};
    })
    .numpy("ref.list_difference(x, y)")
    .samples("call(I(8, lo=0, hi=6), I(3, lo=0, hi=6))", "call(V([1, 2], 'int32'), V([1, 2], 'int32'))")
    .rejects("ops.ListDiff()(ones(2, 2), ones(2))", "ValueError", "it must have 1 dimensions");

}  // namespace dyad
