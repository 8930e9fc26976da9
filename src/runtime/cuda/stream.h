#pragma once

#include "runtime/cuda/driver.h"

namespace dyad::cuda {

/// The stream on which the calling thread's work on the device runs. Every thread begins with the device's
/// default stream, which all of them share.
StreamHandle current_stream(int device);
/// Makes `stream` that of the calling thread; null is the default stream again.
void set_current_stream(int device, StreamHandle stream);
StreamHandle default_stream(int device);

}  // namespace dyad::cuda
