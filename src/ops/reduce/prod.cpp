#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(cast, conjugate, cumprod, permute, prod, reshape);

void infer_prod(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const Ints axes = infer::axes(args, 1, input.rank());
  const bool widens = is_bool(input.dtype) || (is_int(input.dtype) && input.dtype != DType::kUInt64);
  results.add(args.dtype(3, widens ? DType::kInt64 : input.dtype),
              infer::reduced(input.shape, axes, args.flag(2)));
}

/// For each element the product of the others that it is multiplied with: what comes before it times what
/// comes after, which needs no division and so no exception for zeros.
Value product_of_others(const Value& input, const Ints& axes) {
  const Dims order = axes_moved_last(input->rank(), axes);
  const Value moved = permute(input, order);
  const Value line = with_joined_end(moved, axes.size());
  const Value others = cumprod(line, -1, true, false) * cumprod(line, -1, true, true);
  Dims back(order.size(), Dim(0));
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
  return permute(reshape(others, moved->shape), back);
}

}  // namespace

DYAD_OP("prod(input: Tensor, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> Tensor")
    .doc("Product over the given axes, or over all of them. Integers are multiplied as int64.")
    .formula("out[…] = Π over the axes of input[…]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "axes that are reduced; None or (): all.")
    .arg("dtype", "the dtype of the result; None: that of `input`, int64 for integers and bools.")
    .returns("Tensor without the reduced axes.")
    .see("ops.sum, ops.cumprod")
    .function("prod(input, axis=None, keep_dims:keepdims=False, dtype=None)")
    .method("prod(axis=None, keep_dims:keepdims=False, dtype=None)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .mint("prod")
    .infer(infer_prod)
    .reduces(Reduction::kProd)
    .grad([](GradCall& g) {
      const ValueImpl& input = g.in(0);
      Value spread = expand_reduced(g, g.grad());
      if (spread->dtype != input.dtype) spread = cast(spread, input.dtype);
      if (input.rank() == 0) return g.set(0, spread);
      const Value factors = is_complex(input.dtype) ? conjugate(g.value(0)) : g.value(0);
      g.set(0, spread * product_of_others(factors, infer::axes(g, 1, input.rank())));
    })
    .batch(batch::along<1>)
    .autocast(Autocast::kFloat32)
    .numpy("np.prod(input, axis=axis, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='numeric')", "call(T(2, 3), axis=1, dtypes='numeric')",
             "call(T(2, 3, 4), axis=(0, -1))", "call(T(2, 3, 4), axis=1, keepdims=True)", "call(T())",
             "call(T(0, 3), axis=0)", "call(V([2.0, 0.0, 3.0], 'float32'))")
    .rejects("ops.prod(ones(2, 3), 2)", "ValueError", "prod: axis 2");

DYAD_OP("reduce_prod(input: Tensor, axis: ints=(), keepdims: bool=False) -> Tensor")
    .doc("Product over the given axes in the dtype of `input`.")
    .formula("out[…] = Π over the axes of input[…]")
    .arg("input", "numbers, any shape.")
    .arg("axis", "axes that are reduced; (): all.")
    .returns("Tensor without the reduced axes, in the dtype of `input`.")
    .see("ops.prod")
    .function("reduce_prod(x:input, axis=())")
    .primitive("ReduceProd(keep_dims:keepdims=False)(x:input, axis=())")
    .compose([](const Call& call) { return prod(call.value(0), call[1], call[2], call.in(0).dtype); })
    .autocast(Autocast::kFloat32)
    .numpy("np.prod(input, axis=axis or None, keepdims=keepdims)")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=-1, keepdims=True)")
    .rejects("ops.ReduceProd()(ones(2, 3), 2)", "ValueError", "ReduceProd: axis 2");

}  // namespace dyad
