#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(index_update, index_write, copy_into, full, reshape);

/// A 0-d index tensor.
Value place(const Call& call, int64_t position) {
  return full(call.builder(), Dims{}, position, DType::kInt64);
}

/// What is written into a part must have its shape: one that broadcasts to it is refused, as a mistake.
void require_part(const Call& call, const Shape& part) {
  const Shape& given = call.in(1).shape;
  bool same = given.size() == part.size();
  for (size_t i = 0; same && i < part.size(); ++i) {
    same = !given[i].known() || !part[i].known() || given[i].value() == part[i].value();
  }
  if (!same) value_error(call.op(), ": src has shape ", given, "; need ", part, ", that of the part");
}

}  // namespace

DYAD_OP(
    "index_add(input: Tensor, indices: Tensor, y: Tensor, axis: int, use_lock: bool=True, "
    "check_index_bound: bool=True) -> Tensor")
    .doc(
        "A copy of input with the slices of y added at indices along an axis. Every sum is exact and every "
        "index checked, whatever `use_lock` and `check_index_bound` say.")
    .function("index_add(x:input, indices, y, axis, use_lock=True, check_index_bound=True)")
    .method("index_add(indices, y, axis, use_lock=True, check_index_bound=True)")
    .primitive("IndexAdd(axis, use_lock=True, check_index_bound=True)(x:input, indices, y)")
    .alias("x", "input")
    .alias("dim", "axis")
    .alias("index", "indices")
    .alias("source", "y")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(3));
      require_fit(call, 2, 0);
      return index_update(call.value(0), index_along(axis, call.value(1)), call[2], "add");
    })
    .numpy("ref.index_update(input, [None] * (axis % input.ndim) + [indices], y, 'add')")
    .samples("call(T(4, 3), I(5), T(5, 3), 0, dtypes='numeric')", "call(T(2, 4), I(3), T(2, 3), -1)")
    .rejects("ops.index_add(ones(3), ints(2), ones(3), 0)", "ValueError",
             "does not broadcast to the shape (2,)")
    .rejects("ops.index_add(ints(3), ints(2), ones(2), 0)", "TypeError",
             "a Float32 value does not fit in an Int64 variable");

DYAD_OP("index_add_along(input: Tensor, axis: int, index: Tensor, source: Tensor, alpha: Number=1) -> Tensor")
    .doc("A copy of input with the slices of source, times alpha, added at an index along an axis.")
    .hidden()
    .further_method("index_add(dim:axis, index, source, *, alpha=1)")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      require_fit(call, 3, 0);
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
      require_fit(call, 3, 0);
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

DYAD_OP("index_fill_into(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor")
    .doc("Writes a value into the slices at an index along an axis, in place.")
    .hidden()
    .method("index_fill_(dim, index, value)")
    .writes(0)
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      return index_write(call.value(0), index_along(axis, call.value(2)), call[3], "none");
    })
    .numpy("ref.index_update(input, [None] * (dim % input.ndim) + [index], value, 'none')")
    .samples("call(T(4, 3), 0, I(2), 2)", "call(T(4, 4), -1, I(2), 1.5)")
    .rejects("ones(3).index_fill_(0, Tensor(np.array([3])), 1)", "IndexError", "index 3 is out of range");

DYAD_OP("index_copy_into(input: Tensor, dim: int, index: Tensor, tensor: Tensor) -> Tensor")
    .doc("Writes the slices of a tensor at an index along an axis, in place.")
    .hidden()
    .method("index_copy_(dim, index, tensor)")
    .writes(0)
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      require_fit(call, 3, 0);
      return index_write(call.value(0), index_along(axis, call.value(2)), call.value(3), "none");
    })
    .numpy("ref.index_update(input, [None] * (dim % input.ndim) + [index], tensor, 'none')")
    .samples("call(T(4, 3), 0, V([2, 0], 'int64'), T(2, 3))",
             "call(T(2, 4), -1, V([3, 1], 'int64'), T(2, 2))")
    .rejects("ones(3).index_copy_(0, ints(2), ones(3))", "ValueError",
             "does not broadcast to the shape (2,)");

