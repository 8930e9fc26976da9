#include "ops/reduce/reduced_axes.h"

#include <algorithm>

#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape, broadcast_to, count_over);

/// One count serves all slices.
void counted(const BatchCall& call, ValueList& results) {
  ValueList found;
  batch::along<1>(call, found);
  results.push_back(broadcast_to(found[0], Dims{call.count()}));
}

}  // namespace

Dims axes_moved_last(int64_t rank, const Ints& axes) {
  Dims order;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  for (const int64_t axis : axes) order.push_back(axis);
  return order;
}

Value with_joined_end(const Value& value, size_t count) {
  const auto joined = value->shape.end() - count;
  Shape shape(value->shape.begin(), joined);
  shape.push_back(size_of(Shape(joined, value->shape.end())));
  return reshape(value, shape);
}

Ints axis_or_all(const Arguments& args, size_t at, int64_t rank) {
  Ints axes;
  if (args.has(at)) {
    axes.push_back(normalize_axis(args.op(), args.integer(at), std::max<int64_t>(rank, 1)));
    if (rank == 0) axes.clear();
    return axes;
  }
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  return axes;
}

Value expand_reduced(const Call& call, const Value& reduced, size_t axis, size_t keepdims) {
  const ValueImpl& input = call.in(0);
  if (call.flag(keepdims)) return broadcast_to(reduced, input.shape);
  const Ints axes = infer::axes(call, axis, input.rank());
  return broadcast_to(reshape(reduced, infer::reduced(input.shape, axes, true)), input.shape);
}

Arg reduced_count(const Value& input, const Ints& axes) {
  double count = 1;
  for (int64_t axis : axes) {
    const Dim size = input->shape[static_cast<size_t>(axis)];
    if (!size.known()) return count_over(input, Dims(axes.begin(), axes.end()));
    count *= static_cast<double>(size.value());
  }
  return count;
}

DYAD_OP("count_over(input: Tensor, axis: ints) -> Tensor")
    .doc("How many elements lie along the given axes, as one number in the dtype of the input.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer::axes(args, 1, args.in(0).rank());
      results.add(args.in(0).dtype, {});
    })
    .no_grad("the count depends on the shape alone")
    .batch(counted)
    .moves(Movement::kOther)
    .numpy("ref.count_over(input, axis)")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3, 4), axis=(0, 2))")
    .rejects("dyad._core.named_op('count_over')(ones(2, 3), 2)", "ValueError", "count_over: axis 2");

}  // namespace dyad
