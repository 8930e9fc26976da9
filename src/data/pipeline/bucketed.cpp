#include <algorithm>

#include "base/error.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

/// Collects finished rows by length. A bucket that is full is the next batch; at the end come the remainders.
class Bucketed final : public OverOne {
 public:
  Bucketed(StageRef child, Bucketing bucketing)
      : OverOne(std::move(child)), bucketing_(std::move(bucketing)), buckets_(bucketing_.sizes.size()) {
    if (bucketing_.sizes.size() != bucketing_.boundaries.size() + 1)
      value_error("bucket_batch_by_length: there are ", bucketing_.sizes.size(), " batch sizes and ",
                  bucketing_.boundaries.size(), " boundaries; need one more size than boundaries");
    for (const int64_t size : bucketing_.sizes) {
      if (size < 1) value_error("bucket_batch_by_length: a batch size is ", size, "; need at least 1");
    }
  }
  std::string_view name() const override { return "bucketed"; }

  void begin(int64_t epoch) override {
    OverOne::begin(epoch);
    for (auto& bucket : buckets_) bucket.clear();
    stream_ = epoch_random(epoch).key();
    next_ = 0;
    emptied_ = 0;
  }

  bool claim(Work& work) override {
    Work row;
    while (emptied_ == 0 && child_->claim(row)) {
      const size_t at = bucket_of(row.finding);
      buckets_[at].push_back(std::move(row));
      row = {};
      if (buckets_[at].size() == static_cast<size_t>(bucketing_.sizes[at])) return hand_out(at, work);
    }
    if (bucketing_.drop_remainder) return false;
    while (emptied_ < buckets_.size()) {
      const size_t at = emptied_++;
      if (!buckets_[at].empty()) return hand_out(at, work);
    }
    return false;
  }

  void finish(Work& work) const override {
    const Timing timing(*this);
    const std::optional<std::vector<Padding>> padding = padding_of(work.branch);
    Stack stack("bucket_batch_by_length", work.parts.size(), padding ? &*padding : nullptr, bucketing_.names);
    for (Work& part : work.parts) stack.add(std::move(part.row));
    work.row = stack.finish();
    work.parts.clear();
  }

  bool finish_stacked(std::vector<Work>&, Row&) const override { return false; }

 private:
  size_t bucket_of(int64_t length) const {
    const auto& ends = bucketing_.boundaries;
    return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), length) - ends.begin());
  }

  bool hand_out(size_t at, Work& work) {
    work.parts = std::move(buckets_[at]);
    buckets_[at].clear();
    work.branch = at;
    work.stream = stream_;
    work.number = next_++;
    return true;
  }

  std::optional<std::vector<Padding>> padding_of(size_t bucket) const {
    if (!bucketing_.padding || !bucketing_.to_boundary) return bucketing_.padding;
    if (bucket == bucketing_.boundaries.size())
      runtime_error("bucket_batch_by_length: a row is as long as the last boundary, ",
                    bucketing_.boundaries.empty() ? 0 : bucketing_.boundaries.back(),
                    ", or longer; with pad_to_bucket_boundary all rows need to be shorter");
    std::vector<Padding> padding = *bucketing_.padding;
    for (Padding& column : padding) {
      if (!column.shape) continue;
      for (int64_t& size : *column.shape) size = size < 0 ? bucketing_.boundaries[bucket] - 1 : size;
    }
    return padding;
  }

  Bucketing bucketing_;
  std::vector<std::vector<Work>> buckets_;
  size_t emptied_ = 0;  ///< buckets whose remainders are out; above 0 at the end of the epoch only
  uint64_t stream_ = 0;
  int64_t next_ = 0;
};

}  // namespace

StageRef bucketed(StageRef child, Bucketing bucketing) {
  const bool by_transform = bucketing.length != nullptr;
  const Question question = [by_transform](const Item& answer) {
    if (by_transform)
      return item(*answer.tensor("bucket_batch_by_length"), "bucket_batch_by_length").to_int();
    const Shape& shape = answer.shape("bucket_batch_by_length");
    if (shape.empty())
      runtime_error("bucket_batch_by_length: the column has no dimension; give an element_length_function");
    return shape[0].value();
  };
  StageRef measured = examined("length", std::move(child), bucketing.length, bucketing.take, question);
  return std::make_shared<Bucketed>(parallel(std::move(measured)), std::move(bucketing));
}

}  // namespace dyad::data
