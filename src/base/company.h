#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dyad {

/// A bit per CPU, as the system gives affinity masks; empty where it gives none.
using CpuMask = std::vector<unsigned long>;

/// Seconds that some CPUs together have spent on work and without it since the machine was started. What a
/// hypervisor gave to other machines is neither.
struct CpuTimes {
  double busy = 0;
  double idle = 0;
};
/// Of the CPUs of a mask, from /proc/stat below `root`; nothing where that does not tell.
std::optional<CpuTimes> cpu_times(const CpuMask& mask, const std::string& root = "");

/// What the CPUs did in a stretch of time, in CPUs: 2 is two CPUs all the time.
struct CpuUse {
  double others = 0;  ///< work of other processes
  double own = 0;     ///< work of this one
  double idle = 0;
};

/// How many threads of this process work best next to other processes, learned from what the CPUs did.
class ThreadsInCompany {
 public:
  using Clock = std::chrono::steady_clock;

  /// Learns what `cpus` CPUs did until `now`, while at most `most` threads shared work.
  void note(const CpuUse& use, int cpus, int most, Clock::time_point now);
  /// The number of threads as of the last note; none where all should work.
  std::optional<int> threads() const { return threads_; }
  /// How many CPUs the threads of other processes would use if each had one; 0 where there is no company.
  double wanted() const { return wanted_; }

 private:
  void estimate(const CpuUse& use, int cpus, int threads);
  std::optional<int> best(int cpus, int most, Clock::time_point now);

  double wanted_ = 0;
  int times_seen_ = 0;
  std::optional<int> threads_;
  int times_below_share_ = 0;
  Clock::time_point insists_until_{};
};

/// What other processes leave of the CPUs, measured while this one works.
class Company {
 public:
  static Company& of_process();

  /// How many of at most `most` threads should work on the CPUs of a mask. Measures anew if that was last
  /// done 90 ms ago or earlier, but spends no more than a thousandth of the time on it.
  int look(const CpuMask& mask, int cpus, int most);

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
  Clock::time_point next_look_;
  ThreadsInCompany learned_;
  std::atomic<int> threads_{0};  ///< 0: all
};

}  // namespace dyad
