#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Rows of `count` elements that are normalised each by itself. `means` and `scales` are in the dtype in
/// which is computed, as are weight and bias; those that are null stand for ones and zeros.
struct RowNormParams {
  void* out;
  void* means;  ///< null for normalisation by the root mean square
  void* scales;
  const void* in;
  const void* weight;
  const void* bias;
  int64_t rows;
  int64_t count;
  double epsilon;
};

/// Gradients of rows that were normalised, and of weight and bias.
struct RowNormGradParams {
  void* out;
  const void* gradient;
  const void* in;
  const void* means;
  const void* scales;
  const void* weight;
  int64_t rows;
  int64_t count;
  void* partial;  ///< (chunks, 2, count): sums of the gradients of weight and bias over a chunk of rows
  int64_t chunks;
};

/// Adds up what chunks of rows gave.
struct ColumnSumParams {
  const void* partial;  ///< (chunks, 2, count)
  void* first;
  void* second;
  int64_t chunks;
  int64_t count;
};

/// A tensor (samples, channels, places) that is normalised over all elements of a channel. `partial` holds
/// two sums for each of `chunks` parts of a channel: (channels, chunks, 2), float64.
struct ChannelNormParams {
  void* out;
  void* means;
  void* variances;
  const void* gradient;
  const void* in;
  const void* mean;
  const void* variance;
  const void* weight;
  const void* bias;
  void* weight_out;
  void* bias_out;
  double* partial;
  int64_t samples;
  int64_t channels;
  int64_t places;
  int64_t chunks;
  double epsilon;
};

}  // namespace dyad::cuda
