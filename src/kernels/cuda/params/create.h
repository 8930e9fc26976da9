#pragma once

#include <cstdint>

namespace dyad::cuda {

/// first + i * step, as an integer or as a real number; element `last` is `end` where `ends`.
struct SequenceParams {
  void* out;
  int64_t count;
  uint32_t dtype;
  uint32_t ends;
  int64_t first_integer;
  int64_t step_integer;
  double first;
  double step;
  double end;
};

/// Ones on the diagonal of a matrix.
struct EyeParams {
  void* out;
  int64_t count;
  int64_t columns;
  alignas(16) char one[16];
};

/// Rows, then columns, of the `count` places in a triangle of a matrix, row by row; those of the first row
/// that has any begin with row `first`.
struct TriangleParams {
  void* out;
  int64_t count;
  uint32_t dtype;
  uint32_t upper;
  int64_t columns;
  int64_t offset;
  int64_t first;
  int64_t last;
};

/// One number for every element.
struct FillParams {
  void* out;
  int64_t count;
  alignas(16) char number[16];
};

}  // namespace dyad::cuda
