#include "base/error.h"
#include "data/pipeline/columns.h"
#include "data/pipeline/finish_rows.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

class Batched final : public OverOne {
 public:
  Batched(StageRef child, Batching batching)
      : OverOne(std::move(child)), batching_(std::move(batching)), size_(batching_.size) {
    if (!batching_.size_function) require_size(size_);
  }
  std::string_view name() const override { return "batched"; }
  Draws draws() const override { return batching_.transform ? Draws::kValues : Draws::kNothing; }

  void begin(int64_t epoch) override {
    OverOne::begin(epoch);
    stream_ = epoch_random(epoch).key();
    epoch_ = epoch;
    next_ = 0;
  }

  bool claim(Work& work) override {
    if (batching_.size_function) require_size(size_ = batching_.size_function(epoch_, next_));
    work.parts.clear();
    // A batch may be meant to hold all rows, however many there are.
    work.parts.reserve(static_cast<size_t>(std::min(size_, int64_t{1} << 16)));
    for (int64_t i = 0; i < size_; ++i) {
      work.parts.emplace_back();
      if (child_->claim(work.parts.back())) continue;
      work.parts.pop_back();
      break;
    }
    const auto rows = static_cast<int64_t>(work.parts.size());
    if (rows == 0 || (rows < size_ && batching_.drop_remainder)) return false;
    work.stream = stream_;
    work.number = next_++;
    work.index = epoch_;
    return true;
  }

  void finish(Work& work) const override {
    if (batching_.transform) {
      finish_by_transform(work);
    } else if (batching_.padding || !child_->finish_stacked(work.parts, work.row)) {
      Stack stack = empty_stack(work.parts.size());
      finish_rows(*child_, work.parts, [&](Work& part) {
        const Timing timing(*this, 0);
        stack.add(std::move(part.row));
      });
      const Timing timing(*this, 0);
      work.row = stack.finish();
    }
    work.parts.clear();
    count(1);
  }

  bool finish_stacked(std::vector<Work>&, Row&) const override { return false; }

 private:
  static void require_size(int64_t size) {
    if (size < 1) runtime_error("batch: batch_size is ", size, "; need at least 1");
  }

  Stack empty_stack(size_t rows) const {
    return Stack("batch", rows, batching_.padding ? &*batching_.padding : nullptr, batching_.names);
  }

  /// The transform gets its columns as lists; the others are stacked.
  void finish_by_transform(Work& work) const {
    std::vector<Row> lists(batching_.columns.take.size());
    Stack stack = empty_stack(work.parts.size());
    finish_rows(*child_, work.parts, [&](Work& part) {
      Row given = taken_columns("batch", part.row, batching_.columns.take);
      for (size_t i = 0; i < lists.size(); ++i) lists[i].push_back(std::move(given[i]));
      stack.add(std::move(part.row));
    });
    const Timing timing(*this, 0);
    Row made;
    for (Row& list : lists) made.push_back(batching_.as_list(std::move(list)));
    made.push_back(place_of(work));
    Random random = work.random(place());
    batching_.transform->apply(made, random);
    work.row = arranged("batch", std::move(made), stack.finish(), batching_.columns);
  }

  /// Which batch it is: its epoch and its number.
  static Item place_of(const Work& work) {
    Tensor place = empty(DType::kInt64, {2});
    place->as<int64_t>()[0] = work.index;
    place->as<int64_t>()[1] = work.number;
    return place;
  }

  Batching batching_;
  int64_t size_;
  uint64_t stream_ = 0;
  int64_t epoch_ = 0;
  int64_t next_ = 0;
};

}  // namespace

StageRef batched(StageRef child, Batching batching) {
  return std::make_shared<Batched>(std::move(child), std::move(batching));
}

}  // namespace dyad::data
