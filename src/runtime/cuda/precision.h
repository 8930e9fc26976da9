#pragma once

namespace dyad::cuda {

/// What of float32 may round its operands to TF32, 10 bits of mantissa, for the tensor cores; nothing unless
/// it is switched on.
struct Tf32 {
  bool products = false;
  bool convolutions = false;
};
Tf32 allow_tf32();
void set_allow_tf32(Tf32 allowed);

}  // namespace dyad::cuda
