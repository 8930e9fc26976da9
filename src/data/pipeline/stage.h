#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "data/rows/item.h"
#include "data/rows/random.h"

namespace dyad::data {

/// A row that is on its way: which one it is, and as much of it as has been made.
///
/// A pipeline makes a row in two steps. To claim it is to decide which one it is: cheap, and done by one
/// thread at a time, in the order of the rows. To finish it is to make it (read, decode, transform, stack):
/// done by any thread, any number of rows at once. So the order and the random numbers of a run do not depend
/// on how many threads there are, and a whole chain of stages is carried out by one thread without a queue in
/// between.
struct Work {
  uint64_t stream = 0;  ///< random numbers of the epoch, at the stage that claimed the row first
  int64_t number = 0;   ///< of the row in that epoch
  int64_t index = -1;   ///< of the row in its source, where it has one
  int64_t finding = 0;  ///< what was found out about the finished row: whether it passes a filter, its length
  size_t branch = 0;    ///< which child it came from, where there are several
  std::vector<Work> parts;  ///< what it is made of: the rows of a batch, the sides of a zip
  Row row;                  ///< made so far

  /// The random numbers of this row at the stage of that place.
  Random random(int64_t place) const {
    return Random(Random::mix(stream, static_cast<uint64_t>(number))).part(static_cast<uint64_t>(place));
  }
};

/// What the stages of one run have in common.
struct Run {
  uint64_t seed = 0;
  bool seed_is_set = false;  ///< by the program, rather than drawn for this run
  int workers = 1;           ///< threads of each ring
  int prefetch = 1;          ///< slots of each ring
  int stages = 0;            ///< that have joined so far
};

/// A stage of the pipeline: gives rows, made from those of the stages below it. It belongs to one run.
class Stage : public std::enable_shared_from_this<Stage> {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  virtual std::string_view name() const = 0;
  virtual std::vector<Stage*> children() const { return {}; }
  /// Numbers this stage and those below it. A stage that belongs to a run already is an error.
  virtual void join(Run& run);

  /// Starts epoch number `epoch`; what was claimed before is forgotten. One thread at a time.
  virtual void begin(int64_t epoch) = 0;
  /// Claims the next row; false at the end of the epoch. One thread at a time.
  virtual bool claim(Work& work) = 0;
  /// Makes a claimed row. Any number of threads at once; touches nothing that `begin` or `claim` change.
  virtual void finish(Work& work) const = 0;
  /// Makes claimed rows straight into the memory of a batch, without a row each. False, with nothing done,
  /// where the rows must be finished one by one.
  virtual bool finish_stacked(std::vector<Work>& rows, Row& columns) const;
  /// Where a row came from, for errors: the path of its file, say; empty where that is not known.
  virtual std::string origin(const Work& work) const;
  /// Ends the threads of this stage and of those below it; who waits for them gets an error.
  virtual void stop();

  int number() const { return number_; }
  /// What tells the random numbers of this stage from those of others. If the program set the seed, this is
  /// the count of stages of its kind below it: images and masks from two sources are then shuffled and
  /// cropped alike.
  int place() const { return place_; }
  /// Rows made so far, and the seconds that this stage alone has spent on making them, over all threads.
  int64_t rows() const { return rows_.load(std::memory_order_relaxed); }
  double seconds() const { return static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-9; }

 protected:
  /// What the random numbers of a stage are for.
  enum class Draws : uint8_t { kNothing, kOrder, kValues };
  virtual Draws draws() const { return Draws::kNothing; }
  /// The random numbers of an epoch at this stage.
  Random epoch_random(int64_t epoch) const;
  void count(int64_t rows) const { rows_.fetch_add(rows, std::memory_order_relaxed); }

  /// Adds the time until it goes out of scope to the stage's own.
  class Timing {
   public:
    explicit Timing(const Stage& stage, int64_t rows = 1) : stage_(stage) { stage.count(rows); }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;
    ~Timing() {
      const auto spent = std::chrono::steady_clock::now() - start_;
      stage_.nanoseconds_.fetch_add(std::chrono::nanoseconds(spent).count(), std::memory_order_relaxed);
    }

   private:
    const Stage& stage_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

 private:
  uint64_t seed_ = 0;
  int number_ = -1;
  int place_ = 0;
  int orders_ = 0;  ///< stages up to here that draw an order, on the longest way from a source
  int values_ = 0;  ///< and those that draw for values
  mutable std::atomic<int64_t> rows_{0};
  mutable std::atomic<int64_t> nanoseconds_{0};
};
using StageRef = std::shared_ptr<Stage>;

/// A stage over one other. As it stands, it hands its child's rows on; a kind of stage overrides what it
/// changes.
class OverOne : public Stage {
 public:
  explicit OverOne(StageRef child) : child_(std::move(child)) {}
  std::vector<Stage*> children() const override { return {child_.get()}; }
  void begin(int64_t epoch) override { child_->begin(epoch); }
  bool claim(Work& work) override { return child_->claim(work); }
  void finish(Work& work) const override { child_->finish(work); }
  bool finish_stacked(std::vector<Work>& rows, Row& columns) const override {
    return child_->finish_stacked(rows, columns);
  }
  std::string origin(const Work& work) const override { return child_->origin(work); }

 protected:
  StageRef child_;
};

}  // namespace dyad::data
