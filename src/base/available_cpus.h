#pragma once

#include <chrono>
#include <string>

#include "base/company.h"

namespace dyad {

/// The smallest CPU quota of the control groups (version 1 or 2) that this process is in, in CPUs; infinite
/// without one. Files are read below `root`.
double cpu_quota(const std::string& root = "");

/// CPUs that one thread may use: those of its affinity mask, at most the CPU quota of the process. Both may
/// change while the process runs, and so may what other processes want of them: all of it is read again from
/// time to time.
class AvailableCpus {
 public:
  /// Of the calling thread.
  static AvailableCpus& mine();

  enum class Change { kNone, kCount, kMask };
  /// Reads all of it again if that was last done 100 ms ago or earlier. A count is that of either kind.
  Change look();
  /// As of the last look. A part of a CPU counts as one.
  int count() const { return count_; }
  /// Those of them that other processes leave to this thread, as of the last look; at least one.
  int left() const { return left_; }

 private:
  AvailableCpus();
  int read();

  CpuMask mask_;
  int count_ = 1;
  int left_ = 1;
  std::chrono::steady_clock::time_point last_look_;
};

}  // namespace dyad
