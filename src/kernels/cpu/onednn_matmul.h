#pragma once

#include "kernels/cpu/gemm.h"

namespace dyad::kernels::onednn {

/// Whether the library takes this product and is worth its call: a single large one, of float32 or bfloat16
/// matrices that are contiguous along rows or along columns.
bool takes(const MatrixProducts& product);
void multiply(const MatrixProducts& product);

}  // namespace dyad::kernels::onednn
