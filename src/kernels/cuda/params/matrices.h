#pragma once

#include <cstdint>

namespace dyad::cuda {

/// A stack of contiguous square matrices.
struct SymmetrizeParams {
  const void* from;
  void* to;
  int64_t count;
  int64_t rows;
};

/// A stack of contiguous matrices of which one triangle becomes zero: what is below the diagonal, or above.
struct ClearTriangleParams {
  void* matrices;
  int64_t count;
  int64_t rows;
  int64_t columns;
  bool below;
};

/// The first `pairs` columns of two stacks of matrices, row by row, each column of the one with that of the
/// other. `second` may be null.
struct ChoosePhaseParams {
  void* first;
  void* second;
  int64_t count;
  int64_t pairs;
  int64_t first_rows;
  int64_t first_columns;
  int64_t second_rows;
  int64_t second_columns;
};
inline constexpr unsigned kPhaseThreads = 128;

/// Factors of matrices: the upper one's diagonal, and which rows were exchanged, counted from 1.
struct LogDeterminantParams {
  const void* factors;
  const int64_t* exchanges;
  const int* failures;  ///< of a matrix, 0 where it is not singular
  void* sign;
  void* logarithm;
  int64_t count;
  int64_t rows;
};

}  // namespace dyad::cuda
