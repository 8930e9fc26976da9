#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "ops/op.h"
#include "runtime/context.h"
#include "types/device.h"

namespace dyad::eager {

/// Whether operands may lie elsewhere than on the CPU; while no other device was ever chosen, nothing more is
/// asked.
inline bool devices_in_use() { return Context::process().uses_devices(); }

/// The device on which an operator runs: that of its operands, or the chosen one where it has no tensors.
/// Tensors of one element in host memory join the others; any other mixture is an error that names both.
Device device_of(const Op& op, std::span<const Arg> args);

/// While one lives, what operators of this thread make of no tensor lies on its device, not on the chosen
/// one: what the body of an operator or a gradient rule makes lies where their operands do.
class DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(Device device);
  /// Of the first tensor with data among these; a single number in host memory counts where there is no
  /// other.
  explicit DefaultDeviceScope(std::span<const Arg> args) {
    if (devices_in_use()) [[unlikely]]
      find(args);
  }
  explicit DefaultDeviceScope(std::span<const Value> values) {
    if (devices_in_use()) [[unlikely]]
      find(values);
  }
  ~DefaultDeviceScope() {
    if (set_) [[unlikely]]
      restore();
  }
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  void find(std::span<const Arg> args);
  void find(std::span<const Value> values);
  bool found(const Value& value);
  void restore() const;

  std::optional<Device> before_;
  bool set_ = false;
};

/// Whether every operator waits for its device, so that an error is raised by the statement that caused it.
extern std::atomic<bool> launch_blocking;
inline bool launches_block() { return launch_blocking.load(std::memory_order_relaxed); }
/// Waits for the device, unless it is the CPU, where an operator is done when it returns.
void wait_for(Device device);
/// The tensors of a call are used on the current stream.
void note_uses(std::span<const Arg> args, std::span<ValueImpl* const> results);

/// Runs an operator that brings its first argument to the device that its second one names.
Value run_transfer(const Op& op, std::span<const Arg> args);

/// The arguments of an operator that runs on `device`, those that joined from the host copied there.
class Placed {
 public:
  Placed(const Op& op, std::span<const Arg> args, Device device);
  std::span<const Arg> args() const { return moved_.empty() ? given_ : moved_; }

 private:
  std::span<const Arg> given_;
  std::vector<Arg> moved_;
};

}  // namespace dyad::eager
