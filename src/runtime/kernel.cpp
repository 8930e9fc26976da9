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

Device KernelCall::device() const {
  if (!results_.empty()) return results_[0]->device;
  for (size_t i = 0; i < size(); ++i) {
    if (auto* value = (*this)[i].get<Value>()) return (*value)->device;
    if (auto* list = (*this)[i].get<ValueList>(); list && !list->empty() && list->front())
      return list->front()->device;
  }
  return {};
}

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
