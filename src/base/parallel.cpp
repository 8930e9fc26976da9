#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/interrupt.h"
#include "base/region_threads.h"
#include "base/sharing.h"
#include "base/team.h"

namespace dyad {

namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<int> chosen_threads{0};

// A child of fork() has none of its parent's worker threads, and the OpenMP runtime would wait for them for
// ever: the child works on one thread.
void work_alone_after_fork() {
  chosen_threads.store(1);
  omp_set_num_threads(1);
}

const bool fork_watched = [] {
  pthread_atfork(nullptr, nullptr, work_alone_after_fork);
  return true;
}();

constexpr auto kInterruptInterval = std::chrono::milliseconds(100);

// Work is handed out in pieces so that uneven cores even out and an interrupt is noticed within a piece.
constexpr int64_t kPiecesPerThread = 32;

// So many times small work of a program runs alone before the team is called together for it.
constexpr int kMissedMost = 4;

void run_alone(int64_t count, int64_t piece, parallel_detail::Range range, const void* body) {
  InterruptWatch watch;
  for (int64_t begin = 0; begin < count; begin += piece) {
    range(body, begin, std::min(count, begin + piece));
    watch.look();
  }
}

/// Whether this thread must work alone: it has a share of another thread's work, or others have opened a
/// region on it.
bool is_inside(const Team& team) { return team.busy || (!team.together() && omp_in_parallel()); }

int threads_at(double cost, double grains) {
  const double worth = grains / std::max(1.0, cost / static_cast<double>(kGrainTime));
  return static_cast<int>(std::clamp(worth + 0.5, 1.0, static_cast<double>(thread_count())));
}

}  // namespace

void InterruptWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < kInterruptInterval) return;
  last_look_ = now;
  if (InterruptCheck check = interrupt_check.load()) check();
}

int region_threads() { return omp_get_max_threads(); }

void set_region_threads(int threads) { omp_set_num_threads(threads); }

void leave_region() { Team::mine().part(); }

LibraryThreads::LibraryThreads(double grains) : before_(region_threads()) {
  Team& team = Team::mine();
  if (is_inside(team)) return;
  team.part();
  const bool worth_it = threads_at(thread_count() > 1 ? Team::costs().region : 0, grains) > 1;
  set_region_threads(worth_it ? thread_count() : 1);
}

int thread_count() {
  // Asked once: the runtime's own setting is another one while a library works alone.
  static const int found = omp_get_max_threads();
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : found;
}

void set_thread_count(int threads) {
  Team::mine().part();
  chosen_threads.store(std::max(1, threads));
  omp_set_num_threads(std::max(1, threads));
}

int worthwhile_threads(double grains) {
  if (grains < 1.5 || thread_count() == 1) return 1;
  Team& team = Team::mine();
  if (is_inside(team)) return 1;
  const Team::Costs costs = Team::costs();
  if (team.together()) return threads_at(costs.hand_over, grains);
  const int threads = threads_at(costs.region, grains);
  if (threads > 1 || team.programs == 0) return threads;
  const int together = threads_at(costs.hand_over, grains);
  return together > 1 && ++team.missed > kMissedMost ? together : 1;
}

void check_interrupt() {
  if (InterruptCheck check = interrupt_check.load()) check();
}

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

namespace parallel_detail {

void run(int64_t count, int64_t grain, Range range, const void* body) {
  if (is_inside(Team::mine())) return range(body, 0, count);
  const int most = static_cast<int>(std::min<int64_t>(thread_count(), (count + grain - 1) / grain));
  const double grains = static_cast<double>(count) / static_cast<double>(grain);
  const int threads = grain == 1 ? most : std::min(most, worthwhile_threads(grains));
  const int64_t pieces = std::max(threads, 1) * kPiecesPerThread;
  run_pieces(count, std::max(grain, (count + pieces - 1) / pieces), threads, range, body);
}

void run_pieces(int64_t count, int64_t piece, int threads, Range range, const void* body) {
  Team& team = Team::mine();
  if (is_inside(team)) return range(body, 0, count);
  if (threads <= 1) return run_alone(count, piece, range, body);
  struct Parting {
    Team& team;
    bool stays = team.together() || team.programs > 0;
    ~Parting() {
      if (!stays) team.part();
    }
  } parting{team};
  if (!team.together()) team.gather();
  team.run(count, piece, threads, range, body);
}

}  // namespace parallel_detail
}  // namespace dyad
