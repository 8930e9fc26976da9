#include "autograd/transpose.h"

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/state.h"
#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::autograd {

namespace {

DYAD_USE(broadcast_to, cast, zeros);

/// All elements are one in memory.
Value weightless_zeros(const ResultSpec& spec) {
  const RecordingSwitch off(false);
  const Value zero = zeros(eager::builder(), Dims{}, spec.dtype);
  return broadcast_to(zero, spec.shape);
}

}  // namespace

void transpose(const Backward& backward, std::span<const ResultSpec> outputs, Push& push) {
  std::vector<Value> nothing(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (push.wanted[i] && !is_bool(outputs[i].dtype)) nothing[i] = weightless_zeros(outputs[i]);
  }
  transpose(backward, nothing, push);
}

void transpose(const Backward& backward, std::span<const Value> nothing, Push& push) {
  const uint64_t mark = next_sequence();
  std::vector<Value> gradients(nothing.size());
  std::vector<size_t> asked;
  std::vector<Value> stand_ins;
  for (size_t i = 0; i < nothing.size(); ++i) {
    if (!nothing[i]) continue;
    asked.push_back(i);
    stand_ins.emplace_back(as_input(Tensor(&as_tensor(nothing[i]))));
    gradients[i] = stand_ins.back();
  }
  std::vector<Value> found(push.arrived.size());
  {
    const RecordingSwitch on(true);
    backward(gradients, found);
  }
  std::vector<Value> ends;
  std::vector<Value> seeds;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || !push.arrived[i]) continue;
    const RecordingSwitch recording(push.recorded);
    ends.push_back(found[i]);
    seeds.push_back(found[i]->dtype == push.arrived[i]->dtype ? push.arrived[i]
                                                              : cast(push.arrived[i], found[i]->dtype));
  }
  std::vector<Value> tangents = pull_back(ends, seeds, stand_ins, mark, push.recorded);
  for (size_t i = 0; i < asked.size(); ++i) push.leaving[asked[i]] = std::move(tangents[i]);
}

}  // namespace dyad::autograd
