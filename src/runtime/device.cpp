#include "runtime/device.h"

#include <array>

#include "base/error.h"

namespace dyad {

std::atomic<bool> streams_opened{false};

namespace {
std::array<std::unique_ptr<DeviceRuntime>, kDeviceKindCount>& runtimes() {
  static std::array<std::unique_ptr<DeviceRuntime>, kDeviceKindCount> table;
  return table;
}

std::array<void (*)(int index), kDeviceKindCount>& chosen_actions() {
  static std::array<void (*)(int index), kDeviceKindCount> table{};
  return table;
}

std::array<void (*)(), kDeviceKindCount>& last_actions() {
  static std::array<void (*)(), kDeviceKindCount> table{};
  return table;
}
}  // namespace

void add_device_runtime(DeviceKind kind, std::unique_ptr<DeviceRuntime> runtime) {
  runtimes()[static_cast<size_t>(kind)] = std::move(runtime);
}

void when_device_chosen(DeviceKind kind, void (*run)(int index)) {
  chosen_actions()[static_cast<size_t>(kind)] = run;
}

void announce_chosen_device(Device device) {
  if (auto* run = chosen_actions()[static_cast<size_t>(device.kind)]) run(device.index);
}

void when_program_ends(DeviceKind kind, void (*run)()) { last_actions()[static_cast<size_t>(kind)] = run; }

void announce_end_of_program() {
  for (auto* run : last_actions()) {
    if (run) run();
  }
}

DeviceRuntime* find_device_runtime(DeviceKind kind) { return runtimes()[static_cast<size_t>(kind)].get(); }

DeviceRuntime& runtime_of(Device device) {
  DeviceRuntime* runtime = find_device_runtime(device.kind);
  DYAD_ASSERT(runtime);
  return *runtime;
}

}  // namespace dyad
