#include <algorithm>

#include "base/error.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

class Shuffled final : public OverOne {
 public:
  Shuffled(StageRef child, int64_t buffer) : OverOne(std::move(child)), size_(static_cast<size_t>(buffer)) {
    if (buffer < 1) value_error("shuffle: buffer_size is ", buffer, "; need at least 1");
  }
  std::string_view name() const override { return "shuffled"; }
  Draws draws() const override { return Draws::kOrder; }

  void begin(int64_t epoch) override {
    OverOne::begin(epoch);
    buffer_.clear();
    ended_ = false;
    random_ = epoch_random(epoch);
  }

  bool claim(Work& work) override {
    fill();
    if (buffer_.empty()) return false;
    std::swap(buffer_[draw_below(random_, buffer_.size())], buffer_.back());
    work = std::move(buffer_.back());
    buffer_.pop_back();
    count(1);
    return true;
  }

 private:
  void fill() {
    while (!ended_ && buffer_.size() < size_) {
      Work next;
      ended_ = !child_->claim(next);
      if (!ended_) buffer_.push_back(std::move(next));
    }
  }

  size_t size_;
  std::vector<Work> buffer_;
  bool ended_ = false;
  Random random_{0};
};

class Repeated final : public OverOne {
 public:
  Repeated(StageRef child, int64_t count) : OverOne(std::move(child)), count_(count) {
    if (count == 0) value_error("repeat: count is 0; need at least 1, or -1 for no end");
  }
  std::string_view name() const override { return "repeated"; }

  void begin(int64_t epoch) override {
    first_ = epoch * (count_ > 0 ? count_ : int64_t{1} << 32);
    passes_ = 0;
    begin_pass();
  }

  bool claim(Work& work) override {
    while (!child_->claim(work)) {
      // A child without rows would be asked for ever.
      if (!any_ || (count_ > 0 && passes_ == count_)) return false;
      begin_pass();
    }
    any_ = true;
    count(1);
    return true;
  }

 private:
  void begin_pass() {
    child_->begin(first_ + passes_++);
    any_ = false;
  }

  int64_t count_;
  int64_t first_ = 0;
  int64_t passes_ = 0;
  bool any_ = false;
};

class Taken final : public OverOne {
 public:
  Taken(StageRef child, int64_t count) : OverOne(std::move(child)), count_(count) {}
  std::string_view name() const override { return "taken"; }
  void begin(int64_t epoch) override {
    OverOne::begin(epoch);
    left_ = count_;
  }
  bool claim(Work& work) override {
    if (left_ == 0 || !child_->claim(work)) return false;
    --left_;
    count(1);
    return true;
  }

 private:
  int64_t count_;
  int64_t left_ = 0;
};

class Skipped final : public OverOne {
 public:
  Skipped(StageRef child, int64_t count) : OverOne(std::move(child)), count_(count) {}
  std::string_view name() const override { return "skipped"; }
  void begin(int64_t epoch) override {
    OverOne::begin(epoch);
    left_ = count_;
  }
  bool claim(Work& work) override {
    for (; left_ > 0; --left_) {
      Work dropped;
      if (!child_->claim(dropped)) return false;
    }
    if (!child_->claim(work)) return false;
    count(1);
    return true;
  }

 private:
  int64_t count_;
  int64_t left_ = 0;
};

class Projected final : public OverOne {
 public:
  Projected(StageRef child, std::vector<int64_t> positions)
      : OverOne(std::move(child)), positions_(std::move(positions)) {}
  std::string_view name() const override { return "projected"; }
  void finish(Work& work) const override {
    child_->finish(work);
    project(work.row);
    count(1);
  }
  bool finish_stacked(std::vector<Work>& rows, Row& columns) const override {
    if (!child_->finish_stacked(rows, columns)) return false;
    project(columns);
    count(static_cast<int64_t>(rows.size()));
    return true;
  }

 private:
  void project(Row& row) const {
    Row kept;
    for (const int64_t at : positions_) {
      if (at < 0 || at >= static_cast<int64_t>(row.size()))
        runtime_error("project: column ", at, " was asked for; the row has ", row.size(), " columns");
      kept.push_back(row[static_cast<size_t>(at)]);
    }
    row = std::move(kept);
  }

  std::vector<int64_t> positions_;
};

}  // namespace

StageRef shuffled(StageRef child, int64_t buffer) {
  return std::make_shared<Shuffled>(std::move(child), buffer);
}
StageRef repeated(StageRef child, int64_t count) {
  return std::make_shared<Repeated>(std::move(child), count);
}
StageRef taken(StageRef child, int64_t count) { return std::make_shared<Taken>(std::move(child), count); }
StageRef skipped(StageRef child, int64_t count) { return std::make_shared<Skipped>(std::move(child), count); }
StageRef projected(StageRef child, std::vector<int64_t> positions) {
  return std::make_shared<Projected>(std::move(child), std::move(positions));
}

}  // namespace dyad::data
