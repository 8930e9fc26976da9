#pragma once

#include <cstdint>

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

}  // namespace dyad::cuda
