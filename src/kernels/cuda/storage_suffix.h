#pragma once

#include "types/dtype.h"

namespace dyad::cuda {

/// The letters behind a kernel's name that say in which dtype its elements are stored: "_float32".
const char* storage_suffix(DType dtype);

}  // namespace dyad::cuda
