#pragma once

#include <span>

#include "data/image/geometry.h"

namespace dyad::data {

/// What a policy may do to an image.
enum class Change {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColor,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutoContrast,
  kEqualize,
  kInvert,
};

/// How pixels between pixels and outside of the image are made.
struct Edges {
  Sampling sampling = Sampling::kNearest;
  Fill fill{};
};

/// Applies a change to a uint8 image of three channels. The magnitude is an angle in radians (shear), a
/// number of pixels, an angle in degrees (rotation), the difference of a factor from 1, a number of bits or a
/// threshold.
Image changed(const Image& image, Change change, double magnitude, const Edges& edges);

/// One step of a learned policy: a change, its probability, and its level from 0 to 9.
struct Step {
  Change change;
  double chance;
  int level;
};

/// Two steps, one after the other.
struct Subpolicy {
  Step first;
  Step second;
};

/// The 25 subpolicies that AutoAugment learned from a data set: "imagenet", "cifar10" or "svhn".
std::span<const Subpolicy> learned_policy(std::string_view name);

}  // namespace dyad::data
