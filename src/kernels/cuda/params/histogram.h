#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Numbers that are counted in bins.
struct HistogramParams {
  const void* in;         ///< int64 numbers of bins, or float64 numbers between `low` and `high`
  const double* weights;  ///< what each one counts, or null
  void* bins;             ///< int64 counts, or float64 sums of weights
  void* bounds;           ///< the smallest and the largest number
  int64_t count;
  int64_t length;  ///< of the bins
  double low;
  double high;
};

}  // namespace dyad::cuda
