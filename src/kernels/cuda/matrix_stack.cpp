#include "kernels/cuda/matrix_stack.h"

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

StackCall::StackCall(const KernelCall& call, int64_t count)
    : op_(call.op()),
      device_(call.out().device.index),
      count_(count),
      lease_(device_),
      info_(device_, static_cast<size_t>(count) * sizeof(int)) {
  fill_zeros(device_, info_.as<void>(), count * static_cast<int64_t>(sizeof(int)));
}

void StackCall::require_success(std::string_view fault) const {
  std::vector<int> infos(static_cast<size_t>(count_));
  runtime_of({DeviceKind::kCuda, static_cast<int8_t>(device_)})
      .copy_to_host(device_, infos.data(), info_.as<void>(), infos.size() * sizeof(int));
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i] > 0) runtime_error(op_, ": matrix ", i, " of the stack ", fault);
    if (infos[i] < 0) refuse_status("cuSOLVER", op_, infos[i]);
  }
}

void StackCall::require(int status, std::string_view action) const {
  if (status != 0) [[unlikely]]
    refuse_status("cuSOLVER", action, status);
}

}  // namespace dyad::cuda
