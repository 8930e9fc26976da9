#include "data/pipeline/ring.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "base/team.h"
#include "data/pipeline/finish_rows.h"

namespace dyad::data {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostRows = 32;       // that share a slot
constexpr int64_t kTaskTime = 30'000;  // nanoseconds of rows that share a slot
constexpr auto kClaimTime = std::chrono::microseconds(20);
constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

std::atomic<uint64_t> forks{0};
[[maybe_unused]] const int forks_watched =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

/// How many calls of fork() lie between the first process and this one.
uint64_t fork_count() { return forks.load(std::memory_order_relaxed); }

int64_t nanoseconds(Clock::duration time) { return std::chrono::nanoseconds(time).count(); }

/// Signals are for the threads of the program: while it lives, a thread that is started gets none.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// Being woken does not take the core from a running thread: there are rows ahead, so the consumer and its
/// kernels come first. A consumer that waits leaves its core. Where the system does not offer this, the
/// thread is like any other.
void yield_to_running_threads() {
  const sched_param none{};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

}  // namespace

/// What the threads and the consumer share. The threads keep it alive.
struct Ring::State final : SpareThreads {
  struct Slot {
    Group group;
    bool ready = false;
  };
  /// Which slot a group goes to. A restart of the ring makes older tickets void.
  struct Ticket {
    uint64_t start = 0;
    int64_t slot = 0;
  };

  State(StageRef stage, size_t count) : below(std::move(stage)), slots(count) {}

  const StageRef below;
  std::mutex guard;
  std::condition_variable turn;     ///< a thread may claim
  std::condition_variable ready;    ///< the front slot may be ready
  std::condition_variable settled;  ///< nobody claims
  std::vector<Slot> slots;
  int64_t claimed = 0;  ///< slots so far, and those that the consumer has taken
  int64_t taken = 0;
  int64_t filled = 0;  ///< slots that are ready
  uint64_t starts = 0;
  int64_t epoch = 0;
  int64_t epochs_left = 0;
  bool begun = false;
  bool claiming = false;  ///< a thread has the turn
  bool failed = false;    ///< an exception ends the epochs
  bool stopped = false;
  std::atomic<int> idle{0};  ///< threads that wait for their turn
  std::vector<std::shared_ptr<SharedRows>> shared;
  std::vector<std::thread> threads;
  std::atomic<int64_t> row_time{kTaskTime};  ///< nanoseconds that a row takes, on average

  bool may_claim() const {
    return !claiming && !failed && epochs_left != 0 && claimed - taken < static_cast<int64_t>(slots.size());
  }
  Slot& slot(int64_t number) { return slots[static_cast<size_t>(number) % slots.size()]; }

