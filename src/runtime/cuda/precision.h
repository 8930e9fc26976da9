#pragma once

namespace dyad::cuda {

/// Whether products and convolutions of float32 may round their operands to TF32, 10 bits of mantissa, for
/// the tensor cores; off unless it is switched on.
bool allow_tf32();
void set_allow_tf32(bool on);

}  // namespace dyad::cuda
