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

/// Checks that a value written into a part has its shape: one that only broadcasts to it is an error.
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
        "Sum of `input` and the slices of `y` at the given indices along an axis. Indices are always checked "
        "and repeated indices add up, whatever `use_lock` and `check_index_bound` are.")
    .formula("out[…, k, …] = input[…, k, …] + Σ y[…, j, …] over j with indices[j] = k")
    .arg("input", "numbers, at least one dimension.")
    .arg("indices", "integers of shape (n,).")
    .arg("y", "slices, of size n along `axis`.")
    .arg("axis", "axis of the indices.")
    .arg("use_lock", "accepted for MindSpore; has no effect.")
    .arg("check_index_bound", "accepted for MindSpore; has no effect.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.index_fill, ops.index_select")
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
    .doc("Sum of `input` and alpha times the slices of `source` at the given indices along an axis.")
    .formula("out[…, k, …] = input[…, k, …] + alpha · Σ source[…, j, …] over j with index[j] = k")
    .arg("input", "numbers, at least one dimension.")
    .arg("axis", "axis of the indices.")
    .arg("index", "integers of shape (n,).")
    .arg("source", "slices, of size n along `axis`.")
    .arg("alpha", "factor of `source`.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.index_add")
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
    .doc("In-place sum of `input` and alpha times the slices of `source` at the given indices along an axis.")
    .formula("input[…, index[j], …] += alpha · source[…, j, …]")
    .arg("input", "numbers, at least one dimension; changed.")
    .arg("axis", "axis of the indices.")
    .arg("index", "integers of shape (n,).")
    .arg("source", "slices, of size n along `axis`.")
    .arg("alpha", "factor of `source`.")
    .returns("`input`.")
    .see("ops.index_add")
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
    .doc("Copy of `input` with a value in the slices at the given indices along an axis.")
    .formula("out[…, index[j], …] = value, elsewhere input")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "axis of the indices.")
    .arg("index", "integers of shape (n,).")
    .arg("value", "a number or a tensor of shape ().")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.masked_fill, ops.index_add")
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
    .doc("In-place fill of the slices at the given indices along an axis with a value.")
    .formula("input[…, index[j], …] = value")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("dim", "axis of the indices.")
    .arg("index", "integers of shape (n,).")
    .arg("value", "a number or a tensor of shape ().")
    .returns("`input`.")
    .see("ops.index_fill")
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
    .doc("In-place copy of the slices of `tensor` to the given indices along an axis.")
    .formula("input[…, index[j], …] = tensor[…, j, …]")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("dim", "axis of the indices.")
    .arg("index", "integers of shape (n,).")
    .arg("tensor", "slices, of size n along `dim`.")
    .returns("`input`.")
    .see("ops.index_add")
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
    .doc("In-place write of elements at indices into the flattened tensor, in row-major order.")
    .formula("flat(input)[index[i]] = source[i]", "accumulate=False")
    .formula("flat(input)[index[i]] += source[i]", "accumulate=True")
    .arg("input", "any dtype and shape; changed.")
    .arg("index", "integers, any shape.")
    .arg("source", "of the shape of `index`.")
    .arg("accumulate", "whether elements are added.")
    .returns("`input`.")
    .see("ops.take")
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
    .doc("Copy of `input` with `src` at one index of an axis.")
    .formula("out[…, index, …] = src[…], elsewhere input")
    .arg("input", "any dtype, at least one dimension.")
    .arg("src", "of the shape of `input` without `axis`.")
    .arg("axis", "axis of the index.")
    .arg("index", "where `src` is written.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.slice_scatter")
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
    .doc("Copy of `input` with `src` in a slice of an axis.")
    .formula("out[…, start:end:step, …] = src, elsewhere input")
    .arg("input", "any dtype, at least one dimension.")
    .arg("src", "of the shape of the slice.")
    .arg("axis", "axis of the slice.")
    .arg("start", "first index; None: 0.")
    .arg("end", "index after the last; None: the size.")
    .arg("step", "distance of indices, ≥ 1.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.select_scatter")
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
