#include "ops/reduce/expand.h"

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {
DYAD_USE(reshape)
DYAD_USE(broadcast_to)
}  // namespace

Value expand_reduced(const Call& call, const Value& reduced, size_t axis, size_t keepdims) {
  const ValueImpl& input = call.in(0);
  if (call.flag(keepdims)) return broadcast_to(reduced, input.shape);
  const Ints axes = infer::axes(call, axis, input.rank());
  return broadcast_to(reshape(reduced, infer::reduced(input.shape, axes, true)), input.shape);
}

double reduced_count(const Call& call, const ValueImpl& input, const Ints& axes) {
  double count = 1;
  for (int64_t axis : axes) {
    const Dim size = input.shape[static_cast<size_t>(axis)];
    if (!size.known()) unsupported(call.op(), ": the reduced axis ", axis, " of shape ", input.shape, " has no fixed size");
    count *= static_cast<double>(size.value());
  }
  return count;
}

}  // namespace dyad
