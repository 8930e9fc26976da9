#pragma once

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
