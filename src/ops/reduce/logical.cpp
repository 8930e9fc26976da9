#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(cast, not_equal, sum);

void infer_truth(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  results.add(DType::kBool, infer::reduced(input.shape, infer::axes(args, 1, input.rank()), args.flag(2)));
}

}  // namespace

DYAD_OP("any(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor")
    .doc("Logical OR over the given axes, or over all of them. A number is true unless it is 0.")
    .formula("out[…] = ⋁ over the axes of (input[…] ≠ 0)")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .returns("Tensor of bools without the reduced axes.")
    .see("ops.all, ops.logical_or")
    .function("any(input, axis=None, keep_dims:keepdims=False)")
    .function("reduce_any(x:input, axis=())")
    .method("any(axis=None, keep_dims:keepdims=False)")
    .primitive("ReduceAny(keep_dims:keepdims=False)(x:input, axis=())")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .infer(infer_truth)
    .reduces(Reduction::kAny)
    .no_grad("the result is a bool")
    .batch(batch::along<1>)
    .numpy("np.any(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='all')", "call(B(2, 3), axis=1)",
             "call(B(2, 3, 4), axis=(0, -1), keepdims=True)", "call(B(0, 3), axis=0)",
             "call(B(3, 200), axis=1)")
    .rejects("ops.any(ones(2, 3), 2)", "ValueError", "any: axis 2");

DYAD_OP("all(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor")
    .doc("Logical AND over the given axes, or over all of them. A number is true unless it is 0.")
    .formula("out[…] = ⋀ over the axes of (input[…] ≠ 0)")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .returns("Tensor of bools without the reduced axes.")
    .see("ops.any, ops.logical_and")
    .function("all(input, axis=None, keep_dims:keepdims=False)")
    .function("reduce_all(x:input, axis=())")
    .method("all(axis=None, keep_dims:keepdims=False)")
    .primitive("ReduceAll(keep_dims:keepdims=False)(input, axis=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("x", "input")
    .mint("all")
    .infer(infer_truth)
    .reduces(Reduction::kAll)
    .no_grad("the result is a bool")
    .batch(batch::along<1>)
    .numpy("np.all(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='all')", "call(B(2, 3), axis=1)",
             "call(B(2, 3, 4), axis=(0, -1), keepdims=True)", "call(B(0, 3), axis=0)",
             "call(B(3, 200), axis=1)")
    .rejects("ops.all(ones(2, 3), 2)", "ValueError", "all: axis 2");

DYAD_OP("count_nonzero(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype=int32) -> Tensor")
    .doc("Number of elements that are not 0, over the given axes or all of them.")
    .formula("out[…] = Σ over the axes of [input[…] ≠ 0]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor without the reduced axes, in `dtype`.")
    .see("ops.nonzero")
    .function("count_nonzero(x:input, axis=(), keep_dims:keepdims=False, dtype=int32)")
    .method("count_nonzero(axis=(), keep_dims:keepdims=False, dtype=int32)")
    .primitive("CountNonZero(dims:axis=None)(x:input)")
    .alias("dim", "axis")
    .compose([](const Call& call) {
      return sum(cast(call.value(0), DType::kBool), call[1], call[2], call[3]);
    })
    .numpy("np.count_nonzero(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='all')", "call(B(2, 3), axis=1)")
    .rejects("ops.count_nonzero(ones(2, 3), 2)", "ValueError", "axis 2");

}  // namespace dyad
