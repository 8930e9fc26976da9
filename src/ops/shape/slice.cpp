#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(slice_view, embed_slice, expand_dims, select_view);

/// How many places start, start + step, … lie before stop.
Dim slice_size(Dim start, Dim stop, int64_t step) {
  const Dim span = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  const Dim size = floor_div(span + Dim(stride - 1), stride);
  return size.known() ? max(size, Dim(0)) : size;
}

void check_slice(const Arguments& args, size_t d, Dim size, Dim start, Dim stop, int64_t step) {
  if (step == 0) value_error(args.op(), ": the step of dimension ", d, " is 0; it must not be");
  if (!size.known() || !start.known() || !stop.known() || slice_size(start, stop, step) == Dim(0)) return;
  const int64_t last = size.value() - 1;
  const bool inside = step > 0 ? start.value() >= 0 && stop.value() <= size.value()
                               : start.value() <= last && stop.value() >= -1;
  if (!inside) {
    value_error(args.op(), ": the slice ", start, ":", stop, ":", step, " leaves dimension ", d, " of size ",
                size);
  }
}

/// The shape of a slice of `shape`; starts, stops and steps are arguments `at` and the two after it.
Shape sliced(const Arguments& args, const Shape& shape, size_t at) {
  const Dims& starts = args.dims(at);
  const Dims& stops = args.dims(at + 1);
  const Dims& steps = args.dims(at + 2);
  if (starts.size() != stops.size() || starts.size() != steps.size() || starts.size() > shape.size()) {
    value_error(args.op(), ": starts ", starts, ", stops ", stops, " and steps ", steps,
                " must be equally many, and no more than the dimensions of ", shape);
  }
  Shape result = shape;
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t step = steps[d].value();
    check_slice(args, d, shape[d], starts[d], stops[d], step);
    result[d] = slice_size(starts[d], stops[d], step);
  }
  return result;
}

/// A place along an axis, counted from the front.
Dim position_of(const Arguments& args, size_t axis) {
  const int64_t given = args.integer(2);
  const Dim size = args.in(0).shape[axis];
  if (size.known() && (given < -size.value() || given >= size.value())) {
    index_error(args.op(), ": position ", given, " is out of range for dimension ", axis, " of size ", size);
  }
  return given < 0 ? size + Dim(given) : Dim(given);
}

size_t selected_axis(const Arguments& args) {
  if (args.in(0).rank() == 0) value_error(args.op(), ": a 0-d tensor has no dimension to select from");
  return static_cast<size_t>(normalize_axis(args.op(), args.integer(1), args.in(0).rank()));
}

}  // namespace

DYAD_OP("slice_view(input: Tensor, starts: ints, stops: ints, steps: ints) -> Tensor")
    .doc(
        "Every step-th element from start to stop of each leading dimension; shares the memory. Bounds are "
        "counted from "
        "the front, and with a negative step a stop of -1 lies before the first element.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      results.add(args.in(0).dtype, sliced(args, args.in(0).shape, 1));
    })
    .view([](const Arguments& args, const ResultSpec& result, ViewSpec& view) {
      view.strides = args.in(0).strides;
      for (size_t d = 0; d < args.dims(1).size(); ++d) {
        // Where nothing is chosen the start may be any number, where one element is, the step may.
        if (result.shape[d] == Dim(0)) continue;
        view.offset += args.dims(1)[d].value() * view.strides[d];
        if (result.shape[d] != Dim(1)) view.strides[d] *= args.dims(3)[d].value();
      }
      return true;
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, embed_slice(g.grad(), g.in(0).shape, g[1], g[2], g[3])); })
    .batch(batch::sliced)
    .moves(Movement::kSlice)
    .numpy("ref.slice_view(input, starts, stops, steps)")
    .samples("call(T(5, 4), (1,), (4,), (2,), dtypes='all')", "call(T(5, 4), (4, 0), (-1, 4), (-2, 3))",
             "call(T(5, 4), (2,), (2,), (1,))", "call(T(5, 4), (2,), (5,), (2**61,))",
             "call(T(5, 4), (2**61,), (0,), (1,))", "call(T(5, 4), (), (), ())",
             "call(strided(T(4, 6)), (0, 5), (4, 1), (1, -2))")
    .rejects("dyad._core.named_op('slice_view')(ones(3), (0,), (4,), (1,))", "ValueError",
             "leaves dimension 0 of size 3")
    .rejects("dyad._core.named_op('slice_view')(ones(3), (0,), (3,), (0,))", "ValueError",
             "the step of dimension 0 is 0");

