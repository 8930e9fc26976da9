#include "runtime/kernel.h"

#include <map>
#include <string>

#include "base/error.h"

namespace dyad {

namespace {
using Key = std::pair<std::string, DeviceKind>;
std::map<Key, Kernel>& kernels() {
  static std::map<Key, Kernel> table;
  return table;
}
}  // namespace

KernelRegistry& KernelRegistry::instance() {
  static KernelRegistry registry;
  return registry;
}

void KernelRegistry::add(std::string_view op, DeviceKind device, KernelFunction run, const void* payload) {
  if (!kernels().emplace(Key(op, device), Kernel{run, payload}).second) {
    raise(ErrorKind::kInternal, cat("internal error: two kernels of ", op, " for ", device_name(device)));
  }
}

Kernel KernelRegistry::find(std::string_view op, DeviceKind device) const {
  auto at = kernels().find(Key(op, device));
  return at == kernels().end() ? Kernel{} : at->second;
}

}  // namespace dyad
