#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(embed_slice, expand_dims);

size_t axis_of(const Arguments& args) {
  return static_cast<size_t>(normalize_axis(args.op(), args.integer(1), args.in(0).rank()));
}

/// The place, counted from the front. Of a place that is not known yet it cannot be said from which end it
/// counts; what is left over by the size is the same from both.
Dim place_of(const Arguments& args) {
  if (args.dims(2).size() != 1) {
    value_error(args.op(), ": position has ", args.dims(2).size(), " members; it must have 1");
  }
  const Dim position = args.dims(2)[0];
  const Dim size = args.in(0).shape[axis_of(args)];
  if (!position.known() || !size.known()) return position - floor_div(position, size) * size;
  if (position.value() < -size.value() || position.value() >= size.value()) {
    index_error("index: ", position, " is out of range for dimension ", args.integer(3), " of size ", size);
  }
  return position.value() < 0 ? position + size : position;
}

}  // namespace

DYAD_OP("select_at(input: Tensor, axis: int, position: ints, dimension: int=0) -> Tensor")
    .doc(
        "One place along an axis, which is dropped, where the place may be a symbol; shares the memory. An "
        "error calls the axis `dimension`.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      place_of(args);
      Shape shape = args.in(0).shape;
      shape.erase(axis_of(args));
      results.add(args.in(0).dtype, shape);
    })
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      const size_t axis = axis_of(args);
      view.strides = args.in(0).strides;
      view.offset = place_of(args).value() * view.strides[axis];
      view.strides.erase(axis);
      return true;
    })
    .linear()
    .grad([](GradCall& g) {
      const size_t axis = axis_of(g);
      const Shape& shape = g.in(0).shape;
      Dims starts(axis + 1, 0);
      Dims stops(shape.begin(), shape.begin() + axis + 1);
      starts[axis] = place_of(g);
      stops[axis] = starts[axis] + Dim(1);
      g.set(0, embed_slice(expand_dims(g.grad(), Dims{static_cast<int64_t>(axis)}), shape, starts, stops,
                           Dims(axis + 1, 1)));
    })
    .batch(batch::along<1>)
    .numpy("np.take(input, position[0], axis)")
    .samples("call(T(2, 3, 4), 1, (2,), dtypes='all')", "call(T(2, 3), -1, (-3,))",
             "call(strided(T(4, 6)), 0, (3,))")
    .rejects("dyad._core.named_op('select_at')(ones(2, 3), 0, (2,))", "IndexError",
             "2 is out of range for dimension 0 of size 2");

}  // namespace dyad
