#pragma once

#include <chrono>
#include <string>

#include "base/cpu_contention.h"

namespace dyad {

/// The smallest CPU quota of the control groups (version 1 or 2) that this process is in, in CPUs; infinite
/// without one. Files are read below `root`.
double cpu_quota(const std::string& root = "");

/// CPUs that one thread may use: those of its affinity mask, at most the CPU quota of the process. Both may
/// change while the process runs, and so may the CPU use of other processes: all are read again from time to
/// time.
class AvailableCpus {
 public:
  /// Of the calling thread.
  static AvailableCpus& mine();

  enum class Change { kNone, kCount, kMask };
  /// Reads them again if the last time was at least 100 ms ago.
  Change look();
  /// As of the last look. A part of a CPU counts as one.
  int count() const { return count_; }
  /// Those that parallel work should use while other processes are busy; at least one.
  int usable() const { return usable_; }

 private:
  AvailableCpus();
  int read();

  CpuMask mask_;
  int count_ = 1;
  int usable_ = 1;
  std::chrono::steady_clock::time_point last_look_;
};

}  // namespace dyad
