#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(reshape);

/// Factors of both sides without those they share, so that (N, 12) to (N, -1) gives 12 though N is a symbol.
void cancel(Dims& a, Dims& b) {
  for (size_t i = b.size(); i-- > 0;) {
    auto* found = std::find(a.begin(), a.end(), b[i]);
    if (found == a.end() || b[i] == Dim(0)) continue;
    a.erase(static_cast<size_t>(found - a.begin()));
    b.erase(i);
  }
}

[[noreturn]] void refuse_size(std::string_view op, const Shape& from, const Dims& wanted) {
  value_error(op, ": a tensor of shape ", from, " has ", size_of(from),
              " elements and cannot take the shape ", wanted);
}

/// Strides under which memory of `from`/`strides` reads as the shape `to`; false if no strides do.
bool reshaped_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& result) {
  result = contiguous_strides(to);
  if (is_contiguous(from, strides)) return true;
  Ints old_shape;
  Strides old_strides;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == Dim(1)) continue;
    old_shape.push_back(from[d].value());
    old_strides.push_back(strides[d]);
  }
  size_t next = 0;
  for (size_t begin = 0; begin < old_shape.size();) {
    // The smallest groups of dimensions on both sides that hold as many elements as each other.
    size_t end = begin + 1;
    int64_t have = old_shape[begin];
    const size_t first = next;
    int64_t need = 1;
    while (have != need) {
      // Sizes that stand for open ones need not hold as many elements as each other.
      if (need < have ? next == to.size() : end == old_shape.size()) return false;
      if (need < have) {
        need *= to[next++].value();
      } else {
        have *= old_shape[end++];
      }
    }
    for (size_t d = begin; d + 1 < end; ++d) {
      if (old_strides[d] != old_strides[d + 1] * old_shape[d + 1]) return false;
    }
    int64_t step = old_strides[end - 1];
    for (size_t d = next; d-- > first;) {
      result[d] = step;
      step *= to[d].value();
    }
    begin = end;
  }
  return true;
}

/// The shape that `wanted` asks for: one entry may be -1, which takes what the other dimensions leave. Works
/// on symbols. Raises if the number of elements would change.
Shape resolve_shape(std::string_view op, const Shape& from, const Dims& wanted) {
  Dims rest;
  size_t open = wanted.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == Dim(-1)) {
      if (open < wanted.size())
        value_error(op, ": the shape ", wanted, " has more than one -1; only one can be inferred");
      open = i;
    } else if (wanted[i].known() && wanted[i].value() < 0) {
      value_error(op, ": the shape ", wanted,
                  " has a negative size; accepted are sizes of 0 or more and one -1");
    } else {
      rest.push_back(wanted[i]);
    }
  }
  Shape result = wanted;
  Dims source = from;
  cancel(source, rest);
  const Dim have = size_of(source);
  const Dim taken = size_of(rest);
  if (open == wanted.size()) {
    if (have.known() && taken.known() && have != taken) refuse_size(op, from, wanted);
    return result;
  }
  if (taken == Dim(0))
    value_error(op, ": the -1 in ", wanted, " could be any size for a tensor of shape ", from);
  if (have.known() && taken.known() && have.value() % taken.value() != 0) refuse_size(op, from, wanted);
  result[open] = floor_div(have, taken);
  return result;
}

void infer_reshape(const Arguments& args, Results& results) {
  results.add(args.in(0).dtype, resolve_shape(args.op(), args.in(0).shape, args.dims(1)));
}

Shape without(const Shape& shape, const Ints& axes) {
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) == axes.end())
      result.push_back(shape[d]);
  }
  return result;
}

/// Whether a size is 1. Symbolic dimensions of arguments are not; of any other it must be known.
bool is_one(Dim size) { return !size.open() && size.value() == 1; }

Shape squeezed(const Arguments& args) {
  const Shape& shape = args.in(0).shape;
  Ints axes;
  if (!args.has(1) || args.dims(1).empty()) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (is_one(shape[d])) axes.push_back(static_cast<int64_t>(d));
    }
    return without(shape, axes);
  }
  for (Dim given : args.dims(1)) {
    const int64_t axis = normalize_axis(args.op(), given.value(), args.in(0).rank());
    if (!shape.empty() && is_one(shape[static_cast<size_t>(axis)])) axes.push_back(axis);
  }
  return without(shape, axes);
}

