#pragma once

#include <cstdint>
#include <string_view>

namespace dyad {

/// The kinds of device that there is a name for.
enum class DeviceKind : uint8_t { kCpu, kCuda };
inline constexpr int kDeviceKindCount = 2;

/// A place where data lives and kernels run.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int8_t index = 0;
  bool operator==(const Device&) const = default;
};

/// "CPU", "GPU".
std::string_view device_name(DeviceKind kind);

}  // namespace dyad
