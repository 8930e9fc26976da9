#pragma once

#include <optional>
#include <string>

#include "data/image/normalize_kernels.h"
#include "data/rows/transform.h"

namespace dyad::data {

/// A change of each element and of where the channels are, in one pass over the image: `Rescale`,
/// `Normalize`, `HWC2CHW` and `ToTensor` are such, and so are chains of them.
struct PixelMap {
  std::string name;                   ///< of the public class
  std::optional<Affine> affine = {};  ///< none: the elements stay as they are
  bool planes_in = false;             ///< the channels come first before
  bool to_planes = false;             ///< the channels come first after
  bool adds_channel = false;          ///< an image of two dimensions becomes one of three
  int64_t least_rank = 0;             ///< of the array
  int64_t most_rank = 1 << 20;

  Item operator()(const Item& item) const;
};

/// The map that does `first` and then `next`, if one pass can.
std::optional<PixelMap> joined(const PixelMap& first, const PixelMap& next);

/// The transform of one column that a map is.
TransformRef pixel_transform(PixelMap map);

}  // namespace dyad::data
