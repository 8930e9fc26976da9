#include "base/team.h"

#include <cxxabi.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/available_cpus.h"
#include "base/interrupt.h"

// A region that is opened here and ended there, which the pragma cannot say: the old entry points of the
// runtime, which all that serve GCC's code have.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void GOMP_parallel_start(void (*work)(void*), void* data, unsigned threads);
void GOMP_parallel_end();
}
// NOLINTEND(readability-identifier-naming)

namespace dyad {

namespace {

constexpr uint64_t kClosed = uint64_t{1} << 31;
constexpr uint64_t kAttending = kClosed - 1;
constexpr uint64_t with_ticket(uint32_t ticket) { return uint64_t{ticket} << 32; }
/// Tells a thread that the region ends.
constexpr uint32_t kLeave = ~uint32_t{0};

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// How often a thread looks before it sleeps: for about as long as a program takes from one parallel step to
/// the next. Where threads outnumber CPUs, a thread that is awake keeps another one from working.
int looks_before_sleep(int threads) { return threads <= AvailableCpus::mine().count() ? 4000 : 20; }

}  // namespace

Team& Team::mine() {
  static thread_local Team team;
  return team;
}

void Team::gather() {
  const int threads = active_threads();
  if (seat_count_ < threads) {
    seats_ = std::make_unique<Seat[]>(static_cast<size_t>(threads));
    seat_count_ = threads;
  }
  for (int i = 0; i < threads; ++i) seats_[static_cast<size_t>(i)].ticket.store(0, std::memory_order_relaxed);
  ticket_ = 0;
  entry_.store(kClosed, std::memory_order_relaxed);
  size_ = threads;
  looks_ = looks_before_sleep(threads);
  GOMP_parallel_start(attend, this, static_cast<unsigned>(threads));
}

void Team::part() {
  missed = 0;
  if (!together()) return;
  for (int i = 1; i < size_; ++i) {
    Seat& seat = seats_[static_cast<size_t>(i)];
    seat.ticket.store(kLeave, std::memory_order_release);
    seat.ticket.notify_one();
  }
  GOMP_parallel_end();
  size_ = 0;
}

void Team::attend(void* team) {
  mine().busy = true;
  static_cast<Team*>(team)->wait_for_work(omp_get_thread_num());
  mine().busy = false;
}

void Team::wait_for_work(int number) {
  std::atomic<uint32_t>& ticket = seats_[static_cast<size_t>(number)].ticket;
  uint32_t seen = 0;
  while (true) {
    uint32_t now = ticket.load(std::memory_order_acquire);
    for (int i = 0; now == seen && i < looks_; ++i) {
      rest();
      now = ticket.load(std::memory_order_acquire);
    }
    if (now == seen) {
      ticket.wait(seen, std::memory_order_acquire);
      continue;
    }
    if (now == kLeave) return;
    seen = now;
    if (!enter(now)) continue;
    take_pieces(false);
    if (entry_.fetch_sub(1, std::memory_order_release) == with_ticket(now) + kClosed + 1) entry_.notify_one();
  }
}

bool Team::enter(uint32_t ticket) {
  uint64_t entry = entry_.load(std::memory_order_acquire);
  while (entry >> 32 == ticket && !(entry & kClosed)) {
    if (entry_.compare_exchange_weak(entry, entry + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void Team::take_pieces(bool caller) {
  InterruptWatch watch;
  while (!stopped_.load(std::memory_order_relaxed)) {
    const int64_t begin = next_.fetch_add(piece_, std::memory_order_relaxed);
    if (begin >= count_) return;
    try {
      range_(body_, begin, std::min(count_, begin + piece_));
      if (caller) watch.look();
    } catch (abi::__forced_unwind&) {  // the host ends this thread, and nothing may hold that up
      stopped_.store(true);
      throw;
    } catch (...) {
      std::lock_guard lock(failure_guard_);
      if (!failure_) failure_ = std::current_exception();
      stopped_.store(true);
    }
  }
}

struct Team::Settling {
  explicit Settling(Team& sharing) : team(sharing) { team.busy = true; }
  ~Settling() {
    team.busy = false;
    team.settle();
  }
  Settling(const Settling&) = delete;
  Settling& operator=(const Settling&) = delete;
  Team& team;
};

void Team::run(int64_t count, int64_t piece, int threads, parallel_detail::Range range, const void* body) {
  count_ = count;
  piece_ = piece;
  range_ = range;
  body_ = body;
  next_.store(0, std::memory_order_relaxed);
  stopped_.store(false, std::memory_order_relaxed);
  if (++ticket_ == kLeave) {
    part();
    gather();
    ++ticket_;
  }
  entry_.store(with_ticket(ticket_), std::memory_order_release);
  for (int i = 1; i < std::min(threads, size_); ++i) {
    Seat& seat = seats_[static_cast<size_t>(i)];
    seat.ticket.store(ticket_, std::memory_order_release);
    seat.ticket.notify_one();
  }
  {
    const Settling settling{*this};
    take_pieces(true);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Closes the work at hand and waits for those that are at it; who has not begun is not waited for.
void Team::settle() {
  uint64_t entry = entry_.fetch_or(kClosed, std::memory_order_acq_rel);
  for (int i = 0; entry & kAttending; ++i) {
    if (i < looks_) {
      rest();
    } else {
      entry_.wait(entry,
                  std::memory_order_acquire);  // the CPU is for who is at it and may be waiting for one
    }
    entry = entry_.load(std::memory_order_acquire);
  }
}

Team::Costs Team::costs() {
  // As measured on machines of 2 to 16 cores. Not measured anew: how work is split decides how sums are
  // rounded, and a program must not give other numbers because the machine was busy when it began.
  const double threads = thread_count();
  return {.region = 8000 + 500 * threads, .hand_over = 600 + 150 * threads};
}

}  // namespace dyad