Shape expanded(const Arguments& args) {
  Shape shape = args.in(0).shape;
  const int64_t rank = static_cast<int64_t>(shape.size() + args.dims(1).size());
  Ints places;
  for (Dim given : args.dims(1)) places.push_back(normalize_axis(args.op(), given.value(), rank));
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && places[i] == places[i - 1]) value_error(args.op(), ": axis ", places[i], " is given twice");
    shape.insert(static_cast<size_t>(places[i]), 1);
  }
  return shape;
}

Shape flattened(std::string_view op, const Shape& shape, int64_t first, int64_t last) {
  if (shape.empty()) return {1};
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t begin = normalize_axis(op, first, rank, "start_dim");
  const int64_t end = normalize_axis(op, last, rank, "end_dim");
  if (begin > end) value_error(op, ": start_dim ", first, " lies after end_dim ", last, "; it must not");
  Shape result(shape.begin(), shape.begin() + begin);
  result.push_back(size_of(Shape(shape.begin() + begin, shape.begin() + end + 1)));
  for (int64_t d = end + 1; d < rank; ++d) result.push_back(shape[static_cast<size_t>(d)]);
  return result;
}

/// With the default dimensions, or in column-major order, the result has memory of its own.
Value flatten_body(const Call& call) {
  if (call.text(1) != "C" && call.text(1) != "F") {
    value_error(call.op(), ": order is '", call.text(1), "'; accepted are 'C' and 'F'");
  }
  static const OpName copy{"copy"};
  static const OpName permute{"permute"};
  Value input = call.value(0);
  const bool default_dims = call.integer(2) == 1 && call.integer(3) == -1;
  if (default_dims || call.text(1) == "F") input = copy(input);
  if (call.text(1) == "F") {
    Dims reversed;
    for (int64_t d = input->rank(); d-- > 0;) reversed.push_back(d);
    input = permute(input, reversed);
  }
  // What the defaults keep, the first dimension, may be all there is.
  if (input->rank() < 2 && default_dims) return reshape(input, Dims{-1});
  return reshape(input, flattened(call.op(), input->shape, call.integer(2), call.integer(3)));
}

}  // namespace

DYAD_OP("reshape(input: Tensor, shape: ints) -> Tensor")
    .doc("Reshape: the same elements in row-major order in another shape. Shares the memory if it can.")
    .formula("flat(out)[k] = flat(input)[k]")
    .arg("input", "any dtype and shape.")
    .arg("shape", "shape of the result; one size may be −1.")
    .returns("Tensor of shape `shape`.")
    .see("ops.flatten, ops.squeeze, ops.unflatten")
    .method("reshape(*shape)")
    .method("view(*shape)")
    .primitive("Reshape()(input, shape)")
    .alias("input_x", "input")
    .alias("x", "input")
    .alias("input_shape", "shape")
    .mint("reshape")
    .infer(infer_reshape)
    .view([](const Arguments& args, const ResultSpec& result, ViewSpec& view) {
      return reshaped_strides(args.in(0).shape, args.in(0).strides, result.shape, view.strides);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, reshape(g.grad(), g.in(0).shape)); })
    .batch(batch::reshaped)
    .moves(Movement::kReshape)
    .numpy("np.reshape(input, shape)")
    .samples("call(T(2, 6), (3, 4), dtypes='all')", "call(T(2, 3, 4), (-1, 2))", "call(T(), (1, 1))",
             "call(T(1), ())", "call(strided(T(4, 6)), (24,))", "call(strided(T(4, 6)), (2, 2, 6))",
             "call(T(0, 3), (3, 0))", "call(T(0, 3), (-1, 3))", "call(T(12), 12)")
    .rejects("ops.reshape(ones(2, 3), (4, -1))", "ValueError",
             "reshape: a tensor of shape (2, 3) has 6 elements and cannot take the shape (4, -1)")
    .rejects("ops.reshape(ones(2, 3), (-1, -1))", "ValueError", "has more than one -1")
    .rejects("ops.reshape(ones(0, 3), (-1, 0))", "ValueError", "could be any size")
    .rejects("ops.reshape(ones(2), 'a')", "TypeError", "reshape: shape is 'a'");

