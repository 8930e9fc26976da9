#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dyad {

/// Affinity mask with one bit per CPU; empty if the system does not report one.
using CpuMask = std::vector<unsigned long>;

/// CPU seconds since boot, summed over some CPUs. Time that a hypervisor gave to other machines (steal)
/// counts as neither.
struct CpuTimes {
  double busy = 0;
  double idle = 0;
};
/// Reads the times of the CPUs in a mask from /proc/stat below `root`; empty if it does not list them.
std::optional<CpuTimes> cpu_times(const CpuMask& mask, const std::string& root = "");

/// CPU use over an interval, in CPUs: 2.0 is two CPUs all the time.
struct CpuUse {
  double others = 0;  ///< by other processes
  double own = 0;     ///< by this process
  double idle = 0;
};

/// Chooses how many threads share parallel work while other processes use CPUs. A thread that has to share
/// its CPU delays all others at the end of each parallel region.
class ContentionPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  /// Updates the choice from the use of `cpus` CPUs in the interval that ends now; at most `most` threads can
  /// work.
  void note(const CpuUse& use, int cpus, int most, Clock::time_point now);
  /// The chosen number of threads; empty if all should work.
  std::optional<int> threads() const { return threads_; }
  /// Estimated CPU demand of other processes: what their threads would use with a CPU for each.
  double demand() const { return demand_; }

 private:
  void estimate(const CpuUse& use, int cpus, int threads);
  std::optional<int> best(int cpus, int most, Clock::time_point now);

  double demand_ = 0;
  int times_seen_ = 0;
  std::optional<int> threads_;
  int times_below_fair_ = 0;
  Clock::time_point full_share_until_{};
};

/// Measures CPU contention while this process works.
class CpuContention {
 public:
  static CpuContention& of_process();

  /// Returns how many of `most` threads should work on the CPUs in a mask. Samples at most every 90 ms and
  /// spends at most a thousandth of the time on sampling.
  int usable_threads(const CpuMask& mask, int cpus, int most);

 private:
  using Clock = std::chrono::steady_clock;
  struct Sample {
    CpuMask mask;
    Clock::time_point at;
    CpuTimes all;
    double own = 0;
  };

  std::mutex guard_;
  std::optional<Sample> last_;
  Clock::time_point next_sample_;
  ContentionPolicy policy_;
  std::atomic<int> threads_{0};  ///< 0: all
};

}  // namespace dyad
