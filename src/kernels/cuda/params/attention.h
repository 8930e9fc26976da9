#pragma once

#include <cstdint>

#include "kernels/cuda/params/strided.h"

namespace dyad::cuda {

/// Scores of queries against keys, (stack, queries, keys), which become weights in their place.
struct AttentionParams {
  void* scores;
  const void* mask;  ///< is added to the scores; null where there is none
  int64_t lines;     ///< of scores: stack * queries
  int64_t queries;
  int64_t keys;
  int64_t first;               ///< the number of the first query
  int64_t mask_step;           ///< from key to key
  StridedIndex<1> mask_lines;  ///< where the mask of a line begins
  bool causal;                 ///< whether keys behind a query are hidden from it
};

}  // namespace dyad::cuda
