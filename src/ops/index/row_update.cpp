#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(full, index_put_copy, neg);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// A copy of argument 0 with `rows` written, or added, to the rows at the indices of argument 2.
Value with_rows(const Call& call, const Value& rows, bool accumulate) {
  require_fit(call, 1, 0);
  const ValueImpl& x = call.in(0);
  const Value places =
      call.is_value(2) ? call.value(2) : full(call.builder(), Dims{1}, call[2], DType::kInt64);
  const Shape& given = rows->shape;
  if (x.rank() == 0 || given.size() != x.shape.size() || places->rank() != 1 ||
      differ(given[0], places->shape[0])) {
    value_error(call.op(), ": v has shape ", given, " and x ", x.shape,
                "; v must have one row of x for each of ", places->shape, " indices");
  }
  return index_put_copy(call.value(0), ValueList{places}, rows, accumulate);
}

}  // namespace

DYAD_OP("inplace_update(x: Tensor, v: Tensor, indices: Operand) -> Tensor")
    .doc("Copy of `x` with the rows at `indices` replaced by those of `v`.")
    .formula("out[indices[j]] = v[j], elsewhere x")
    .arg("x", "any dtype, at least one dimension.")
    .arg("v", "rows, one for each index.")
    .arg("indices", "an int, a tuple of ints or an integer tensor.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.inplace_add, ops.inplace_sub")
    .method("inplace_update(v, indices)")
    .primitive("InplaceUpdate(indices)(x, v)")
    .primitive("InplaceUpdateV2()(x, indices, v)")
    .compose([](const Call& call) { return with_rows(call, call.value(1), false); })
    .numpy("ref.with_rows(x, v, indices, 'set')")
    .samples("call(T(3, 4), T(2, 4), (0, 2), dtypes='real')", "call(T(3, 4), T(1, 4), 1)")
    .rejects("ops.inplace_update(ones(3, 4), ones(1, 4), (0, 2))", "ValueError",
             "inplace_update: v has shape (1, 4) and x (3, 4)")
    .rejects("ops.inplace_update(ones(3, 4), ones(1, 4), (3,))", "IndexError", "3")
    .rejects("ops.inplace_update(ints(3), ones(1), (0,))", "TypeError",
             "a Float32 value does not fit in an Int64 variable");

DYAD_OP("inplace_add(x: Tensor, v: Tensor, indices: Operand) -> Tensor")
    .doc("Copy of `x` with the rows of `v` added to those at `indices`.")
    .formula("out[indices[j]] = x[indices[j]] + v[j], elsewhere x")
    .arg("x", "numbers, at least one dimension.")
    .arg("v", "rows, one for each index.")
    .arg("indices", "an int, a tuple of ints or an integer tensor.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.inplace_sub, ops.inplace_update")
    .primitive("InplaceAdd(indices)(x, v)")
    .compose([](const Call& call) { return with_rows(call, call.value(1), true); })
    .numpy("ref.with_rows(x, v, indices, 'add')")
    .samples("call(T(3, 4), T(2, 4), (0, 2), dtypes='real')", "call(T(3, 4), T(2, 4), (1, 1))")
    .rejects("ops.inplace_add(ones(3, 4), ones(1, 4), (0, 2))", "ValueError",
             "inplace_add: v has shape (1, 4) and x (3, 4)");

DYAD_OP("inplace_sub(x: Tensor, v: Tensor, indices: Operand) -> Tensor")
    .doc("Copy of `x` with the rows of `v` subtracted from those at `indices`.")
    .formula("out[indices[j]] = x[indices[j]] − v[j], elsewhere x")
    .arg("x", "numbers, at least one dimension.")
    .arg("v", "rows, one for each index.")
    .arg("indices", "an int, a tuple of ints or an integer tensor.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.inplace_add, ops.inplace_update")
    .primitive("InplaceSub(indices)(x, v)")
    .compose([](const Call& call) { return with_rows(call, neg(call.value(1)), true); })
    .numpy("ref.with_rows(x, v, indices, 'subtract')")
    .samples("call(T(3, 4), T(2, 4), (0, 2), dtypes='float')", "call(T(3, 4), T(2, 4), (1, 1))")
    .rejects("ops.inplace_sub(ones(3, 4), ones(1, 4), (0, 2))", "ValueError",
             "inplace_sub: v has shape (1, 4) and x (3, 4)");

}  // namespace dyad
