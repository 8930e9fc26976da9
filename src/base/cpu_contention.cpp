#include "base/cpu_contention.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace dyad {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(90);
/// Longer intervals are ignored: the process did not work during them.
constexpr auto kLongestInterval = std::chrono::seconds(2);
constexpr int kIntervalPerCost = 1000;

// Demand of others, in CPUs, from which on there is contention, and below which it has ended.
constexpr double kContentionBegins = 0.7;
constexpr double kContentionEnds = 0.4;
/// Samples in a row that must show it, so that short bursts are ignored.
constexpr int kSamplesNeeded = 2;
/// Idle share of the CPUs above which no thread waits for one.
constexpr double kIdleShare = 0.1;
/// A share of the CPUs counts as fair if it is at most this many times smaller than the fair share.
constexpr double kFairTolerance = 1.35;
/// Samples for which fewer threads may get less than a fair share. Another process with the same policy gives
/// way within that time. If none does, more threads work for a while.
constexpr int kSamplesBelowFair = 5;
constexpr auto kFullShareTime = std::chrono::seconds(10);

bool has_cpu(const CpuMask& mask, size_t cpu) {
  constexpr size_t kBits = 8 * sizeof(unsigned long);
  return cpu / kBits < mask.size() && (mask[cpu / kBits] >> (cpu % kBits) & 1) != 0;
}

/// CPU seconds of this process.
double own_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::optional<CpuTimes> cpu_times(const CpuMask& mask, const std::string& root) {
  static const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream file(root + "/proc/stat");
  CpuTimes sum;
  bool any = false;
  // Lines "cpu3 user nice system idle iowait irq softirq steal ...": that of all CPUs first, other things
  // behind.
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    if (line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    size_t cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0;
    words >> cpu >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts;
    if (!words || !has_cpu(mask, cpu)) continue;
    any = true;
    sum.busy += (user + nice + system + interrupts + soft_interrupts) / ticks_per_second;
    sum.idle += (idle + waiting) / ticks_per_second;
  }
  return any ? std::optional(sum) : std::nullopt;
}

namespace {

/// CPUs that a number of threads get while others have a demand.
double share_of(int threads, int cpus, double demand) {
  return threads + demand <= cpus ? threads : cpus * threads / (threads + demand);
}

}  // namespace

void ContentionPolicy::estimate(const CpuUse& use, int cpus, int threads) {
  // With idle CPUs the use of others is their demand. Otherwise CPU time is shared in proportion to the
  // numbers of threads.
  const bool idle = use.idle > kIdleShare * cpus;
  const double demand = idle ? use.others : use.others * threads / std::max(use.own, 0.1);
  const bool there = demand >= (demand_ > 0 ? kContentionEnds : kContentionBegins);
  times_seen_ = there ? times_seen_ + 1 : 0;
  if (!there) demand_ = 0;
  if (times_seen_ >= kSamplesNeeded) demand_ = demand;
}

std::optional<int> ContentionPolicy::best(int cpus, int most, Clock::time_point now) {
  if (most + demand_ < cpus + (threads_ ? kContentionEnds : kContentionBegins)) return std::nullopt;
  const double fair = share_of(most, cpus, demand_);
  const auto is_fair = [&](int threads) { return share_of(threads, cpus, demand_) * kFairTolerance >= fair; };

  // As many as have a CPU to themselves. If others demand all CPUs there are none, and the fair share
  // decides.
  const int alone = static_cast<int>(std::floor(cpus - demand_ + 0.3));
  const int polite = std::clamp(std::max(alone, static_cast<int>(fair)), 1, most);
  if (alone >= 1 && is_fair(alone)) return std::min(alone, most);
  if (is_fair(polite)) return polite;

  // Fewer threads get less than a fair share if others do not give way too.
  if (now >= full_share_until_) {
    if (threads_ == polite && ++times_below_fair_ > kSamplesBelowFair) {
      full_share_until_ = now + kFullShareTime;
    } else {
      return polite;
    }
  }
  times_below_fair_ = 0;
  int enough = polite;
  while (enough < most && !is_fair(enough)) ++enough;
  return enough;
}

void ContentionPolicy::note(const CpuUse& use, int cpus, int most, Clock::time_point now) {
  estimate(use, cpus, std::min(threads_.value_or(most), most));
  threads_ = demand_ > 0 ? best(cpus, most, now) : std::nullopt;
}

CpuContention& CpuContention::of_process() {
  static auto& only = *new CpuContention;
  return only;
}

int CpuContention::usable_threads(const CpuMask& mask, int cpus, int most) {
  const auto known = [&] {
    const int threads = threads_;
    return threads > 0 ? std::min(threads, most) : most;
  };
  const std::unique_lock lock(guard_, std::try_to_lock);
  const Clock::time_point now = Clock::now();
  if (!lock || now < next_sample_) return known();
  std::optional<Sample> sample;
  if (const std::optional<CpuTimes> all = cpu_times(mask)) sample = Sample{mask, now, *all, own_time()};
  next_sample_ = now + std::max<Clock::duration>(kInterval, kIntervalPerCost * (Clock::now() - now));

  if (sample && last_ && last_->mask == mask && now - last_->at < kLongestInterval) {
    const double time = seconds(now - last_->at);
    const double own = (sample->own - last_->own) / time;
    const double busy = (sample->all.busy - last_->all.busy) / time;
    const double idle = (sample->all.idle - last_->all.idle) / time;
    policy_.note({.others = std::max(0.0, busy - own), .own = own, .idle = idle}, cpus, most, now);
  } else {
    policy_ = {};
  }
  last_ = std::move(sample);
  threads_ = policy_.threads().value_or(0);
  return known();
}

}  // namespace dyad
