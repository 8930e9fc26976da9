#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(permute);

/// The axes of a permutation, counted from the front; raises unless each appears once.
Ints permutation(const Arguments& args) {
  const ValueImpl& input = args.in(0);
  const Dims& axes = args.dims(1);
  if (static_cast<int64_t>(axes.size()) != input.rank()) {
    value_error(args.op(), ": axis ", axes, " has ", axes.size(), " entries for a tensor of shape ",
                input.shape, "; the size of perm should equal to rank of the input, ", input.rank());
  }
  Ints result;
  Ints seen(axes.size(), 0);
  for (Dim given : axes) {
    const int64_t rank = std::max<int64_t>(input.rank(), 1);
    if (given.value() < -rank || given.value() >= rank) {
      value_error(args.op(), ": dim value error. axis ", given, " is out of range for a tensor of ",
                  input.rank(), " dimensions; the perm value must be in [", -rank, ", ", rank, ")");
    }
    const int64_t axis = normalize_axis(args.op(), given.value(), input.rank());
    if (seen[static_cast<size_t>(axis)]++) {
      value_error(args.op(), ": axis ", axis, " is given twice in ", axes,
                  "; perms should all be unique dim");
    }
    result.push_back(axis);
  }
  return result;
}

Dims identity(int64_t rank) {
  Dims order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  return order;
}

Dims reversed(int64_t rank) {
  Dims order;
  for (int64_t d = rank; d-- > 0;) order.push_back(d);
  return order;
}

Value swap(const Call& call, Dim first, Dim second) {
  const int64_t rank = call.in(0).rank();
  Dims order = identity(rank);
  const int64_t a = normalize_axis(call.op(), first.value(), rank);
  const int64_t b = normalize_axis(call.op(), second.value(), rank);
  if (rank > 0) std::swap(order[static_cast<size_t>(a)], order[static_cast<size_t>(b)]);
  return permute(call.value(0), order);
}

Value move_dimensions(const Call& call) {
  const int64_t rank = call.in(0).rank();
  const Dims& source = call.dims(1);
  const Dims& destination = call.dims(2);
  if (source.size() != destination.size()) {
    value_error(call.op(), ": source ", source, " and destination ", destination, " differ in length");
  }
  Dims order(static_cast<size_t>(rank), -1);
  Ints moved(static_cast<size_t>(rank), 0);
  for (size_t i = 0; i < source.size(); ++i) {
    const auto from = static_cast<size_t>(normalize_axis(call.op(), source[i].value(), rank, "source"));
    const auto to =
        static_cast<size_t>(normalize_axis(call.op(), destination[i].value(), rank, "destination"));
    if (rank == 0) continue;
    if (moved[from]++ || order[to] != Dim(-1)) {
      value_error(call.op(), ": source ", source, " or destination ", destination,
                  " names a dimension twice");
    }
    order[to] = static_cast<int64_t>(from);
  }
  size_t next = 0;
  for (Dim& place : order) {
    if (place != Dim(-1)) continue;
    while (moved[next]) ++next;
    place = static_cast<int64_t>(next++);
  }
  return permute(call.value(0), order);
}

}  // namespace

DYAD_OP("permute(input: Tensor, axis: ints) -> Tensor")
    .doc("Permutation of the dimensions. Shares the memory.")
    .formula("out[i₀, i₁, …] = input[j₀, j₁, …] with j[axis[k]] = iₖ")
    .arg("input", "any dtype and shape.")
    .arg("axis", "for each dimension of the result, the one of `input`.")
    .returns("Tensor of shape input.shape[axis[0]], input.shape[axis[1]], …, a view of `input`.")
    .see("ops.swapaxes, ops.movedim")
    .function("transpose(input, input_perm:axis)")
    .method("permute(*axis)")
    .primitive("Transpose()(input, input_perm:axis)")
    .primitive("TransposeView()(input, input_perm:axis)")
    .alias("x", "input")
    .alias("input_x", "input")
    .alias("dims", "axis")
    .alias("axes", "axis")
    .alias("perm", "axis")
    .alias("input_perm", "axis")
    .infer([](const Arguments& args, Results& results) {
      const Ints order = permutation(args);
      Shape shape;
      for (int64_t axis : order) shape.push_back(args.in(0).shape[static_cast<size_t>(axis)]);
      results.add(args.in(0).dtype, shape);
    })
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      const ValueImpl& input = args.in(0);
      for (Dim given : args.dims(1)) {
        const int64_t axis = given.value() < 0 ? given.value() + input.rank() : given.value();
        view.strides.push_back(input.strides[static_cast<size_t>(axis)]);
      }
      return true;
    })
    .linear()
    .grad([](GradCall& g) {
      const Ints order = permutation(g);
      Dims inverse(order.size(), 0);
      for (size_t i = 0; i < order.size(); ++i)
        inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      g.set(0, permute(g.grad(), inverse));
    })
    .batch(batch::permuted)
    .moves(Movement::kPermute)
    .numpy("np.transpose(input, axis)")
    .samples("call(T(2, 3, 4), (2, 0, 1), dtypes='all')", "call(T(2, 3), (-1, 0))", "call(T(), ())",
             "call(T(0, 3), (1, 0))", "call(strided(T(4, 6)), (1, 0))")
    .rejects("ops.permute(ones(2, 3), (0, 0))", "ValueError", "permute: axis 0 is given twice")
    .rejects("ops.permute(ones(2, 3), (0,))", "ValueError", "should equal to rank of the input, 2")
    .rejects("ops.permute(ones(2, 3), (0, 2))", "ValueError", "the perm value must be in [-2, 2)");

