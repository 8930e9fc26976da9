#include "base/cpu_contention.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/available_cpus.h"
#include "base/parallel.h"

namespace dyad {
namespace {

using Clock = ContentionPolicy::Clock;

/// CPUs with a process of `most` threads on them and with `wanted` threads of others, as time goes on.
class Machine {
 public:
  Machine(int cpus, int most) : cpus_(cpus), most_(most) {}

  /// Lets 100 ms pass; gives the number of threads that work then.
  int pass(double wanted) {
    const double threads = working(), all = threads + wanted;
    const double own = all <= cpus_ ? threads : cpus_ * threads / all;
    const double others = all <= cpus_ ? wanted : cpus_ - own;
    learned_.note({.others = others, .own = own, .idle = cpus_ - own - others}, cpus_, most_,
                  now_ += std::chrono::milliseconds(100));
    return working();
  }
  int after(double wanted, int times) {
    for (int i = 0; i < times; ++i) pass(wanted);
    return working();
  }
  int working() const { return learned_.threads().value_or(most_); }
  double demand() const { return learned_.demand(); }

 private:
  int cpus_, most_;
  ContentionPolicy learned_;
  Clock::time_point now_{};
};

TEST(ContentionPolicy, AreAllWhereEachHasACpu) {
  EXPECT_EQ(Machine(2, 2).after(0, 4), 2);
  EXPECT_EQ(Machine(2, 2).after(0.4, 4), 2);
  EXPECT_EQ(Machine(16, 8).after(8, 4), 8);
  EXPECT_EQ(Machine(64, 4).after(60, 4), 4);
  EXPECT_EQ(Machine(1, 1).after(100, 4), 1);
}

TEST(ContentionPolicy, LeaveOthersTheirCpus) {
  EXPECT_EQ(Machine(2, 2).after(1, 4), 1);
  EXPECT_EQ(Machine(4, 4).after(1, 4), 3);
  EXPECT_EQ(Machine(16, 16).after(1, 4), 15);
  EXPECT_EQ(Machine(64, 64).after(10, 4), 54);
}

TEST(ContentionPolicy, CountOthersThatAreThereTwice) {
  Machine machine(2, 2);
  EXPECT_EQ(machine.pass(1), 2);
  EXPECT_EQ(machine.pass(0), 2);
  EXPECT_EQ(machine.pass(1), 2);
  EXPECT_EQ(machine.pass(1), 1);
  EXPECT_EQ(machine.pass(0), 2);
}

TEST(ContentionPolicy, StayWhereOthersPauseForAMoment) {
  Machine machine(2, 2);
  EXPECT_EQ(machine.after(1, 4), 1);
  EXPECT_EQ(machine.pass(0.5), 1);
  EXPECT_EQ(machine.pass(1), 1);
  EXPECT_EQ(Machine(2, 2).after(0.6, 10), 2);
}

TEST(ContentionPolicy, EstimateOthersHoweverManyTakePart) {
  Machine machine(16, 16);
  for (int i = 0; i < 40; ++i) {
    machine.pass(16);
    if (i == 0) continue;
    EXPECT_NEAR(machine.demand(), 16, 1e-9);
  }
}

TEST(ContentionPolicy, InsistOnTheirShareWhereOthersDo) {
  for (const auto& [cpus, wanted] : {std::pair{2, 2}, {4, 8}, {16, 16}, {16, 64}}) {
    Machine machine(cpus, cpus);
    const double fair = static_cast<double>(cpus) * cpus / (cpus + wanted);
    const double share = [&](int threads) {
      return static_cast<double>(cpus) * threads / (threads + wanted);
    }(machine.after(wanted, 20));
    EXPECT_GE(share * 1.35, fair) << cpus << " CPUs, " << wanted << " threads of others";
    // From time to time fewer try again, for others may have come to leave CPUs too.
    int fewest = cpus, most = 0;
    for (int i = 0; i < 200; ++i) {
      fewest = std::min(fewest, machine.pass(wanted));
      most = std::max(most, machine.working());
    }
    EXPECT_EQ(fewest, std::max(1, static_cast<int>(fair)));
    EXPECT_GT(most, fewest);
  }
}

TEST(ContentionPolicy, OfTwoAlikeLeaveEachOtherTheirHalf) {
  for (const int cpus : {2, 4, 16}) {
    for (const int later : {0, 1, 7, 130}) {
      Machine one(cpus, cpus), other(cpus, cpus);
      for (int i = 0; i < 300; ++i) {
        const int of_other = i < later ? 0 : other.working();
        const int of_one = one.working();
        one.pass(of_other);
        if (i >= later) other.pass(of_one);
      }
      EXPECT_EQ(one.working(), cpus / 2) << cpus << " CPUs, " << later;
      EXPECT_EQ(other.working(), cpus / 2) << cpus << " CPUs, " << later;
    }
  }
}

class CpuTimesOfFile : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "stat" + std::to_string(getpid());
    std::filesystem::create_directories(root_ + "/proc");
    ticks_ = static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& text) { std::ofstream(root_ + "/proc/stat") << text; }

  std::string root_;
  double ticks_ = 0;
};

TEST_F(CpuTimesOfFile, AreThoseOfTheMask) {
  write(
      "cpu  1 1 1 1 1 1 1 1 1 1\n"
      "cpu0 100 10 20 1000 5 1 2 50 7 0\n"
      "cpu1 1 1 1 1 1 1 1 1 0 0\n"
      "cpu65 200 0 0 2000 0 0 0 0 0 0\n"
      "intr 12345 6 7\n");
  const auto times = cpu_times({1, 2}, root_);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->busy * ticks_, 100 + 10 + 20 + 1 + 2 + 200);
  EXPECT_DOUBLE_EQ(times->idle * ticks_, 1005 + 2000);
}

TEST_F(CpuTimesOfFile, AreUnknownWithoutLinesOfTheMask) {
  EXPECT_FALSE(cpu_times({1}, root_));
  write("cpu  1 1 1 1 1 1 1 1 1 1\n");
  EXPECT_FALSE(cpu_times({1}, root_));
  write("cpu0 what is this\ncpu4 1 2 3 4 5 6 7 8\n");
  EXPECT_FALSE(cpu_times({1}, root_));
  EXPECT_FALSE(cpu_times({}, root_));
}

TEST(ActiveThreads, AreThoseThatWereChosen) {
  set_thread_count(3);
  EXPECT_EQ(active_threads(), 3);
  set_thread_count(0);
  EXPECT_GE(active_threads(), 1);
  EXPECT_LE(active_threads(), thread_count());
}

}  // namespace
}  // namespace dyad
