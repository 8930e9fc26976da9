#pragma once

#include <cstdint>

namespace dyad::cuda {

inline constexpr uint32_t kSortTile = 1024;  ///< elements that a block sorts in shared memory

/// Lines of a contiguous tensor as keys that order as its elements do, with the places they came from. A line
/// is filled up to `padded` elements, a power of two, with keys that come last.
struct SortKeysParams {
  const void* in;
  uint64_t* keys;
  uint32_t* places;
  int64_t lines;
  int64_t count;
  int64_t inner;
  int64_t padded;
  uint32_t descending;
};

/// Steps of a bitonic sort: stages `first` to `last`, each a power of two; `distance` is that of one step.
struct SortParams {
  uint64_t* keys;
  uint32_t* places;
  int64_t elements;  ///< of all lines
  int64_t padded;
  int64_t first;
  int64_t last;
  int64_t distance;
};

/// The first `take` elements of each sorted line.
struct SortedParams {
  const void* in;
  const uint32_t* places;
  void* values;
  void* index;
  uint32_t index_dtype;
  int64_t lines;
  int64_t count;
  int64_t inner;
  int64_t padded;
  int64_t take;
};

/// Where numbers belong in sorted rows of `length`: `per_row` numbers to each row, or all to one.
struct SearchParams {
  const double* sorted;
  const double* wanted;
  void* out;
  uint32_t dtype;
  uint32_t right;  ///< behind equal numbers
  int64_t count;
  int64_t length;
  int64_t per_row;  ///< 0: there is one row
};

}  // namespace dyad::cuda
