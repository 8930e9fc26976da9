#pragma once

#include <string>

#include "ir/graph.h"

namespace dyad::ir {

/// The text of a module, which `parse` reads back:
///
///     func @main(%x: float32[2, n], state %w: float32[n]) -> (%2, state %w = %1) {
///       %1: float32[n] = mul(%w, other=2.0) at "net.py":3:8
///       %2: float32[2, n] = add(%x, %1)
///     }
///
/// Values are called as the program calls them, or numbered.
std::string print(const Module& module);
std::string print(const Function& function);

/// Who reads a constant that lies on a device: gives a copy in host memory.
using HostReader = Value (*)(const ValueImpl& constant);
void set_host_reader(HostReader reader);

}  // namespace dyad::ir
