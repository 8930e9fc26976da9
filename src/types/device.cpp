#include "types/device.h"

namespace dyad {

std::string_view device_name(DeviceKind kind) { return kind == DeviceKind::kCpu ? "CPU" : "GPU"; }

}  // namespace dyad
