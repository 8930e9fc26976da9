#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "passes/hoist_weight_preprocessing.h"
#include "program/program.h"
#include "tensor/exposure.h"

namespace dyad::program {

/// Values that a program computes from Parameters alone (passes/hoist_weight_preprocessing.h), computed when
/// a run needs them and kept until one of the Parameters is another memory or was written: by an operator, by
/// a program, or from outside, through an array that lies over it. A Parameter that an array lies over right
/// now may change at any moment: then the values are computed for every run. Several threads may ask at once;
/// who got values keeps them however the Parameters change meanwhile.
class PreprocessedWeights {
 public:
  PreprocessedWeights(passes::Preparation preparation, bool planned);

  size_t count() const { return count_; }
  /// The values for a run with these inputs, which are those of the whole program, tokens included.
  std::shared_ptr<const std::vector<Arg>> values(std::span<const Arg> inputs, Host& host);

 private:
  /// Values, and what they were computed from.
  struct Kept {
    std::vector<StorageWatch> watches;
    std::vector<const void*> places;  ///< where each source began
    std::shared_ptr<const std::vector<Arg>> values;
  };
  bool holds(const Kept& kept, std::span<const Arg> inputs) const;

  std::vector<uint32_t> sources_;
  size_t count_;
  Ref<Program> program_;
  std::mutex guard_;
  std::shared_ptr<const Kept> kept_;
};

/// What the programs of one graph for several sizes prepare from its Parameters. Weights do not depend on
/// sizes: mostly all of them prepare the same, and share the values.
class Preparations {
 public:
  std::shared_ptr<PreprocessedWeights> of(passes::Preparation preparation, bool planned);

 private:
  /// What has the same text and the same sources computes the same.
  struct Known {
    std::string text;
    std::vector<uint32_t> sources;
    std::weak_ptr<PreprocessedWeights> weights;
  };
  std::mutex guard_;
  std::vector<Known> known_;
};

}  // namespace dyad::program
