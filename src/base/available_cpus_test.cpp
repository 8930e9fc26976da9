#include "base/available_cpus.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/parallel.h"
#include "base/team.h"
#include "base/thread_count.h"

namespace dyad {
namespace {

/// A folder with files of the kernel's.
class CpuQuota : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "quota" + std::to_string(getpid());
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double quota() const { return cpu_quota(root_); }

 private:
  std::string root_;
};

TEST_F(CpuQuota, IsInfiniteWithoutControlGroups) { EXPECT_TRUE(std::isinf(quota())); }

TEST_F(CpuQuota, OfVersion2IsTheSmallestOnThePath) {
  write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  write("/proc/self/cgroup", "0::/work/job\n");
  write("/sys/fs/cgroup/work/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/work/job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("/sys/fs/cgroup/work/job/cpu.max", "25000 50000\n");
  EXPECT_EQ(quota(), 0.5);
  write("/sys/fs/cgroup/work/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/work/job/cpu.max", "max 100000\n");
  EXPECT_TRUE(std::isinf(quota()));
}

TEST_F(CpuQuota, OfVersion1IsThatOfTheCpuController) {
  write("/proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("/proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/job\n0::/\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(quota()));
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, OfAContainerIsThatOfTheGroupThatItSees) {
  // The container's group is mounted as the topmost one, and is told with its path outside.
  write("/proc/self/mountinfo", "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  write("/proc/self/cgroup", "2:cpu:/docker/abc\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.5);
  write("/proc/self/cgroup", "2:cpu:/docker/abcdef\n");
  EXPECT_EQ(quota(), 0.5);
}

/// Runs on a thread of its own, whose affinity mask ends with it.
template <class Body>
void on_a_thread(const Body& body) {
  std::thread(body).join();
}

cpu_set_t mask_now() {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

/// Leaves the first CPU of the mask.
void use_one_cpu(const cpu_set_t& before) {
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void wait_for_a_look() { std::this_thread::sleep_for(std::chrono::milliseconds(110)); }

TEST(AvailableCpus, ThreadsFollowTheAffinityMask) {
  const int before = thread_count();
  set_thread_count(0);
  on_a_thread([] {
    const cpu_set_t all = mask_now();
    const int most = thread_count();
    use_one_cpu(all);
    wait_for_a_look();
    follow_cpus();
    EXPECT_EQ(thread_count(), 1);
    sched_setaffinity(0, sizeof all, &all);
    wait_for_a_look();
    parallel_for(1000, 1, [](int64_t, int64_t) {});
    EXPECT_EQ(thread_count(), most);
  });
  set_thread_count(before);
}

TEST(AvailableCpus, AChosenNumberOfThreadsMovesToTheNewMask) {
  const int before = thread_count();
  set_thread_count(3);
  on_a_thread([] {
    const auto cpus_of_workers = [] {
      std::atomic<int> most{0};
      parallel_pieces(300, 1, 3, [&](int64_t, int64_t) {
        const cpu_set_t mask = mask_now();
        for (int seen = most;
             seen < CPU_COUNT(&mask) && !most.compare_exchange_weak(seen, CPU_COUNT(&mask));) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(10));
      });
      return most.load();
    };
    const cpu_set_t all = mask_now();
    EXPECT_EQ(cpus_of_workers(), CPU_COUNT(&all));
    use_one_cpu(all);
    wait_for_a_look();
    follow_cpus();
    EXPECT_EQ(thread_count(), 3);
    EXPECT_EQ(cpus_of_workers(), 1);
  });
  set_thread_count(before);
}

TEST(AvailableCpus, CountChangesInTheMiddleOfAProgram) {
  const int before = thread_count();
  set_thread_count(0);
  on_a_thread([] {
    const ProgramThreads program;
    std::atomic<int64_t> sum{0};
    const auto work = [&] { parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; }); };
    const cpu_set_t all = mask_now();
    work();
    use_one_cpu(all);
    wait_for_a_look();
    work();
    EXPECT_EQ(thread_count(), 1);
    EXPECT_FALSE(Team::mine().together());
    sched_setaffinity(0, sizeof all, &all);
    wait_for_a_look();
    work();
    EXPECT_EQ(sum.load(), 3000);
  });
  set_thread_count(before);
}

TEST(OpenMpRuntime, SleepsEarlyAndTheEnvironmentIsAsBefore) {
  testing::internal::CaptureStderr();
  omp_display_env(1);
  const std::string settings = testing::internal::GetCapturedStderr();
  const char* of_user = std::getenv("GOMP_SPINCOUNT");
  if (of_user) {
    EXPECT_NE(settings.find(std::string("GOMP_SPINCOUNT = '") + of_user), std::string::npos) << settings;
  } else if (!std::getenv("OMP_WAIT_POLICY")) {
    EXPECT_NE(settings.find("GOMP_SPINCOUNT = '5000'"), std::string::npos) << settings;
  }
}

}  // namespace
}  // namespace dyad