DYAD_OP("transpose_axes(input: Tensor, axes: ints=()) -> Tensor")
    .doc("Permutation of the dimensions; without axes, reversal of their order. Shares the memory.")
    .formula("out[i₀, i₁, …] = input[j₀, j₁, …] with j[axes[k]] = iₖ")
    .arg("input", "any dtype and shape.")
    .arg("axes", "for each dimension of the result, the one of `input`; (): reversed.")
    .returns("Tensor with the permuted shape, a view of `input`.")
    .see("ops.permute")
    .hidden()
    .further_method("transpose(*axes)")
    .alias("dims", "axes")
    .alias("axis", "axes")
    .shares_memory()
    .compose([](const Call& call) {
      const Dims& axes = call.dims(1);
      const int64_t rank = call.in(0).rank();
      if (axes.empty()) return permute(call.value(0), reversed(rank));
      return permute(call.value(0), axes);
    })
    .numpy("ref.transpose_axes(input, axes)")
    .samples("call(T(2, 3, 4))", "call(T(2, 3, 4), (2, 0, 1))", "call(T(2, 3), (0, 1))")
    .rejects("ones(2, 3).transpose((0, 0))", "ValueError", "is given twice")
    .rejects("ones(2, 3, 4).transpose((0, 1))", "ValueError", "should equal to rank of the input, 3");

DYAD_OP("swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor")
    .doc("Swap of two dimensions. Shares the memory.")
    .formula("out[…, j, …, i, …] = input[…, i, …, j, …]")
    .arg("input", "any dtype and shape.")
    .arg("axis0", "a dimension.")
    .arg("axis1", "the other dimension.")
    .returns("Tensor with the two sizes swapped, a view of `input`.")
    .see("ops.permute, ops.movedim")
    .function("swapdims(input, dim0:axis0, dim1:axis1)")
    .method()
    .method("swapdims(dim0:axis0, dim1:axis1)")
    .method("transpose(dim0:axis0, dim1:axis1)")
    .primitive("TransposeExtView()(input, dim0:axis0, dim1:axis1)")
    .alias("dim0", "axis0")
    .alias("dim1", "axis1")
    .mint("swapaxes")
    .shares_memory()
    .compose([](const Call& call) { return swap(call, call.integer(1), call.integer(2)); })
    .numpy("np.swapaxes(input, axis0, axis1) if np.ndim(input) else input")
    .samples("call(T(2, 3, 4), 0, 2, dtypes='all')", "call(T(2, 3, 4), -1, 1)", "call(T(), 0, 0)")
    .rejects("ops.swapaxes(ones(2, 3), 0, 2)", "ValueError", "swapaxes: axis 2 is out of range");

DYAD_OP("t(input: Tensor) -> Tensor")
    .doc("Transpose of a matrix. A tensor with fewer dimensions stays as it is; shares the memory.")
    .formula("out[i, j] = input[j, i]")
    .arg("input", "any dtype, at most 2 dimensions.")
    .returns("Tensor, a view of `input`.")
    .see("ops.permute, ops.swapaxes")
    .method()
    .mint("t")
    .shares_memory()
    .compose([](const Call& call) {
      const int64_t rank = call.in(0).rank();
      if (rank > 2)
        value_error(call.op(), ": a tensor of shape ", call.in(0).shape,
                    " is no matrix; at most 2 dimensions");
      return permute(call.value(0), reversed(rank));
    })
    .numpy("np.transpose(input)")
    .samples("call(T(2, 3))", "call(T(3))", "call(T())")
    .rejects("ops.t(ones(1, 2, 3))", "ValueError", "is no matrix");

DYAD_OP("movedim(input: Tensor, source: ints, destination: ints) -> Tensor")
    .doc("Move of dimensions to other positions; the others keep their order. Shares the memory.")
    .formula("out.shape[destination[k]] = input.shape[source[k]]")
    .arg("input", "any dtype and shape.")
    .arg("source", "dimensions that move.")
    .arg("destination", "their positions in the result.")
    .returns("Tensor with the permuted shape, a view of `input`.")
    .see("ops.permute, ops.swapaxes")
    .function("movedim(x:input, source, destination)")
    .function("moveaxis(x:input, source, destination)")
    .method()
    .method("moveaxis")
    .shares_memory()
    .compose([](const Call& call) { return move_dimensions(call); })
    .numpy("np.moveaxis(input, source, destination)")
    .samples("call(T(2, 3, 4), 0, 2)", "call(T(2, 3, 4), (0, 1), (-1, 0))", "call(T(2, 3, 4), 1, 1)")
    .rejects("ops.movedim(ones(2, 3), (0, 0), (0, 1))", "ValueError", "names a dimension twice");

}  // namespace dyad
