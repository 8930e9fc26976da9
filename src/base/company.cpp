#include "base/company.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace dyad {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(90);
/// A longer stretch of time tells of the past: the process did not work in between.
constexpr auto kStale = std::chrono::seconds(2);
constexpr int kLooksPerCost = 1000;

// In CPUs: less than this is no company, and so much less that it has gone. In between all stays as it is.
constexpr double kCome = 0.7;
constexpr double kGone = 0.4;
/// So often in a row others must be there to count: what is short is over before fewer threads help.
constexpr int kTimesSeen = 2;
/// Share of the CPUs that is idle where nobody waits for one.
constexpr double kIdleShare = 0.1;
/// A share of the CPUs is taken for fair if it is at most so many times smaller than that.
constexpr double kAboutFair = 1.35;
/// So often in a row fewer threads get less than a fair share before more are woken again, and so long those
/// stay. Another process that leaves CPUs in the same way does so within the first.
constexpr int kTimesBelowShare = 5;
constexpr auto kInsists = std::chrono::seconds(10);

bool has_cpu(const CpuMask& mask, size_t cpu) {
  constexpr size_t kBits = 8 * sizeof(unsigned long);
  return cpu / kBits < mask.size() && (mask[cpu / kBits] >> (cpu % kBits) & 1) != 0;
}

/// CPU seconds of all threads of this process.
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

/// CPUs that `threads` threads get next to others that want `wanted`.
double share_of(int threads, int cpus, double wanted) {
  return threads + wanted <= cpus ? threads : cpus * threads / (threads + wanted);
}

}  // namespace

void ThreadsInCompany::estimate(const CpuUse& use, int cpus, int threads) {
  // Where CPUs are idle, others have what they want. Where none is, they and the threads of this process get
  // CPU time in the proportion of their numbers.
  const bool idle = use.idle > kIdleShare * cpus;
  const double wanted = idle ? use.others : use.others * threads / std::max(use.own, 0.1);
  const bool there = wanted >= (wanted_ > 0 ? kGone : kCome);
  times_seen_ = there ? times_seen_ + 1 : 0;
  if (!there) wanted_ = 0;
  if (times_seen_ >= kTimesSeen) wanted_ = wanted;
}

std::optional<int> ThreadsInCompany::best(int cpus, int most, Clock::time_point now) {
  if (most + wanted_ < cpus + (threads_ ? kGone : kCome)) return std::nullopt;
  const double fair = share_of(most, cpus, wanted_);
  const auto is_fair = [&](int threads) { return share_of(threads, cpus, wanted_) * kAboutFair >= fair; };

  // As many as have a CPU to themselves: one more would share its CPU, and all others would wait for it where
  // parallel work ends. Where others want all CPUs there are none of these, and the fair share decides.
  const int alone = static_cast<int>(std::floor(cpus - wanted_ + 0.3));
  const int polite = std::clamp(std::max(alone, static_cast<int>(fair)), 1, most);
  if (alone >= 1 && is_fair(alone)) return std::min(alone, most);
  if (is_fair(polite)) return polite;

  // Fewer threads get less than that if the others stay as many. A process of the same kind does not.
  if (now >= insists_until_) {
    if (threads_ == polite && ++times_below_share_ > kTimesBelowShare) {
      insists_until_ = now + kInsists;
    } else {
      return polite;
    }
  }
  times_below_share_ = 0;
  int insisting = polite;
  while (insisting < most && !is_fair(insisting)) ++insisting;
  return insisting;
}

void ThreadsInCompany::note(const CpuUse& use, int cpus, int most, Clock::time_point now) {
  estimate(use, cpus, std::min(threads_.value_or(most), most));
  threads_ = wanted_ > 0 ? best(cpus, most, now) : std::nullopt;
}

Company& Company::of_process() {
  static auto& only = *new Company;
  return only;
}

int Company::look(const CpuMask& mask, int cpus, int most) {
  const auto known = [&] {
    const int threads = threads_;
    return threads > 0 ? std::min(threads, most) : most;
  };
  const std::unique_lock lock(guard_, std::try_to_lock);
  const Clock::time_point now = Clock::now();
  if (!lock || now < next_look_) return known();
  std::optional<Sample> sample;
  if (const std::optional<CpuTimes> all = cpu_times(mask)) sample = Sample{mask, now, *all, own_time()};
  next_look_ = now + std::max<Clock::duration>(kInterval, kLooksPerCost * (Clock::now() - now));

  if (sample && last_ && last_->mask == mask && now - last_->at < kStale) {
    const double time = seconds(now - last_->at);
    const double own = (sample->own - last_->own) / time;
    const double busy = (sample->all.busy - last_->all.busy) / time;
    const double idle = (sample->all.idle - last_->all.idle) / time;
    learned_.note({.others = std::max(0.0, busy - own), .own = own, .idle = idle}, cpus, most, now);
  } else {
    learned_ = {};
  }
  last_ = std::move(sample);
  threads_ = learned_.threads().value_or(0);
  return known();
}

}  // namespace dyad
