#pragma once

#include <vector>

#include "data/image/image.h"

namespace dyad::data {

/// Weights of a Gaussian of deviation `sigma` at `size` (odd) points around its middle; their sum is 1.
std::vector<float> gaussian_weights(int64_t size, double sigma);

/// Each value as the weighted sum of those around it, first along columns, then along rows; beyond an edge
/// the image is mirrored without the edge itself. The numbers of weights are odd. For uint8, int16, uint16,
/// float32 and float64.
Image blurred(const Image& image, const std::vector<float>& across, const std::vector<float>& down);

}  // namespace dyad::data
