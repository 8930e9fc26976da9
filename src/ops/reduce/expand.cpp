#include "ops/reduce/expand.h"

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
