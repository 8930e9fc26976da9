#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/pipeline/ring.h"

namespace dyad::data {

/// A tree of stages at work: rows in order, epoch by epoch. Threads make rows from the moment it is there
/// until it is closed. Several threads may ask for rows, one at a time.
class Pipeline {
 public:
  /// `epochs` is -1 for no end; `seed_is_set` as in Run.
  Pipeline(StageRef root, uint64_t seed, int workers, int prefetch, int64_t epochs, bool seed_is_set = false);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  enum class Step { kRow, kEpochEnd, kEnd };
  /// The next row. What was raised while it was made is raised here, and the pipeline is then closed; faults
  /// of data, whatever their kind, are RuntimeErrors.
  Step next(Row& row);
  /// Whether the next row is there without waiting, and nobody else asks for it.
  bool next_if_there(Row& row);
  /// The same, for who looks further ahead: slots that are ready are looked into.
  bool next_if_ready(Row& row);
  /// Ends and joins all threads; what they have made is dropped. Does nothing the second time.
  void close();

  /// What a stage has done so far.
  struct StageStatistics {
    std::string name;
    int number = 0;
    std::vector<int> children;  ///< numbers
    int64_t rows = 0;
    double seconds = 0;  ///< of its own work, over all threads
  };
  struct Statistics {
    std::vector<StageStatistics> stages;  ///< depth first; the root is the first
    int workers = 0;
    int64_t rows = 0;  ///< that the consumer has got
    Ring::Usage ring;
  };
  Statistics statistics() const;

 private:
  /// What the threads that ask for rows share.
  struct Consumers {
    std::mutex guard;
    std::condition_variable free;
    bool taking = false;  ///< a thread has the turn
  };
  /// The turn of one of them.
  class Turn {
   public:
    /// Waits for it, looking for an interrupt now and then; without `wait` it may stay without.
    Turn(Consumers& consumers, bool wait);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();
    bool mine() const { return mine_; }

   private:
    Consumers& consumers_;
    bool mine_ = false;
  };

  Step take(Row& row);

  StageRef root_;
  int workers_;
  std::unique_ptr<Ring> ring_;
  std::unique_ptr<Consumers> consumers_;
  std::atomic<int64_t> rows_{0};
  std::atomic<bool> closed_{false};
  bool ended_ = false;
};

}  // namespace dyad::data
