#include "runtime/context.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "runtime/device.h"

namespace dyad {

Context& Context::process() {
  static Context context;
  return context;
}

std::vector<std::string_view> Context::available_targets() const {
  std::vector<std::string_view> names = {device_name(DeviceKind::kCpu)};
  DeviceRuntime* cuda = find_device_runtime(DeviceKind::kCuda);
  if (cuda && cuda->count() > 0) names.push_back(device_name(DeviceKind::kCuda));
  return names;
}

Device Context::find_device(std::string_view reader, std::string_view target, int index) {
  if (target == device_name(DeviceKind::kCpu)) return {};
  DeviceRuntime* cuda =
      target == device_name(DeviceKind::kCuda) ? find_device_runtime(DeviceKind::kCuda) : nullptr;
  const int count = cuda ? cuda->count() : 0;
  if (index >= 0 && index < count) {
    uses_devices_.store(true);
    return {DeviceKind::kCuda, static_cast<int8_t>(index)};
  }
  if (count > 0) {
    value_error(reader, ": there is no GPU ", index, "; the GPUs of this machine are 0 to ", count - 1);
  }
  std::string listed;
  for (std::string_view name : available_targets()) listed += cat(listed.empty() ? "" : ", ", name);
  const std::string cause = cuda ? cat(" (", cuda->missing(), ")") : "";
  runtime_error(reader, ": the target '", target, "' is not available on this machine", cause,
                "; available: ", listed);
}

Device Context::named_device(std::string_view reader, std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  std::string target(text.substr(0, colon));
  for (char& letter : target) letter = static_cast<char>(letter & ~0x20);
  if (target == "CUDA") target = "GPU";
  int index = 0;
  const bool numbered = colon < text.size();
  const char* end = text.data() + text.size();
  const bool valid = !numbered || (std::from_chars(text.data() + colon + 1, end, index).ptr == end &&
                                   colon + 1 < text.size());
  std::string listed;
  for (std::string_view name : available_targets()) {
    if (valid && name == target) return find_device(reader, target, index);
    listed += cat(listed.empty() ? "'" : ", '", name, "'");
  }
  value_error(reader, ": device is '", text, "'; the devices here are ", listed);
}

void Context::set_device(std::string_view target, int index) {
  const Device device = find_device("set_device", target, index);
  device_.store(device);
  announce_chosen_device(device);
}

}  // namespace dyad
