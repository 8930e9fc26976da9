#include "base/error.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(index_update)
DYAD_USE(index_write)
DYAD_USE(full)

/// A 0-d index tensor.
Value place(const Call& call, int64_t position) {
  return full(call.builder(), Dims{}, position, DType::kInt64);
}

}  // namespace

DYAD_OP("index_add(input: Tensor, indices: Tensor, y: Tensor, axis: int) -> Tensor")
    .doc("A copy of input with the slices of y added at indices along an axis.")
    .function("index_add(x:input, indices, y, axis)")
    .method("index_add(indices, y, axis)")
    .primitive("IndexAdd(axis)(x:input, indices, y)")
    .alias("x", "input")
    .alias("dim", "axis")
    .alias("index", "indices")
    .alias("source", "y")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(3));
      return index_update(call.value(0), index_along(axis, call.value(1)), call[2], "add");
    })
    .numpy("ref.index_update(input, [None] * (axis % input.ndim) + [indices], y, 'add')")
    .samples("call(T(4, 3), I(5), T(5, 3), 0, dtypes='numeric')", "call(T(2, 4), I(3), T(2, 3), -1)")
    .rejects("ops.index_add(ones(3), ints(2), ones(3), 0)", "ValueError",
             "does not broadcast to the shape (2,)");

DYAD_OP("index_add_along(input: Tensor, axis: int, index: Tensor, source: Tensor, alpha: Number=1) -> Tensor")
    .doc("A copy of input with the slices of source, times alpha, added at an index along an axis.")
    .hidden()
    .further_method("index_add(dim:axis, index, source, *, alpha=1)")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      return index_update(call.value(0), index_along(axis, call.value(2)), call.value(3) * call[4], "add");
    })
    .numpy("ref.index_update(input, [None] * (axis % input.ndim) + [index], source * alpha, 'add')")
    .samples("call(T(4, 3), 0, I(5), T(5, 3))", "call(T(4, 3), 0, I(5), T(5, 3), 2)")
    .rejects("ones(3).index_add(0, ints(2), ones(3))", "ValueError", "does not broadcast to the shape (2,)");

DYAD_OP("index_add_into(input: Tensor, axis: int, index: Tensor, source: Tensor, alpha: Number=1) -> Tensor")
    .doc("Adds the slices of source, times alpha, at an index along an axis, in place.")
    .hidden()
    .function("inplace_index_add(var:input, indices:index, updates:source, axis)")
    .method("index_add_(dim:axis, index, source, *, alpha=1)")
    .primitive("InplaceIndexAdd(axis)(var:input, indices:index, updates:source)")
    .writes(0)
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      return index_write(call.value(0), index_along(axis, call.value(2)), call.value(3) * call[4], "add");
    })
    .numpy("ref.index_update(input, [None] * (axis % input.ndim) + [index], source * alpha, 'add')")
    .samples("call(T(4, 3), 0, I(5), T(5, 3))")
    .rejects("ones(3).index_add_(0, ints(2), ones(3))", "ValueError", "does not broadcast to the shape (2,)");

DYAD_OP("index_fill(input: Tensor, axis: int, index: Tensor, value: Operand) -> Tensor")
    .doc("A copy of input with a value in the slices at an index along an axis.")
    .function("index_fill(x:input, axis, index, value)")
    .method()
    .primitive("IndexFill()(x:input, dim:axis, index, value)")
    .alias("x", "input")
    .alias("dim", "axis")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      return index_update(call.value(0), index_along(axis, call.value(2)), call[3], "none");
    })
    .numpy("ref.index_update(input, [None] * (axis % input.ndim) + [index], value, 'none')")
    .samples("call(T(4, 3), 0, I(2), 2)", "call(T(4, 4), -1, I(2), 1.5)")
    .rejects("ops.index_fill(ones(3), 0, Tensor(np.array([3])), 1)", "IndexError", "index 3 is out of range");

DYAD_OP("select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor")
    .doc("A copy of input with src at one place along an axis.")
    .method()
    .alias("dim", "axis")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(2));
      return index_update(call.value(0), index_along(axis, place(call, call.integer(3))), call[1], "none");
    })
    .numpy("ref.select_scatter(input, src, axis, index)")
    .samples("call(T(4, 3), T(3), 0, 1)", "call(T(4, 3), T(4), -1, -2)")
    .rejects("ops.select_scatter(ones(3), ones(2), 0, 1)", "ValueError", "does not broadcast");

DYAD_OP(
    "slice_scatter(input: Tensor, src: Tensor, axis: int=0, start: int?=None, end: int?=None, step: int=1) "
    "-> Tensor")
    .doc("A copy of input with src in a slice along an axis.")
    .method()
    .alias("dim", "axis")
    .compose([](const Call& call) {
      static const OpName arange{"arange"};
      const size_t axis = index_axis(call, call.value(0), call.integer(2));
      const int64_t size = call.in(0).shape[axis].value();
      const int64_t step = call.integer(5);
      if (step < 1) value_error(call.op(), ": step is ", step, "; it must be 1 or more");
      auto bounded = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
      const int64_t start = bounded(call.integer(3, 0));
      const int64_t end = bounded(call.integer(4, size));
      return index_update(call.value(0), index_along(axis, arange(call.builder(), start, end, step)), call[1],
                          "none");
    })
    .numpy("ref.slice_scatter(input, src, axis, start, end, step)")
    .samples("call(T(6, 3), T(2, 3), 0, 1, 5, 2)", "call(T(2, 4), T(2, 2), -1, 2)", "call(T(3), T(3))")
    .rejects("ops.slice_scatter(ones(3), ones(2), 0, 0, 3)", "ValueError", "does not broadcast");

}  // namespace dyad