DYAD_OP("embed_slice(input: Tensor, shape: ints, starts: ints, stops: ints, steps: ints) -> Tensor")
    .doc("Zeros of a shape, with input written where `slice_view` of the same bounds would read.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const Shape expected = sliced(args, args.dims(1), 2);
      if (all_known(expected) && all_known(args.in(0).shape) && !(expected == args.in(0).shape)) {
        value_error(args.op(), ": input has shape ", args.in(0).shape, "; the slice has shape ", expected);
      }
      results.add(args.in(0).dtype, args.dims(1));
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, slice_view(g.grad(), g[2], g[3], g[4])); })
    .batch(batch::slice_embedded)
    .moves(Movement::kOther)
    .numpy("ref.embed_slice(input, shape, starts, stops, steps)")
    .samples("call(T(2, 4), (5, 4), (1,), (4,), (2,), dtypes='all')",
             "call(T(3, 2), (5, 4), (4, 0), (-1, 4), (-2, 3))")
    .rejects("dyad._core.named_op('embed_slice')(ones(2), (3,), (0,), (1,), (1,))", "ValueError",
             "the slice has shape (1,)");

DYAD_OP("select_view(input: Tensor, axis: int, position: int) -> Tensor")
    .doc("Selection of one index along an axis, which is removed. Shares the memory.")
    .formula("out[…] = input[…, position, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is removed.")
    .arg("position", "index along it; a negative one counts from the end.")
    .returns("Tensor with one dimension fewer, a view of `input`.")
    .see("ops.narrow")
    .hidden()
    .method("select(axis, index:position)")
    .alias("dim", "axis")
    .infer([](const Arguments& args, Results& results) {
      const size_t axis = selected_axis(args);
      position_of(args, axis);
      Shape shape = args.in(0).shape;
      shape.erase(axis);
      results.add(args.in(0).dtype, shape);
    })
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      const size_t axis = selected_axis(args);
      view.strides = args.in(0).strides;
      view.offset = position_of(args, axis).value() * view.strides[axis];
      view.strides.erase(axis);
      return true;
    })
    .linear()
    .grad([](GradCall& g) {
      const size_t axis = selected_axis(g);
      const Shape& shape = g.in(0).shape;
      Dims starts(axis + 1, 0);
      Dims stops(shape.begin(), shape.begin() + axis + 1);
      starts[axis] = position_of(g, axis);
      stops[axis] = starts[axis] + Dim(1);
      g.set(0, embed_slice(expand_dims(g.grad(), Dims{static_cast<int64_t>(axis)}), shape, starts, stops,
                           Dims(axis + 1, 1)));
    })
    .batch(batch::along<1>)
    .numpy("np.take(input, position, axis)")
    .samples("call(T(2, 3, 4), 1, 2, dtypes='all')", "call(T(2, 3), -1, -3)", "call(T(3), 0, 1)",
             "call(strided(T(4, 6)), 0, 3)")
    .rejects("ones(2, 3).select(0, 2)", "IndexError",
             "select: position 2 is out of range for dimension 0 of size 2");

DYAD_OP("narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor")
    .doc("Narrowing: `length` elements along an axis from `start` on. Shares the memory.")
    .formula("out[…, i, …] = input[…, start + i, …], 0 ≤ i < length")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is narrowed.")
    .arg("start", "first index; a negative one counts from the end.")
    .arg("length", "size along the axis in the result.")
    .returns("Tensor, a view of `input`.")
    .see("ops.slice, ops.split")
    .method()
    .alias("dim", "axis")
    .mint("narrow")
    .shares_memory()
    .compose([](const Call& call) {
      const size_t axis = selected_axis(call);
      const Shape& shape = call.in(0).shape;
      const Dim size = shape[axis];
      const int64_t start = call.integer(2);
      const int64_t length = call.integer(3);
      if (length < 0 ||
          (size.known() && (start < -size.value() || start > size.value() ||
                            (start < 0 ? start + size.value() : start) > size.value() - length))) {
        value_error(call.op(), ": ", length, " places from ", start, " on leave dimension ", axis,
                    " of size ", size);
      }
      const Dim first = start < 0 ? size + Dim(start) : Dim(start);
      Dims starts(axis + 1, 0);
      Dims stops(shape.begin(), shape.begin() + axis + 1);
      starts[axis] = first;
      stops[axis] = first + Dim(length);
      return slice_view(call.value(0), starts, stops, Dims(axis + 1, 1));
    })
    .numpy("ref.narrow(input, axis, start, length)")
    .samples("call(T(5, 4), 0, 1, 3)", "call(T(5, 4), -1, -2, 2)", "call(T(5, 4), 1, 4, 0)")
    .rejects("ops.narrow(ones(3), 0, 2, 2)", "ValueError",
             "narrow: 2 places from 2 on leave dimension 0 of size 3");

}  // namespace dyad
