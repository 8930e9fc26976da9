#include "data/pipeline/stage.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::data {

void Stage::join(Run& run) {
  if (number_ >= 0) raise(ErrorKind::kInternal, cat("stage ", name(), " is part of a pipeline already"));
  seed_ = run.seed;
  // From the sources up: the random numbers of a stage do not depend on what is done with its rows.
  for (Stage* child : children()) {
    child->join(run);
    orders_ = std::max(orders_, child->orders_);
    values_ = std::max(values_, child->values_);
  }
  number_ = run.stages++;
  const Draws kind = draws();
  place_ = !run.seed_is_set ? number_ : kind == Draws::kOrder ? 2 * orders_ + 1 : 2 * values_;
  if (kind == Draws::kOrder) ++orders_;
  if (kind == Draws::kValues) ++values_;
}

bool Stage::finish_stacked(std::vector<Work>&, Row&) const { return false; }

std::string Stage::origin(const Work&) const { return {}; }

void Stage::stop() {
  for (Stage* child : children()) child->stop();
}

Random Stage::epoch_random(int64_t epoch) const {
  return Random(Random::mix(seed_, static_cast<uint64_t>(place_))).part(static_cast<uint64_t>(epoch));
}

}  // namespace dyad::data
