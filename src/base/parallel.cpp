#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "base/available_cpus.h"
#include "base/interrupt.h"
#include "base/region_threads.h"
#include "base/team.h"
#include "base/thread_count.h"

extern "C" void dyad_restore_environment();  // spin_count.cpp

namespace dyad {

namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
/// By the program, or by the user before it began; 0 where threads follow the CPUs.
std::atomic<int> chosen_threads{std::getenv("OMP_NUM_THREADS") ? omp_get_max_threads() : 0};

// A child of fork() has none of its parent's worker threads, and the OpenMP runtime would wait for them for
// ever: the child works on one thread.
void work_alone_after_fork() {
  chosen_threads.store(1);
  omp_set_num_threads(1);
}

const bool environment_restored = [] {
  dyad_restore_environment();
  return true;
}();

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

/// Ends the team if CPUs have come or gone, so that the next one has as many threads as there are now.
void follow_cpus(Team& team) {
  if (chosen_threads == 1) return;  // also of a child of fork(), which has none to end
  const AvailableCpus::Change change = AvailableCpus::mine().look();
  if (change == AvailableCpus::Change::kNone) return;
  team.part();
  // Threads keep the affinity mask with which they were started: new ones get the caller's.
  if (change == AvailableCpus::Change::kMask) omp_pause_resource_all(omp_pause_soft);
}

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
  follow_cpus(team);
  team.part();
  const bool worth_it = threads_at(thread_count() > 1 ? Team::costs().region : 0, grains) > 1;
  set_region_threads(worth_it ? thread_count() : 1);
}

ActiveThreads::ActiveThreads() : before_(region_threads()) {
  set_region_threads(std::min(before_, active_threads()));
}

ProgramThreads::ProgramThreads() {
  if (Team::mine().programs++ == 0) follow_cpus();
}

ProgramThreads::~ProgramThreads() {
  Team& team = Team::mine();
  if (--team.programs == 0) team.part();
}

void follow_cpus() {
  if (Team& team = Team::mine(); !is_inside(team)) follow_cpus(team);
}

int thread_count() {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  if (chosen > 0) return chosen;
  return std::min(AvailableCpus::mine().count(), omp_get_thread_limit());
}

int active_threads() {
  const int count = thread_count();
  const bool chosen = chosen_threads.load(std::memory_order_relaxed) > 0;
  return chosen ? count : std::min(count, AvailableCpus::mine().usable());
}

void set_thread_count(int threads) {
  Team::mine().part();
  chosen_threads.store(threads == 0 ? 0 : std::max(1, threads));
  omp_set_num_threads(thread_count());
}

int worthwhile_threads(double grains) {
  if (grains < 1.5) return 1;
  Team& team = Team::mine();
  if (is_inside(team)) return 1;
  follow_cpus(team);
  if (thread_count() == 1) return 1;
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
  Team& team = Team::mine();
  if (is_inside(team)) return range(body, 0, count);
  follow_cpus(team);
  const int most = static_cast<int>(std::min<int64_t>(thread_count(), (count + grain - 1) / grain));
  const double grains = static_cast<double>(count) / static_cast<double>(grain);
  const int threads = grain == 1 ? most : std::min(most, worthwhile_threads(grains));
  const int64_t pieces = std::max(threads, 1) * kPiecesPerThread;
  run_pieces(count, std::max(grain, (count + pieces - 1) / pieces), threads, range, body);
}

void run_pieces(int64_t count, int64_t piece, int threads, Range range, const void* body) {
  Team& team = Team::mine();
  if (is_inside(team)) return range(body, 0, count);
  if (threads <= 1 || active_threads() == 1) return run_alone(count, piece, range, body);
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
