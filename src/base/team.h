#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "base/parallel.h"

namespace dyad {

/// The threads that share the calling thread's work. They are those of the OpenMP runtime, which the
/// libraries use too: a second pool would fight the first one for the cores. A region of that runtime always
/// takes all of them, since it ends threads that a smaller one leaves over and makes them anew for the next;
/// how many take part in a piece of work is decided here.
///
/// While the team is together its threads wait in the open region, first awake and then asleep, and handing
/// work to a few of them costs no more than those few.
class Team {
 public:
  /// Of the calling thread.
  static Team& mine();

  bool together() const { return size_ > 0; }
  void gather();
  /// Ends the region. Needed before other code on this thread opens one.
  void part();

  /// Runs `range` on pieces of [0, count), on the caller and up to `threads - 1` others; what one of them
  /// throws surfaces in the caller. The team must be together.
  void run(int64_t count, int64_t piece, int threads, parallel_detail::Range range, const void* body);

  /// Nanoseconds to open and end a region, and to hand work to all threads of one that is open.
  struct Costs {
    double region = 0;
    double hand_over = 0;
  };
  static Costs costs();

  /// Programs under way on this thread, during which the team stays together.
  int programs = 0;
  /// Pieces of work since the team last parted that would have been shared, had it been together.
  int missed = 0;
  /// Whether this thread shares work just now: further calls run on it alone.
  bool busy = false;

 private:
  struct alignas(64) Seat {
    std::atomic<uint32_t> ticket{0};
  };

  static void attend(void* team);
  void wait_for_work(int number);
  bool enter(uint32_t ticket);
  void take_pieces(bool caller);
  struct Settling;
  void settle();

  int size_ = 0;
  int looks_ = 0;  ///< of a thread that waits, before it sleeps
  std::unique_ptr<Seat[]> seats_;
  int seat_count_ = 0;
  uint32_t ticket_ = 0;

  // The work at hand. `entry_` is its ticket, whether it is closed to further threads, and how many are at
  // it.
  alignas(64) std::atomic<uint64_t> entry_{0};
  alignas(64) std::atomic<int64_t> next_{0};
  std::atomic<bool> stopped_{false};
  int64_t count_ = 0;
  int64_t piece_ = 1;
  parallel_detail::Range range_ = nullptr;
  const void* body_ = nullptr;
  std::exception_ptr failure_;
  std::mutex failure_guard_;
};

/// While a program runs, its small steps share one parallel region; when the last one on this thread ends,
/// the threads are let go.
class ProgramThreads {
 public:
  ProgramThreads();
  ~ProgramThreads();
  ProgramThreads(const ProgramThreads&) = delete;
  ProgramThreads& operator=(const ProgramThreads&) = delete;
};

}  // namespace dyad
