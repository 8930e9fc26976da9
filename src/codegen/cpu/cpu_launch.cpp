#include "codegen/cpu/cpu_launch.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::codegen {

CpuLaunch::CpuLaunch(Schedule schedule, std::vector<PhaseCode> code, int cost)
    : schedule_(std::move(schedule)),
      code_(std::move(code)),
      cost_(std::max(cost, 1)),
      tensors_(schedule_.dtypes.size()) {
  DYAD_ASSERT(tensors_ <= kMostTensors);
}

void CpuLaunch::place_tensors(const void* const* params, void* const* results, char** tensors) const {
  for (size_t i = 0; i < schedule_.params; ++i) {
    tensors[i] = static_cast<char*>(const_cast<void*>(params[schedule_.param_numbers[i]]));
  }
  for (size_t i = schedule_.params; i < tensors_; ++i)
    tensors[i] = static_cast<char*>(results[i - schedule_.params]);
}

int64_t CpuLaunch::product(const std::vector<int>& axes) const {
  int64_t size = 1;
  for (const int axis : axes) size *= size_of(axis);
  return size;
}

void CpuLaunch::move(int64_t* offsets, int axis, int64_t by) const {
  const std::vector<int64_t>& strides = schedule_.axes[static_cast<size_t>(axis)].strides;
  for (size_t i = 0; i < tensors_; ++i) offsets[i] += by * strides[i];
}

void CpuLaunch::move_to(int64_t* offsets, const std::vector<int>& axes, int64_t number) const {
  for (size_t i = axes.size(); i-- > 0;) {
    move(offsets, axes[i], number % size_of(axes[i]));
    number /= size_of(axes[i]);
  }
}

Ref<Launch> make_launch(Schedule schedule, std::vector<PhaseCode> code, int cost) {
  if (schedule.reduces) return make_fold_launch(std::move(schedule), std::move(code), cost);
  return make_pointwise_launch(std::move(schedule), std::move(code), cost);
}

}  // namespace dyad::codegen
