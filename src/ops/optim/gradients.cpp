#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/optim/step.h"

namespace dyad {

namespace {

DYAD_USE(cast, mean);

/// Less its mean over all axes but the first; a vector stays as it is.
Value centralized(const Value& gradient) {
  Dims axes;
  for (int64_t axis = 1; axis < gradient->rank(); ++axis) axes.push_back(axis);
  return axes.empty() ? gradient : gradient - mean(gradient, axes, true);
}

void require_positions(const Arguments& args, size_t argument, size_t count) {
  for (Dim position : args.dims(argument)) {
    if (position.value() < 0 || position.value() >= static_cast<int64_t>(count)) {
      index_error(args.op(), ": centralize has the position ", position, " of ", count, " gradients");
    }
  }
}

ValueList prepared(const Call& call) {
  optim::require_lists(call, 2);
  optim::require_settings(call, 2, "decays", true);
  const ValueList& params = call.values(0);
  const ValueList& decays = call.values(2);
  const Dims& centralize = call.dims(3);
  require_positions(call, 3, params.size());
  ValueList results = call.values(1);
  for (size_t i = 0; i < results.size(); ++i) {
    const DType dtype = results[i]->dtype;
    Value& gradient = results[i];
    if (!decays.empty()) {
      gradient = gradient + params[i] * (decays[decays.size() == 1 ? 0 : i] * call.real(4));
    }
    if (std::ranges::find(centralize, Dim(static_cast<int64_t>(i))) != centralize.end()) {
      gradient = centralized(gradient);
    }
    if (call.real(5) != 1) gradient = gradient * call.real(5);
    if (gradient->dtype != dtype) gradient = cast(gradient, dtype);
  }
  return results;
}

}  // namespace

DYAD_OP(
    "prepared_gradients(params: Tensors, gradients: Tensors, decays: Tensors, centralize: ints, "
    "decay_scale: float=1.0, scale: float=1.0) -> Tensors")
    .doc(
        "What is done to gradients before an optimizer's step: weight decay times the parameters is added, "
        "those at the positions of centralize lose their mean over all axes but the first, all are scaled.")
    .hidden()
    .shares_memory()
    .compose([](const Call& call) { return prepared(call); })
    .numpy("ref.prepared_gradients(params, gradients, decays, centralize, decay_scale, scale)")
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [F()], [0, 1])",
             "call([T(2, 3, 2), T(5)], [T(2, 3, 2), T(5)], [F(), F()], [0], 2.0, 0.5)",
             "call([T(2, 3), T(5)], [T(2, 3), T(5)], [], [])")
    .rejects("dyad._core.named_op('prepared_gradients')([ones(2)], [ones(2)], [], [1])", "IndexError",
             "centralize has the position 1 of 1 gradients");

}  // namespace dyad
