#pragma once

#include "data/pipeline/stages.h"

namespace dyad::data {

/// Reads the one result of a transform as a number.
using Question = std::function<int64_t(const Item& answer)>;

/// Finishes rows and notes what a transform of some of their columns says about them, as `Work::finding`.
/// Without a transform, `question` is asked about the first of the columns itself.
StageRef examined(std::string_view name, StageRef child, TransformRef transform, std::vector<int64_t> take,
                  Question question);

}  // namespace dyad::data
