#pragma once

#include <cstdint>

#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// Numbers drawn from the stream of (seed, position); `low` and `span` are those of a uniform distribution.
struct RandomParams {
  void* out;
  int64_t count;
  uint64_t seed;
  uint64_t position;
  double low;
  double span;
};

/// Integers from `low` on, of `span` values.
struct RandomIntegerParams {
  void* out;
  int64_t count;
  uint64_t seed;
  uint64_t position;
  int64_t low;
  uint64_t span;
};

/// What is kept of `in`, scaled, and a mask of it.
struct DropoutParams {
  void* out;
  bool* kept;
  const void* in;
  int64_t count;
  uint64_t seed;
  uint64_t position;
  uint32_t limit;
  double scale;
};

/// Draws that take an unknown number of tries each: element i has the parameter i % parameter_count, or all
/// have the bounds `low` and `high`.
struct TriesParams {
  double* out;
  int64_t count;
  uint64_t seed;
  uint64_t position;
  const double* parameters;
  int64_t parameter_count;
  double low;
  double high;
  Fault* fault;
  uint32_t ticket;
};

inline constexpr uint32_t kMultinomialThreads = 256;

/// Columns drawn in proportion to the weights of each row. Without replacement `left_over` is memory for what
/// is not drawn yet.
struct MultinomialParams {
  int64_t* out;
  const double* weights;
  double* left_over;
  int64_t rows;
  int64_t columns;
  int64_t samples;
  uint64_t seed;
  uint64_t position;
  Fault* fault;
  uint32_t ticket;
};

}  // namespace dyad::cuda