  bool any() const override { return idle.load(std::memory_order_relaxed) > 0; }
  void share(std::shared_ptr<SharedRows> rows) override;
  void withdraw(const std::shared_ptr<SharedRows>& rows) override;
  std::shared_ptr<SharedRows> rows_to_help_with();
  bool wait_for_turn(Ticket& ticket);
  void claim(Group& group);
  bool end_turn(const Ticket& ticket, const Group& group);
  void finish(Group& group);
  void publish(const Ticket& ticket, Group&& group);
  void clear(std::vector<Slot>& dropped);
};

void Ring::State::share(std::shared_ptr<SharedRows> rows) {
  const std::lock_guard lock(guard);
  shared.push_back(std::move(rows));
  turn.notify_all();
}

void Ring::State::withdraw(const std::shared_ptr<SharedRows>& rows) {
  const std::lock_guard lock(guard);
  std::erase(shared, rows);
}

/// Rows of another thread that nobody has taken; none if there are none.
std::shared_ptr<SharedRows> Ring::State::rows_to_help_with() {
  const auto open = std::ranges::find_if(shared, [](const auto& rows) { return !rows->all_taken(); });
  return open == shared.end() ? nullptr : *open;
}

/// Helps others meanwhile. False when the ring is stopped.
bool Ring::State::wait_for_turn(Ticket& ticket) {
  std::unique_lock lock(guard);
  while (!stopped && !may_claim()) {
    if (std::shared_ptr<SharedRows> rows = rows_to_help_with()) {
      lock.unlock();
      rows->run();
      lock.lock();
    } else {
      ++idle;
      turn.wait(lock);
      --idle;
    }
  }
  if (stopped) return false;
  claiming = true;
  ticket = {starts, claimed++};
  return true;
}

void Ring::State::claim(Group& group) {
  const size_t most = static_cast<size_t>(
      std::clamp(kTaskTime / std::max(row_time.load(std::memory_order_relaxed), int64_t{1}), int64_t{1},
                 static_cast<int64_t>(kMostRows)));
  try {
    if (!begun) below->begin(epoch);
    begun = true;
    const auto start = Clock::now();
    do {
      Work row;
      group.ends_epoch = !below->claim(row);
      if (!group.ends_epoch) group.rows.push_back(std::move(row));
    } while (!group.ends_epoch && group.rows.size() < most && Clock::now() - start < kClaimTime);
  } catch (...) {
    group.error = std::current_exception();
  }
}

/// False if what was claimed is of no use any more.
bool Ring::State::end_turn(const Ticket& ticket, const Group& group) {
  const std::lock_guard lock(guard);
  claiming = false;
  settled.notify_all();
  if (ticket.start != starts) {
    turn.notify_one();
    return false;
  }
  failed = failed || group.error;
  if (group.ends_epoch) {
    begun = false;
    ++epoch;
    if (epochs_left > 0) --epochs_left;
  }
  turn.notify_one();
  return true;
}

void Ring::State::finish(Group& group) {
  const auto start = Clock::now();
  const size_t claimed_rows = group.rows.size();
  for (size_t i = 0; i < group.rows.size(); ++i) {
    try {
      below->finish(group.rows[i]);
    } catch (...) {
      group.error = std::current_exception();
      group.rows.resize(i);  // the rows before the failure are handed out
    }
  }
  if (claimed_rows == 0) return;
  const int64_t each = nanoseconds(Clock::now() - start) / static_cast<int64_t>(claimed_rows);
  const int64_t before = row_time.load(std::memory_order_relaxed);
  row_time.store(before + (each - before) / 4, std::memory_order_relaxed);
}

void Ring::State::publish(const Ticket& ticket, Group&& group) {
  const std::lock_guard lock(guard);
  if (ticket.start != starts || stopped) return;
  failed = failed || group.error;
  slot(ticket.slot) = {std::move(group), true};
  ++filled;
  if (ticket.slot == taken) ready.notify_one();
}

/// Moves all slots into `dropped`, whose rows end without the lock.
void Ring::State::clear(std::vector<Slot>& dropped) {
  dropped.resize(slots.size());
  dropped.swap(slots);
  claimed = taken = filled = 0;
}

void Ring::work(const std::shared_ptr<State>& state) {
  Team::mine().busy = true;  // other threads have the other cores
  yield_to_running_threads();
  SpareThreads::mine = state.get();
  State::Ticket ticket;
  while (state->wait_for_turn(ticket)) {
    Group group;
    state->claim(group);
    if (!state->end_turn(ticket, group)) continue;
    state->finish(group);
    state->publish(ticket, std::move(group));
  }
}

Ring::Ring(StageRef below, int workers, int slots)
    : state_(std::make_shared<State>(std::move(below), static_cast<size_t>(std::max(slots, workers)))),
      slots_(std::max(slots, workers)),
      forks_(fork_count()) {
  const WithoutSignals without;
  try {
    for (int i = 0; i < workers; ++i) {
      state_->threads.emplace_back(work, state_);
      pthread_setname_np(state_->threads.back().native_handle(), "dyad-data");
    }
  } catch (const std::system_error&) {
    stop();
    join();
    runtime_error("dataset: no more threads can be started; ", workers, " were asked for");
  }
}

Ring::~Ring() {
  if (forked()) {
    // Locks may be held and conditions waited on by threads that are not here: they must never be destroyed.
    new std::shared_ptr<State>(std::move(state_));
    return;
  }
  stop();
  join();
}

bool Ring::forked() const { return fork_count() != forks_; }

void Ring::require_same_process() const {
  if (forked())
    runtime_error(
        "dataset: this iterator was made in the parent process, which has its threads; make a new one here");
}

void Ring::start(int64_t epoch, int64_t epochs) {
  require_same_process();
  std::vector<State::Slot> dropped;
  front_ = {};
  next_ = 0;
  std::unique_lock lock(state_->guard);
  ++state_->starts;
  state_->epochs_left = 0;  // nobody takes another turn
  state_->settled.wait(lock, [this] { return !state_->claiming; });
  state_->clear(dropped);
  state_->epoch = epoch;
  state_->epochs_left = epochs;
  state_->begun = state_->failed = false;
  state_->turn.notify_all();
}

/// False when there is nothing to wait for.
bool Ring::wait_for_group(bool interruptible) {
  State& state = *state_;
  std::unique_lock lock(state.guard);
  takes_.fetch_add(1, std::memory_order_relaxed);
  ready_slots_.fetch_add(state.filled, std::memory_order_relaxed);
  const auto start = Clock::now();
  while (!state.slot(state.taken).ready) {
    if (state.stopped) runtime_error("dataset: the iterator is closed; make a new one");
    if (state.epochs_left == 0 && state.claimed == state.taken && !state.claiming) return false;
    const bool woken = state.ready.wait_for(lock, kInterruptInterval) == std::cv_status::no_timeout;
    if (woken || !interruptible) continue;
    lock.unlock();
    check_interrupt();
    lock.lock();
  }
  waited_.fetch_add(nanoseconds(Clock::now() - start), std::memory_order_relaxed);
  take_slot();
  return true;
}

/// The next slot, which is ready, becomes the consumer's; with the lock held.
void Ring::take_slot() {
  State& state = *state_;
  State::Slot& slot = state.slot(state.taken++);
  front_ = std::move(slot.group);
  next_ = 0;
  slot = {};
  --state.filled;
  state.turn.notify_one();
}

bool Ring::has_ready_row() {
  if (has_row()) return true;
  if (front_.error || front_.ends_epoch || forked()) return false;
  const std::lock_guard lock(state_->guard);
  if (state_->stopped || !state_->slot(state_->taken).ready) return false;
  takes_.fetch_add(1, std::memory_order_relaxed);
  ready_slots_.fetch_add(state_->filled, std::memory_order_relaxed);
  take_slot();
  return has_row();
}

Ring::Taken Ring::take(Work& work, bool interruptible) {
  require_same_process();
  while (true) {
    if (next_ < front_.rows.size()) {
      work = std::move(front_.rows[next_++]);
      return Taken::kRow;
    }
    const Group ended = std::exchange(front_, {});
    next_ = 0;
    if (ended.error) std::rethrow_exception(ended.error);
    if (ended.ends_epoch) return Taken::kEpochEnd;
    if (!wait_for_group(interruptible)) return Taken::kNothing;
  }
}

void Ring::stop() {
  if (forked()) return;
  const std::lock_guard lock(state_->guard);
  state_->stopped = true;
  state_->turn.notify_all();
  state_->ready.notify_all();
}

void Ring::join() {
  if (forked()) return;
  for (std::thread& thread : state_->threads) {
    if (!thread.joinable()) continue;
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else
      thread.join();
  }
  std::vector<State::Slot> dropped;
  const std::lock_guard lock(state_->guard);
  state_->clear(dropped);
}

Ring::Usage Ring::usage() const {
  const int64_t takes = takes_.load(std::memory_order_relaxed);
  return {takes, static_cast<double>(waited_.load(std::memory_order_relaxed)) * 1e-9,
          static_cast<double>(ready_slots_.load(std::memory_order_relaxed)) /
              static_cast<double>(std::max(takes, int64_t{1})),
          slots_};
}

}  // namespace dyad::data
