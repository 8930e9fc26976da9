#pragma once

// What a kernel on the device writes when it meets data that it cannot work with. Read by the host and by
// device code alike.

#include <cstdint>

namespace dyad::cuda {

/// What a kernel can meet.
enum class FaultKind : uint32_t {
  kNone,
  kIndexRange,  ///< index `value` on an axis of size `limit`
  kClassRange,  ///< class `value` of `limit` classes
  kNotFinite,   ///< a number that must be finite is not
  kSingular,    ///< a matrix without an inverse
};

/// The first thing that kernels of a device met since the host last looked.
struct Fault {
  FaultKind kind;
  uint32_t ticket;  ///< of the launch
  int64_t value;
  int64_t limit;
};

}  // namespace dyad::cuda
