#pragma once

#include <atomic>
#include <memory>

#include "data/pipeline/stage.h"

namespace dyad::data {

/// The rows of a stage, made ahead of time by threads and handed out in order.
///
/// A thread waits for its turn, claims the next rows and the next slot, gives the turn away, finishes the
/// rows and puts them into the slot. The consumer takes the slots in order. An end of an epoch takes part in
/// a slot like a row, so that the threads go on into the next epoch; an exception waits in its slot for its
/// turn. Rows that take little time share a slot.
class Ring {
 public:
  Ring(StageRef below, int workers, int slots);
  /// Stops and joins. In a child of fork(), which has none of the threads, all is left as it is.
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// Starts `epochs` epochs, -1 for no end, with number `epoch`; what was made before is dropped.
  void start(int64_t epoch, int64_t epochs);

  enum class Taken { kRow, kEpochEnd, kNothing };
  /// The next row; one consumer at a time. Waits for it, looking for an interrupt now and then if
  /// `interruptible`. Nothing is there behind the last epoch. Raises what was raised for the row, and an
  /// error if it is stopped.
  Taken take(Work& work, bool interruptible);
  /// Whether a row can be taken without waiting; for the consumer.
  bool has_row() const { return next_ < front_.rows.size(); }
  /// The same, and a slot that is ready counts; an end of an epoch or an exception is left where it is.
  bool has_ready_row();

  /// Whether this process is a child of the one with the threads.
  bool forked() const;
  /// An error in such a child.
  void require_same_process() const;

  /// No row is claimed any more, and who waits is woken.
  void stop();
  /// Waits for the threads to end; they must have been stopped. A thread of the ring itself does not wait for
  /// itself: it ends when its task does.
  void join();

  /// What the consumer has seen so far.
  struct Usage {
    int64_t takes = 0;  ///< of slots
    double waited = 0;  ///< seconds without a slot that was ready
    double filled = 0;  ///< slots that were ready at a take, on average
    int64_t slots = 0;
  };
  Usage usage() const;

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  bool wait_for_group(bool interruptible);
  void take_slot();

  /// Rows that share a slot, with what comes behind them.
  struct Group {
    std::vector<Work> rows;
    bool ends_epoch = false;
    std::exception_ptr error;
  };
  std::shared_ptr<State> state_;
  Group front_;      ///< the consumer's
  size_t next_ = 0;  ///< row of it
  int64_t slots_;
  uint64_t forks_;
  std::atomic<int64_t> takes_{0};
  std::atomic<int64_t> ready_slots_{0};
  std::atomic<int64_t> waited_{0};  ///< nanoseconds
};

}  // namespace dyad::data
