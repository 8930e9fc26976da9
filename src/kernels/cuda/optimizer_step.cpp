#include "kernels/cuda/optimizer_step.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/launch.h"

namespace dyad::cuda {

namespace {

/// Entry `i` of a list that has one entry per parameter, one for all, or none.
DeviceNumber setting_of(const KernelCall& call, size_t argument, size_t i) {
  const ValueList& list = call.values(argument);
  if (list.empty()) return {};
  return number_of(*list[list.size() == 1 ? 0 : i]);
}

}  // namespace

DeviceNumber number_of(const ValueImpl& value) { return {value.data, static_cast<uint32_t>(value.dtype)}; }

bool alike(const KernelCall& call, std::span<const size_t> lists) {
  const ValueList& parameters = call.values(lists[0]);
  if (parameters.empty()) return true;
  const DType dtype = parameters[0]->dtype;
  for (size_t list : lists) {
    for (const Value& value : call.values(list)) {
      if (value->dtype != dtype || !value->contiguous()) return false;
    }
  }
  return is_float(dtype);
}

bool counters_fit(const KernelCall& call, size_t list) {
  return std::ranges::all_of(call.values(list), [](const Value& number) {
    return number->dtype == DType::kFloat32 || number->dtype == DType::kFloat64;
  });
}

void for_each_group(const KernelCall& call, const Step& step, StepParams& p,
                    const std::function<void(StepParams& p, size_t first)>& run) {
  const ValueList& parameters = call.values(step.lists[0]);
  p.count = 0;
  p.first_block[0] = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    StepTensor& tensor = p.tensors[p.count];
    tensor = {};
    for (size_t k = 0; k < step.lists.size(); ++k) tensor.at[k] = call.values(step.lists[k])[i]->data;
    for (size_t k = 0; k < step.held.size(); ++k) tensor.held[k] = number_of(*call.values(step.held[k])[i]);
    tensor.count = parameters[i]->size();
    tensor.rate = setting_of(call, step.rates, i);
    tensor.decay = setting_of(call, step.decays, i);
    const int64_t blocks = (tensor.count + kStepElements - 1) / kStepElements;
    p.first_block[p.count + 1] = p.first_block[p.count] + static_cast<uint32_t>(blocks);
    if (++p.count < kStepTensors && i + 1 < parameters.size()) continue;
    run(p, i + 1 - static_cast<size_t>(p.count));
    p.count = 0;
  }
}

void launch_step(const KernelCall& call, const char* kernel, const StepParams& p, DType dtype) {
  if (p.count == 0 || p.first_block[p.count] == 0) return;
  Grid grid;
  grid.x = p.first_block[p.count];
  launch(call.device().index, cat(kernel, storage_suffix(dtype)), grid, p);
}

void launch_counters(const KernelCall& call, const char* kernel, const StepParams& p) {
  launch(call.device().index, kernel, {.threads = kStepTensors}, p);
}

void take_step(const KernelCall& call, const Step& step, StepParams p) {
  for_each_group(call, step, p, [&](const StepParams& group, size_t) {
    launch_step(call, step.kernel, group, call.values(step.lists[0])[0]->dtype);
  });
}

void advance_powers(const KernelCall& call, const ValueList& powers, const Floats& betas) {
  PowerParams p{};
  for (size_t i = 0; i < powers.size(); ++i) {
    p.powers[i] = powers[i]->data;
    p.dtypes[i] = static_cast<uint32_t>(powers[i]->dtype);
    p.betas[i] = betas[i];
  }
  p.count = static_cast<int32_t>(powers.size());
  launch(call.device().index, "multiply_powers", {.threads = 32}, p);
}

}  // namespace dyad::cuda
