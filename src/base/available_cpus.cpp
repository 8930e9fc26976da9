#include "base/available_cpus.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string_view>

namespace dyad {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr double kNoQuota = std::numeric_limits<double>::infinity();
constexpr size_t kMostCpus = 1 << 16;
constexpr size_t kCpusPerWord = 8 * sizeof(unsigned long);

/// The affinity mask of the calling thread, a bit per CPU; empty if the system does not say.
CpuMask affinity_mask() {
  for (size_t most = CPU_SETSIZE; most <= kMostCpus; most *= 2) {
    CpuMask mask(most / kCpusPerWord);
    auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
    if (sched_getaffinity(0, most / 8, set) == 0) return mask;
  }
  return {};
}

int cpus_of(const CpuMask& mask) {
  // A thread that the OpenMP runtime binds to a place has that place alone in its mask.
  if (mask.empty() || omp_get_proc_bind() != omp_proc_bind_false) return omp_get_num_procs();
  return std::accumulate(mask.begin(), mask.end(), 0,
                         [](int sum, unsigned long word) { return sum + std::popcount(word); });
}

/// Whether a list with commas has the entry.
bool has_entry(const std::string& list, std::string_view entry) {
  std::istringstream entries(list);
  for (std::string each; std::getline(entries, each, ',');) {
    if (each == entry) return true;
  }
  return false;
}

/// A hierarchy of control groups that can limit CPU time, and the group of this process in it.
struct Hierarchy {
  bool unified = false;  ///< version 2
  std::string mounted;   ///< folder of the topmost group that is visible here
  std::string top;       ///< path of that group
  std::string group;     ///< path of the process's group
};

/// From a line of /proc/self/mountinfo; without the process's group. False if it is another mount.
bool read_mount(const std::string& line, Hierarchy& found) {
  std::istringstream words(line);
  std::string word;
  words >> word >> word >> word >> found.top >> found.mounted;
  while (words >> word && word != "-") continue;
  std::string type;
  words >> type >> word >> word;
  found.unified = type == "cgroup2";
  return found.unified || (type == "cgroup" && has_entry(word, "cpu"));
}

std::vector<Hierarchy> hierarchies(const std::string& root) {
  std::vector<Hierarchy> all;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (Hierarchy found; read_mount(line, found)) all.push_back(std::move(found));
  }
  return all;
}

/// From /proc/self/cgroup, whose lines are `number:controllers:path`.
void read_group(const std::string& root, Hierarchy& hierarchy) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.unified ? controllers.empty() : has_entry(controllers, "cpu"))
      hierarchy.group = line.substr(second + 1);
  }
}

/// The quota of one group in CPUs.
double quota_of(const std::string& folder, bool unified) {
  std::string quota;
  double period = 0;
  if (unified) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  const double time = std::strtod(quota.c_str(), nullptr);  // "max" is 0 and no quota is -1
  return time > 0 && period > 0 ? time / period : kNoQuota;
}

/// The smallest quota from the process's group up to the topmost visible one.
double quota_in(const Hierarchy& hierarchy, const std::string& root) {
  // Files show the groups below `top`. A group that is elsewhere is not visible, and `top` itself is read.
  std::string path = hierarchy.group;
  if (hierarchy.top != "/") {
    const bool below = path.starts_with(hierarchy.top + "/");
    path = below ? path.substr(hierarchy.top.size()) : "";
  }
  if (path == "/" || path.starts_with("/..")) path.clear();
  double smallest = kNoQuota;
  while (true) {
    smallest = std::min(smallest, quota_of(root + hierarchy.mounted + path, hierarchy.unified));
    const size_t end = path.rfind('/');
    if (end == std::string::npos) return smallest;
    path.erase(end);
  }
}

double smallest_quota(const std::vector<Hierarchy>& all, const std::string& root) {
  double smallest = kNoQuota;
  for (Hierarchy hierarchy : all) {
    read_group(root, hierarchy);
    smallest = std::min(smallest, quota_in(hierarchy, root));
  }
  return smallest;
}

/// The quota of this process, read by one thread for all.
double current_quota() {
  static const std::vector<Hierarchy> all = hierarchies("");
  static std::atomic<double> quota{kNoQuota};
  static std::atomic<Clock::rep> next_look{0};
  if (all.empty()) return kNoQuota;
  const Clock::duration now = Clock::now().time_since_epoch();
  if (Clock::rep due = next_look.load(); now.count() >= due) {
    if (next_look.compare_exchange_strong(due, (now + kInterval).count())) quota = smallest_quota(all, "");
  }
  return quota;
}

}  // namespace

double cpu_quota(const std::string& root) { return smallest_quota(hierarchies(root), root); }

AvailableCpus& AvailableCpus::mine() {
  static thread_local AvailableCpus cpus;
  return cpus;
}

AvailableCpus::AvailableCpus()
    : mask_(affinity_mask()), count_(read()), usable_(count_), last_look_(Clock::now()) {}

int AvailableCpus::read() {
  const double cpus = std::min<double>(cpus_of(mask_), std::ceil(current_quota()));
  return std::max(1, static_cast<int>(cpus));
}

AvailableCpus::Change AvailableCpus::look() {
  const auto now = Clock::now();
  if (now - last_look_ < kInterval) return Change::kNone;
  last_look_ = now;
  CpuMask mask = affinity_mask();
  const bool moved = mask != mask_;
  mask_ = std::move(mask);
  const int count_before = count_, usable_before = usable_;
  count_ = read();
  usable_ = CpuContention::of_process().usable_threads(mask_, cpus_of(mask_), count_);
  if (moved) return Change::kMask;
  return count_ != count_before || usable_ != usable_before ? Change::kCount : Change::kNone;
}

}  // namespace dyad
