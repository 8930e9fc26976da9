#include "data/image/augment_policy.h"

#include <numbers>

#include "data/image/colour.h"
#include "data/image/histogram.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

using enum Change;

/// How strong the changes of a policy can be; the weakest is no change at all.
struct Strengths {
  double shear, translate_x, translate_y, rotate, factor, bits;
};

bool has_sign(Change change) { return change >= kShearX && change <= kSharpness; }

/// The magnitude at position `level` of `levels` from the weakest to the strongest.
double magnitude_of(Change change, const Strengths& strengths, int64_t level, int64_t levels) {
  const double part = static_cast<double>(level) / static_cast<double>(levels - 1);
  switch (change) {
    case kShearX:
    case kShearY:
      return part * strengths.shear;
    case kTranslateX:
      return part * strengths.translate_x;
    case kTranslateY:
      return part * strengths.translate_y;
    case kRotate:
      return part * strengths.rotate;
    case kBrightness:
    case kColor:
    case kContrast:
    case kSharpness:
      return part * strengths.factor;
    case kPosterize:
      return 8 - std::nearbyint(part * strengths.bits);
    case kSolarize:
      return 255 * (1 - part);
    default:
      return 0;
  }
}

/// Applies a change with its magnitude in a direction that is drawn.
Image change_at(const Image& image, Change change, double magnitude, const Edges& edges, Random& random) {
  const bool turn_round = has_sign(change) && random.chance(0.5);
  return changed(image, change, turn_round ? -magnitude : magnitude, edges);
}

/// The strengths of AutoAugment and RandAugment, whose translations depend on the size.
Strengths usual(const Image& image) {
  const double most = 150.0 / 331;
  return {0.3, most * static_cast<double>(image.width), most * static_cast<double>(image.height), 30, 0.9, 4};
}

constexpr Strengths kWide = {0.99, 32, 32, 135, 0.99, 6};

Image moved(const Image& image, const AffineChange& change, const Edges& edges) {
  return warped(image, affine_map(change, middle(image)), image.height, image.width, edges.sampling,
                edges.fill);
}

Edges edges_from(const Attributes& attributes) {
  const std::vector<double> fill = attributes.numbers("fill");
  return {static_cast<Sampling>(attributes.integer("sampling")), {fill.at(0), fill.at(1), fill.at(2)}};
}

/// A transform of uint8 images of three channels.
TransformRef policy(std::string name, std::function<Image(const Image&, Random&)> apply) {
  return of_each(name, [name, apply = std::move(apply)](const Item& item, Random& random) -> Item {
    const Image image = image_of(name, item);
    require_dtype(name, image, {DType::kUInt8});
    require_channels(name, image, {3});
    return apply(image, random).array;
  });
}

TransformRef make_auto_augment(const Attributes& attributes) {
  const std::span<const Subpolicy> all = learned_policy(attributes.text("policy"));
  const Edges edges = edges_from(attributes);
  return policy("AutoAugment", [all, edges](Image image, Random& random) {
    const auto chosen = static_cast<size_t>(random.integer(0, static_cast<int64_t>(all.size()) - 1));
    for (const Step& step : {all[chosen].first, all[chosen].second}) {
      if (!random.chance(step.chance)) continue;
      image = change_at(image, step.change, magnitude_of(step.change, usual(image), step.level, 10), edges,
                        random);
    }
    return image;
  });
}

Change any_but_invert(Random& random) {
  return static_cast<Change>(random.integer(0, static_cast<int64_t>(kEqualize)));
}

TransformRef make_rand_augment(const Attributes& attributes) {
  const int64_t steps = attributes.integer("steps");
  const int64_t level = attributes.integer("level");
  const int64_t levels = attributes.integer("levels");
  const Edges edges = edges_from(attributes);
  return policy("RandAugment", [=](Image image, Random& random) {
    for (int64_t i = 0; i < steps; ++i) {
      const Change change = any_but_invert(random);
      image = change_at(image, change, magnitude_of(change, usual(image), level, levels), edges, random);
    }
    return image;
  });
}

TransformRef make_trivial_augment(const Attributes& attributes) {
  const int64_t levels = attributes.integer("levels");
  const Edges edges = edges_from(attributes);
  return policy("TrivialAugmentWide", [=](const Image& image, Random& random) {
    const Change change = any_but_invert(random);
    const int64_t level = random.integer(0, levels - 1);
    return change_at(image, change, magnitude_of(change, kWide, level, levels), edges, random);
  });
}

DYAD_TRANSFORM(auto_augment, make_auto_augment);
DYAD_TRANSFORM(rand_augment, make_rand_augment);
DYAD_TRANSFORM(trivial_augment, make_trivial_augment);

}  // namespace

Image changed(const Image& image, Change change, double magnitude, const Edges& edges) {
  AffineChange place;
  switch (change) {
    case kIdentity:
      return image;
    case kShearX:
      place.shear.x = magnitude * 180 / std::numbers::pi;
      return moved(image, place, edges);
    case kShearY:
      place.shear.y = magnitude * 180 / std::numbers::pi;
      return moved(image, place, edges);
    case kTranslateX:
      place.move.x = std::trunc(magnitude);
      return moved(image, place, edges);
    case kTranslateY:
      place.move.y = std::trunc(magnitude);
      return moved(image, place, edges);
    case kRotate:
      return rotated(image, {magnitude, edges.sampling, false, nullptr, edges.fill});
    case kBrightness:
      return adjust_brightness(image, 1 + magnitude);
    case kColor:
      return adjust_saturation(image, 1 + magnitude);
    case kContrast:
      return adjust_contrast(image, 1 + magnitude);
    case kSharpness:
      return adjust_sharpness(image, 1 + magnitude);
    case kPosterize:
      return posterize(image, static_cast<int64_t>(magnitude));
    case kSolarize:
      return solarize(image, magnitude, 255);
    case kAutoContrast:
      return auto_contrast(image, 0, {});
    case kEqualize:
      return equalize(image, Levels::kScaled);
    default:
      return invert(image);
  }
}

}  // namespace dyad::data
