#pragma once

#include <cstdint>

#include "types/value.h"

namespace dyad::kernels {

/// Converts `count` contiguous elements. Floats become integers by truncation, complex numbers lose their
/// imaginary part, anything becomes bool by comparison with zero.
using Convert = void (*)(int64_t count, const void* from, void* to);
Convert converter(DType from, DType to);

/// Moves `count` elements of `bytes` bytes each, `stride` elements apart at the source, to a contiguous
/// place.
void gather(int64_t bytes, int64_t count, const void* from, int64_t stride, void* to);
/// The reverse: contiguous elements to places `stride` elements apart.
void scatter(int64_t bytes, int64_t count, const void* from, void* to, int64_t stride);

/// Copies `from`, broadcast to the shape of `to`, into `to`, converting the dtype; strides on both sides are
/// free.
void copy(const ValueImpl& from, ValueImpl& to);

}  // namespace dyad::kernels
