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
  kStepRange,   ///< step `value` of a list of `limit` learning rates
  kAlpha,       ///< an alpha, the double with the bits of `value`, that is not above 0
  kRate,        ///< a rate, the double with the bits of `value`, that is not 0 or more
  kWeight,      ///< a weight, the double with the bits of `value`, in row `limit` that is none
  kNoWeight,    ///< no weight of row `value` is above 0
  kFewWeights,  ///< only `limit` weights of row `value` are above 0
};

/// The first thing that kernels of a device met since the host last looked.
struct Fault {
  FaultKind kind;
  uint32_t ticket;  ///< of the launch
  int64_t value;
  int64_t limit;
};

}  // namespace dyad::cuda
