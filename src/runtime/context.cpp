#include "runtime/context.h"

#include "base/error.h"

namespace dyad {

Context& Context::process() {
  static Context context;
  return context;
}

std::vector<std::string_view> Context::available_targets() const { return {device_name(DeviceKind::kCpu)}; }

void Context::set_device(std::string_view target) {
  std::string listed;
  for (std::string_view name : available_targets()) {
    if (name == target) return;
    listed += cat(listed.empty() ? "" : ", ", name);
  }
  runtime_error("set_device: the target '", target,
                "' is not available on this machine; available: ", listed);
}

}  // namespace dyad