DYAD_OP("put_into(input: Tensor, index: Tensor, source: Tensor, accumulate: bool=False) -> Tensor")
    .doc(
        "Writes the elements of source, or adds them with `accumulate`, at indices of the elements counted "
        "in "
        "row-major order, in place.")
    .hidden()
    .method("put_(index, source, accumulate=False)")
    .writes(0)
    .compose([](const Call& call) {
      const Value& input = call.value(0);
      if (call.in(1).shape != call.in(2).shape) {
        value_error(call.op(), ": index has shape ", call.in(1).shape, " and source ", call.in(2).shape,
                    "; need one shape");
      }
      const Value flat =
          index_update(reshape(input, Dims{-1}), index_along(0, reshape(call.value(1), Dims{-1})),
                       reshape(call.value(2), Dims{-1}), call.flag(3) ? "add" : "none");
      return copy_into(input, reshape(flat, input->shape));
    })
    .numpy("ref.put(input, index, source, accumulate)")
    .samples("call(T(2, 3), V([1, -1], 'int64'), T(2))",
             "call(T(2, 3), V([[1, 1], [4, 1]], 'int64'), T(2, 2), True)")
    .rejects("ones(2, 3).put_(Tensor(np.array([6])), ones(1))", "IndexError", "index 6 is out of range")
    .rejects("ones(3).put_(ints(2), ones(3))", "ValueError", "need one shape");

DYAD_OP("select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor")
    .doc("A copy of input with src at one place along an axis.")
    .method()
    .alias("dim", "axis")
    .compose([](const Call& call) {
      const size_t axis = index_axis(call, call.value(0), call.integer(2));
      require_fit(call, 1, 0);
      Shape part = call.in(0).shape;
      part.erase(axis);
      require_part(call, part);
      return index_update(call.value(0), index_along(axis, place(call, call.integer(3))), call[1], "none");
    })
    .numpy("ref.select_scatter(input, src, axis, index)")
    .samples("call(T(4, 3), T(3), 0, 1)", "call(T(4, 3), T(4), -1, -2)")
    .rejects("ops.select_scatter(ones(3), ones(2), 0, 1)", "ValueError", "src has shape (2,); need ()")
    .rejects("ops.select_scatter(ones(2, 3), ones(1), 1, 0)", "ValueError", "src has shape (1,); need (2,)");

DYAD_OP(
    "slice_scatter(input: Tensor, src: Tensor, axis: int=0, start: int?=None, end: int?=None, step: int=1) "
    "-> Tensor")
    .doc("A copy of input with src in a slice along an axis.")
    .method()
    .alias("dim", "axis")
    .compose([](const Call& call) {
      static const OpName arange{"arange"};
      require_fit(call, 1, 0);
      const size_t axis = index_axis(call, call.value(0), call.integer(2));
      const int64_t size = call.in(0).shape[axis].value();
      const int64_t step = call.integer(5);
      if (step < 1) value_error(call.op(), ": step is ", step, "; it must be 1 or more");
      auto bounded = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
      const int64_t start = bounded(call.integer(3, 0));
      const int64_t end = bounded(call.integer(4, size));
      Shape part = call.in(0).shape;
      part[axis] = Dim(std::max<int64_t>((end - start + step - 1) / step, 0));
      require_part(call, part);
      return index_update(call.value(0), index_along(axis, arange(call.builder(), start, end, step)), call[1],
                          "none");
    })
    .numpy("ref.slice_scatter(input, src, axis, start, end, step)")
    .samples("call(T(6, 3), T(2, 3), 0, 1, 5, 2)", "call(T(2, 4), T(2, 2), -1, 2)", "call(T(3), T(3))")
    .rejects("ops.slice_scatter(ones(3), ones(2), 0, 0, 3)", "ValueError", "src has shape (2,); need (3,)")
    .rejects("ops.slice_scatter(ones(3), ones(1), 0, 0, 3)", "ValueError", "src has shape (1,); need (3,)");

}  // namespace dyad
