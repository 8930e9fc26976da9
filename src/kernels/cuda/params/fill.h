#pragma once

#include <cstdint>

namespace dyad::cuda {

/// One number for every element.
struct FillParams {
  void* out;
  int64_t count;
  alignas(16) char number[16];
};

}  // namespace dyad::cuda
