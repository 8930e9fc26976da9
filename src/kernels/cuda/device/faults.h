#pragma once

#include "kernels/cuda/device/intrinsics.h"
#include "runtime/cuda/fault.h"

namespace dyad::cuda::device {

/// Reports bad data, unless other was reported before.
DYAD_DEVICE_INLINE void report(Fault* fault, uint32_t ticket, FaultKind kind, int64_t value, int64_t limit) {
  auto* place = reinterpret_cast<uint32_t*>(&fault->kind);
  if (atomic_cas(place, 0u, static_cast<uint32_t>(kind)) != 0) return;
  fault->ticket = ticket;
  fault->value = value;
  fault->limit = limit;
}

/// An index counted from the front; one that is out of range is reported and read as 0.
DYAD_DEVICE_INLINE int64_t checked_index(int64_t index, int64_t size, Fault* fault, uint32_t ticket) {
  const int64_t place = index < 0 ? index + size : index;
  if (place >= 0 && place < size) return place;
  report(fault, ticket, FaultKind::kIndexRange, index, size);
  return 0;
}

}  // namespace dyad::cuda::device
