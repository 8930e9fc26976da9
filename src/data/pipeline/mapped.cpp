#include "base/error.h"
#include "data/pipeline/columns.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

class Mapped final : public OverOne {
 public:
  Mapped(StageRef child, const std::vector<TransformRef>& transforms, Columns columns)
      : OverOne(std::move(child)), transforms_(in_fewer_passes(transforms)), columns_(std::move(columns)) {}
  std::string_view name() const override { return "mapped"; }
  Draws draws() const override { return Draws::kValues; }

  void finish(Work& work) const override {
    child_->finish(work);
    const Timing timing(*this);
    try {
      transform(work);
    } catch (const Error& error) {
      rethrow_with_origin(error, work);
    }
  }

  bool finish_stacked(std::vector<Work>&, Row&) const override { return false; }

 private:
  void transform(Work& work) const {
    Row made = taken_columns("map", work.row, columns_.take);
    const Random random = work.random(place());
    for (size_t i = 0; i < transforms_.size(); ++i) {
      Random numbers = random.part(i);
      transforms_[i]->apply(made, numbers);
    }
    work.row = arranged("map", std::move(made), std::move(work.row), columns_);
  }

  [[noreturn]] void rethrow_with_origin(const Error& error, const Work& work) const {
    const std::string from = child_->origin(work);
    if (from.empty() || error.message().find(from) != std::string::npos) throw;
    raise(error.kind(), cat(error.message(), "; the row is from ", from));
  }

  std::vector<TransformRef> transforms_;
  Columns columns_;
};

}  // namespace

StageRef mapped(StageRef child, const std::vector<TransformRef>& transforms, Columns columns) {
  return std::make_shared<Mapped>(std::move(child), transforms, std::move(columns));
}

}  // namespace dyad::data
