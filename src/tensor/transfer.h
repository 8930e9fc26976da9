#pragma once

#include "tensor/tensor.h"

namespace dyad {

/// A tensor in host memory with the elements of `tensor`; itself where it lies there. Waits for the device.
Tensor on_host(const ValueImpl& tensor);
/// A tensor on `device` with the elements of `tensor`, which may be changed as soon as this returns; another
/// view of it where it lies there.
Tensor on_device(const ValueImpl& tensor, Device device);
/// The calling thread's stream uses the tensor's memory, which may be another stream's.
void note_use(const ValueImpl& tensor);
/// Overwrites the elements of a contiguous tensor on any device with those of a contiguous one in host
/// memory.
void write_from_host(const ValueImpl& target, const ValueImpl& source);

}  // namespace dyad
