#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

/// The leaf of a pipeline over rows by number.
class Sampled final : public Stage {
 public:
  Sampled(SourceRef source, OrderRef order) : source_(std::move(source)), order_(std::move(order)) {}
  std::string_view name() const override { return "sampled"; }
  Draws draws() const override { return Draws::kOrder; }

  void begin(int64_t epoch) override {
    const Random random = epoch_random(epoch);
    stream_ = random.key();
    indices_ = order_->choose(source_->size(), random.part(0), epoch);
    next_ = 0;
  }

  bool claim(Work& work) override {
    if (next_ >= indices_.size()) return false;
    work.stream = stream_;
    work.number = next_;
    work.index = indices_[next_++];
    return true;
  }

  void finish(Work& work) const override {
    const Timing timing(*this);
    work.row = source_->read(work.index);
  }

  bool finish_stacked(std::vector<Work>& rows, Row& columns) const override {
    std::vector<int64_t> indices;
    indices.reserve(rows.size());
    for (const Work& row : rows) indices.push_back(row.index);
    const Timing timing(*this, 0);
    if (!source_->read_stacked(indices, columns)) return false;
    count(static_cast<int64_t>(rows.size()));
    return true;
  }

  std::string origin(const Work& work) const override { return source_->origin(work.index); }

 private:
  SourceRef source_;
  OrderRef order_;
  Indices indices_{0, 0};
  uint64_t stream_ = 0;
  int64_t next_ = 0;
};

}  // namespace

StageRef sampled(SourceRef source, OrderRef order) {
  return std::make_shared<Sampled>(std::move(source), std::move(order));
}

}  // namespace dyad::data
