#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(arange, embed_index, expand_dims, full, reshape);

/// Places from the first to one after the last element of a contiguous input that the view shows.
bool stays_inside(const Arguments& args) {
  const Dims& shape = args.dims(1);
  const Dims& strides = args.dims(2);
  int64_t first = args.integer(3);
  int64_t last = first;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == Dim(0)) return true;
    const int64_t reach = (shape[d].value() - 1) * strides[d].value();
    (reach < 0 ? first : last) += reach;
  }
  return first >= 0 && last < args.in(0).size();
}

void infer_strided_view(const Arguments& args, Results& results) {
  const Dims& shape = args.dims(1);
  if (shape.size() != args.dims(2).size()) {
    value_error(args.op(), ": shape ", shape, " and strides ", args.dims(2), " must be equally long");
  }
  if (all_known(shape) && all_known(args.in(0).shape) && !stays_inside(args)) {
    value_error(args.op(), ": the shape ", shape, " with strides ", args.dims(2), " from place ",
                args.integer(3), " on leaves a tensor of ", args.in(0).size(), " elements");
  }
  results.add(args.in(0).dtype, shape);
}

/// The place of each element of the view among those of the input, in row-major order.
Value places(const GradCall& g) {
  Value place = full(g.builder(), Dims{}, g.integer(3), DType::kInt64);
  for (size_t d = 0; d < g.dims(1).size(); ++d) {
    const Value steps = arange(g.builder(), 0, g.dims(1)[d].value(), 1, DType::kInt64);
    place = expand_dims(place, Dims{-1}) + Arg(steps * g.dims(2)[d].value());
  }
  return place;
}

}  // namespace

DYAD_OP("strided_view(input: Tensor, shape: ints, strides: ints, offset: int) -> Tensor")
    .doc(
        "The elements, counted in row-major order, that lie so many places apart along each dimension, from "
        "a "
        "place on; shares the memory of a contiguous tensor.")
    .hidden()
    .infer(infer_strided_view)
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      if (!args.in(0).contiguous()) return false;
      for (Dim stride : args.dims(2)) view.strides.push_back(stride.value());
      view.offset = args.integer(3);
      return true;
    })
    .linear()
    .grad([](GradCall& g) {
      const Value flat = embed_index(g.grad(), Dims{size_of(g.in(0).shape)}, ValueList{places(g)});
      g.set(0, reshape(flat, g.in(0).shape));
    })
    .batch(batch::strided)
    .numpy(
        "np.lib.stride_tricks.as_strided(input.reshape(-1)[offset:], shape, np.array(strides, int) * "
        "input.itemsize)")
    .samples("call(T(6), (2, 2), (3, 1), 1, dtypes='all')", "call(T(2, 3), (3, 2), (1, 3), 0)",
             "call(T(6), (), (), 2)")
    .rejects("dyad._core.named_op('strided_view')(ones(3), (2,), (2,), 1)", "ValueError",
             "leaves a tensor of 3 elements");

}  // namespace dyad
