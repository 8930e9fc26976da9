#pragma once

#include <cstdint>

#include "types/scalar.h"
#include "types/value.h"

namespace dyad::kernels {

/// Repeats one element of `bytes` bytes `count` times; as fast as memory takes it.
void repeat_element(const void* element, int64_t bytes, int64_t count, void* to);

/// Writes one number to every element of a contiguous value, on several cores if it is large.
void fill(ValueImpl& out, Scalar number);

}  // namespace dyad::kernels
