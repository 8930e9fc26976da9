#include "base/error.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

/// Hands on the rows of which the stage below has found that they pass.
class Filtered final : public OverOne {
 public:
  explicit Filtered(StageRef child) : OverOne(std::move(child)) {}
  std::string_view name() const override { return "filtered"; }
  bool claim(Work& work) override {
    do {
      work = {};
      if (!child_->claim(work)) return false;
    } while (work.finding == 0);
    count(1);
    return true;
  }
};

}  // namespace

StageRef filtered(StageRef child, TransformRef predicate, std::vector<int64_t> take) {
  const Question question = [](const Item& answer) {
    const Tensor& truth = answer.tensor("filter");
    if (truth->size() != 1)
      runtime_error("filter: the predicate gave ", answer, "; it must give one truth value");
    return item(*truth, "filter").to_bool() ? int64_t{1} : int64_t{0};
  };
  StageRef judged = examined("predicate", std::move(child), std::move(predicate), std::move(take), question);
  return std::make_shared<Filtered>(parallel(std::move(judged)));
}

}  // namespace dyad::data
