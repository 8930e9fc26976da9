#pragma once

#include <span>

#include "runtime/kernel.h"

namespace dyad {

/// Computes a call whose tensors lie on another device with the operator's kernel for the CPU: operands are
/// copied to the host, results and the arguments at `updates`, which the operator changes, back. A warning,
/// once for each operator, says so.
void run_on_host(const KernelCall& call, std::span<const int> updates = {});

/// What is told of an operator that takes this way; the host language shows it as a warning.
using HostRouteNotice = void (*)(std::string_view message);
void set_host_route_notice(HostRouteNotice notice);

}  // namespace dyad
