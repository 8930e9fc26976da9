#pragma once

#include <cstdint>

#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// Scores of classes along lines (see LineParams) and the class of each line. `log_sum`, `weight` and what is
/// summed are in the dtype in which is computed.
struct ClassLossParams {
  const void* scores;
  const int64_t* target;
  const void* weight;    ///< null for ones
  void* log_sum;         ///< read by the gradient
  void* losses;          ///< of each line
  void* counted;         ///< the weight of each line, 0 where its class is ignored
  const void* gradient;  ///< of the loss: one number, or one for each line where `each`
  const void* total;     ///< by which the gradient of a mean is divided; null for a sum
  void* out;
  int64_t outer;
  int64_t count;
  int64_t inner;
  int64_t ignored;
  double smoothing;
  bool normalize;
  bool each;
  Fault* fault;
  uint32_t ticket;
};

/// Sums of the losses and weights of all lines, by one block.
struct LossTotalParams {
  const void* losses;
  const void* counted;
  void* loss;  ///< null where every line keeps its own
  void* total;
  int64_t lines;
  uint32_t loss_dtype;
  bool mean;
};

/// Scores and probabilities of classes along lines.
struct DistributionLossParams {
  const void* scores;
  const void* target;
  void* log_sum;
  void* out;
  const void* gradient;
  int64_t outer;
  int64_t count;
  int64_t inner;
};

}  // namespace dyad::cuda
