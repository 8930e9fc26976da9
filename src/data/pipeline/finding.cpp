#include "data/pipeline/stages.h"

#include "base/error.h"
#include "data/pipeline/columns.h"

namespace dyad::data {

namespace {

class Examined final : public OverOne {
 public:
  Examined(std::string_view name, StageRef child, TransformRef transform, std::vector<int64_t> take,
           Question question)
      : OverOne(std::move(child)),
        name_(name),
        transform_(std::move(transform)),
        take_(std::move(take)),
        question_(std::move(question)) {}
  std::string_view name() const override { return name_; }
  Draws draws() const override { return Draws::kValues; }

  void finish(Work& work) const override {
    child_->finish(work);
    const Timing timing(*this);
    Row columns = shared_columns(name_, work.row, take_);
    if (transform_) {
      Random random = work.random(place());
      transform_->apply(columns, random);
    }
    if (columns.size() != 1 && (transform_ || columns.empty()))
      runtime_error(name_, ": there are ", columns.size(), " results; it must give one");
    work.finding = question_(columns[0]);
  }

  bool finish_stacked(std::vector<Work>&, Row&) const override { return false; }

 private:
  std::string_view name_;
  TransformRef transform_;
  std::vector<int64_t> take_;
  Question question_;
};

}  // namespace

StageRef examined(std::string_view name, StageRef child, TransformRef transform, std::vector<int64_t> take,
                  Question question) {
  return std::make_shared<Examined>(name, std::move(child), std::move(transform), std::move(take),
                                    std::move(question));
}

}  // namespace dyad::data
