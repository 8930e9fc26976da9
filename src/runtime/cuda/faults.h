#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// Where kernels of this device report bad data: memory of the host that the device can write.
/// `op` is the operator that is being launched; its name and the program's line are told when the fault is
/// found.
Fault* fault_place(int device, std::string_view op, std::uint32_t& ticket);
/// Raises the error of a kernel that met bad data since the last check. Called behind every synchronisation.
void raise_faults(int device);

}  // namespace dyad::cuda