DYAD_OP("reshape_as(input: Tensor, other: Tensor) -> Tensor")
    .doc("Reshape to the shape of another tensor.")
    .formula("flat(out)[k] = flat(input)[k]")
    .arg("input", "any dtype and shape.")
    .arg("other", "its shape is that of the result.")
    .returns("Tensor with the shape of `other`.")
    .see("ops.reshape")
    .function("view_as")
    .method()
    .method("view_as")
    .shares_memory()
    .compose([](const Call& call) { return reshape(call.value(0), call.in(1).shape); })
    .numpy("np.reshape(input, other.shape)")
    .samples("call(T(2, 6), T(3, 4))", "call(strided(T(4, 6)), T(24))")
    .rejects("ops.reshape_as(ones(2), ones(3))", "ValueError", "cannot take the shape (3,)");

DYAD_OP("expand_dims(input: Tensor, axis: ints) -> Tensor")
    .doc("Insertion of dimensions of size 1. Shares the memory if it can.")
    .formula("out[…, 0, …] = input[…]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "positions of the new dimensions in the result.")
    .returns("Tensor with more dimensions.")
    .see("ops.squeeze, ops.reshape")
    .function("unsqueeze(input, dim:axis)")
    .method()
    .method("unsqueeze(dim:axis)")
    .primitive("ExpandDims()(input_x:input, axis)")
    .alias("input_x", "input")
    .alias("x", "input")
    .alias("dim", "axis")
    .mint("unsqueeze")
    .shares_memory()
    .compose([](const Call& call) { return reshape(call.value(0), expanded(call)); })
    .numpy("np.expand_dims(input, axis)")
    .samples("call(T(2, 3), 0, dtypes='all')", "call(T(2, 3), -1)", "call(T(), 0)",
             "call(strided(T(4, 6)), (0, 2))", "call(T(0), 1)")
    .rejects("ops.expand_dims(ones(2), 3)", "ValueError", "expand_dims: axis 3 is out of range");

DYAD_OP("squeeze(input: Tensor, axis: ints?=None) -> Tensor")
    .doc("Removal of dimensions of size 1: those among the given ones, or all. Shares the memory if it can.")
    .formula("out[…] = input[…, 0, …]")
    .arg("input", "any dtype and shape.")
    .arg("axis", "dimensions that may be removed; None: all.")
    .returns("Tensor with fewer dimensions.")
    .see("ops.expand_dims, ops.reshape")
    .method("squeeze(*axis)")
    .primitive("Squeeze(axis=())(input)")
    .alias("x", "input")
    .alias("dim", "axis")
    .mint("squeeze")
    .shares_memory()
    .compose([](const Call& call) { return reshape(call.value(0), squeezed(call)); })
    .numpy("ref.squeeze(input, axis)")
    .samples("call(T(2, 1, 3, 1), dtypes='all')", "call(T(2, 1, 3, 1), axis=1)",
             "call(T(2, 1, 3, 1), axis=(1, -1))", "call(T(2, 1, 3, 1), axis=0)",
             "call(T(2, 1, 3, 1), axis=(0, 1))", "call(T())", "call(T(0, 1))",
             "call(strided(T(1, 6)), axis=0)")
    .rejects("ops.squeeze(ones(2, 3), 2)", "ValueError", "squeeze: axis 2");

DYAD_OP("flatten(input: Tensor, order: str='C', start_dim: int=1, end_dim: int=-1) -> Tensor")
    .doc(
        "Flattening: merges the dimensions from `start_dim` to `end_dim` into one. Shares the memory if it "
        "can, but not with the default dimensions or order 'F'.")
    .formula("out[…, k, …] = input[…, i…, …], k = index of i… in row-major order", "order='C'")
    .formula("out[…, k, …] = input[…, i…, …], k = index of i… in column-major order", "order='F'")
    .arg("input", "any dtype and shape.")
    .arg("order", "'C' (last index fastest) or 'F' (first index fastest).")
    .arg("start_dim", "first dimension that is merged.")
    .arg("end_dim", "last dimension that is merged.")
    .returns("Tensor with fewer dimensions.")
    .see("ops.reshape, ops.ravel, nn.Flatten")
    .function("flatten(input, order='C', *, start_dim=1, end_dim=-1)")
    .method("flatten(order='C', *, start_dim=0, end_dim=-1)")
    .further_method("flatten(start_dim, end_dim=-1)")
    .primitive("Flatten()(input)")
    .alias("x", "input")
    .shares_memory()
    .compose([](const Call& call) { return flatten_body(call); })
    .numpy("ref.flatten(input, order, start_dim, end_dim)")
    .samples("call(T(2, 3, 4), dtypes='all')", "call(T(2, 3, 4), start_dim=0)", "call(T(2, 3, 4), 'F')",
             "call(T(), start_dim=0)", "call(T())", "call(T(5))",
             "call(T(2, 3, 4), start_dim=-2, end_dim=-1)", "call(T(0, 3), start_dim=0)")
    .rejects("ops.flatten(ones(2, 3), 'K')", "ValueError", "order is 'K'")
    .rejects("ops.flatten(ones(2, 3), start_dim=1, end_dim=0)", "ValueError",
             "start_dim 1 lies after end_dim 0");

DYAD_OP("flatten_dims(input: Tensor, start_dim: int=0, end_dim: int=-1) -> Tensor")
    .further_function("flatten(input, start_dim, end_dim=-1)")
    .doc(
        "Flattening: merges the dimensions from `start_dim` to `end_dim` into one (the form of "
        "`mint.flatten`). Shares the memory if it can.")
    .formula("out[…, k, …] = input[…, i…, …], k = index of i… in row-major order")
    .arg("input", "any dtype and shape.")
    .arg("start_dim", "first dimension that is merged.")
    .arg("end_dim", "last dimension that is merged.")
    .returns("Tensor with fewer dimensions.")
    .see("ops.flatten")
    .hidden()
    .shares_memory()
    .compose([](const Call& call) {
      return reshape(call.value(0), flattened(call.op(), call.in(0).shape, call.integer(1), call.integer(2)));
    })
    .numpy("ref.flatten(input, 'C', start_dim, end_dim)")
    .samples("call(T(2, 3, 4))", "call(T(2, 3, 4), 1)", "call(T())")
    .rejects("dyad._core.named_op('flatten_dims')(ones(2, 3), 1, 0)", "ValueError",
             "start_dim 1 lies after end_dim 0");

DYAD_OP("ravel(input: Tensor) -> Tensor")
    .doc("Flattening into one dimension, in row-major order. Shares the memory if it can.")
    .formula("out[k] = flat(input)[k]")
    .arg("input", "any dtype and shape.")
    .returns("Tensor with one dimension.")
    .see("ops.flatten, ops.reshape")
    .method()
    .mint("ravel")
    .shares_memory()
    .compose([](const Call& call) { return reshape(call.value(0), Dims{-1}); })
    .numpy("np.ravel(input)")
    .samples("call(T(2, 3, 4))", "call(T())")
    .rejects("ops.ravel(1)", "TypeError", "ravel: input is 1");

DYAD_OP("unflatten(input: Tensor, axis: int, sizes: ints) -> Tensor")
    .doc("Unflattening: splits one dimension into several. Shares the memory if it can.")
    .formula("out[…, i…, …] = input[…, k, …], k = index of i… in row-major order")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is split.")
    .arg("sizes", "sizes it is split into; one may be −1.")
    .returns("Tensor with more dimensions.")
    .see("ops.reshape, ops.flatten")
    .function("unflatten(input, dim:axis, sizes)")
    .method("unflatten(dim:axis, sizes)")
    .alias("dim", "axis")
    .shares_memory()
    .compose([](const Call& call) {
      const Shape& shape = call.in(0).shape;
      if (shape.empty()) value_error(call.op(), ": a 0-d tensor has no dimension to split");
      const auto axis = static_cast<size_t>(normalize_axis(call.op(), call.integer(1), call.in(0).rank()));
      const Shape inner = resolve_shape(call.op(), Shape{shape[axis]}, call.dims(2));
      Shape result(shape.begin(), shape.begin() + axis);
      for (Dim d : inner) result.push_back(d);
      for (size_t d = axis + 1; d < shape.size(); ++d) result.push_back(shape[d]);
      return reshape(call.value(0), result);
    })
    .numpy("ref.unflatten(input, axis, sizes)")
    .samples("call(T(2, 12), 1, (3, -1))", "call(T(6, 2), 0, (2, 3))")
    .rejects("ops.unflatten(ones(4), 0, (3, 2))", "ValueError", "cannot take the shape (3, 2)");

}  // namespace dyad
