#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/intrusive.h"
#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// Where the host's program asked for a kernel. It is kept as it is found, and told only when there is a
/// fault.
class LaunchPlace : public RefCounted {
 public:
  struct Told {
    std::string called;  ///< what the program called; empty where that is the operator itself
    std::string lines;   ///< file, line and text, as tracebacks show them
  };
  virtual Told tell() const = 0;
};
/// Who knows it: the host language. It may say nothing.
using LaunchPlaceSource = Ref<LaunchPlace> (*)();
void set_launch_place_source(LaunchPlaceSource source);

/// Where kernels of this device report bad data: memory of the host that the device can write.
/// `op` is the operator that is being launched; its name and the program's line are told when the fault is
/// found.
Fault* fault_place(int device, std::string_view op, std::uint32_t& ticket);
/// Raises the error of a kernel that met bad data since the last check. Called behind every synchronisation.
void raise_faults(int device);

}  // namespace dyad::cuda
