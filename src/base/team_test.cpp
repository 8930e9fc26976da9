#include "base/team.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/region_threads.h"
#include "base/thread_count.h"

namespace dyad {
namespace {

class TeamTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = thread_count();
    set_thread_count(4);
  }
  void TearDown() override { set_thread_count(before_); }

 private:
  int before_ = 1;
};

/// Names of this process's threads in the kernel; a thread that ends and is made anew gets another one.
std::set<std::string> threads_of_process() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    names.insert(entry.path().filename());
  return names;
}

void library_call(double grains) {
  const LibraryThreads threads(grains);
  std::atomic<int> members{0};
#pragma omp parallel num_threads(region_threads())
  ++members;
  EXPECT_EQ(members.load(), region_threads());
}

int64_t sum_of(int64_t count, int64_t grain) {
  std::atomic<int64_t> sum{0};
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  });
  return sum.load();
}

TEST_F(TeamTest, RegionsOfAllSizesShareTheSameThreads) {
  sum_of(1000, 1);
  library_call(1e6);
  const auto at_first = threads_of_process();
  for (int round = 0; round < 3; ++round) {
    for (const int64_t count : {2, 3, 4, 1000}) EXPECT_EQ(sum_of(count, 1), count * (count - 1) / 2);
    library_call(1e6);
    library_call(0.1);
    const ProgramThreads program;
    EXPECT_EQ(sum_of(3, 1), 3);
    library_call(1e6);
    EXPECT_EQ(sum_of(100, 1), 4950);
  }
  EXPECT_EQ(threads_of_process(), at_first);
}

TEST_F(TeamTest, StaysTogetherWhileAProgramRuns) {
  Team& team = Team::mine();
  {
    const ProgramThreads program;
    sum_of(100, 1);
    EXPECT_TRUE(team.together());
    {
      const ProgramThreads inner;
      sum_of(100, 1);
    }
    EXPECT_TRUE(team.together());
    leave_region();
    EXPECT_FALSE(team.together());
    EXPECT_FALSE(omp_in_parallel());
    EXPECT_EQ(sum_of(100, 1), 4950);
  }
  EXPECT_FALSE(team.together());
  sum_of(100, 1);
  EXPECT_FALSE(team.together());
}

TEST_F(TeamTest, ManyHandOversVisitEachItemOnce) {
  const ProgramThreads program;
  std::vector<std::atomic<int>> visits(64);
  constexpr int kTimes = 3000;
  for (int time = 0; time < kTimes; ++time) {
    parallel_pieces(64, 1 + time % 9, 2 + time % 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
    });
  }
  for (const auto& visit : visits) ASSERT_EQ(visit.load(), kTimes);
}

TEST_F(TeamTest, AnErrorLeavesTheTeamUsable) {
  const ProgramThreads program;
  const auto failing = [] {
    parallel_pieces(1000, 1, 4, [](int64_t begin, int64_t end) {
      if (begin <= 700 && 700 < end) throw std::runtime_error("item 700");
    });
  };
  EXPECT_THROW(failing(), std::runtime_error);
  EXPECT_EQ(sum_of(100, 1), 4950);
}

TEST_F(TeamTest, ThreadsFollowTheWork) {
  const ProgramThreads program;
  EXPECT_EQ(worthwhile_threads(1), 1);
  EXPECT_EQ(worthwhile_threads(1e6), 4);
  parallel_pieces(4, 1, 4, [](int64_t, int64_t) { EXPECT_EQ(worthwhile_threads(1e6), 1); });
}

TEST_F(TeamTest, SmallStepsOfAProgramCallItTogetherInTheEnd) {
  const ProgramThreads program;
  const Team::Costs costs = Team::costs();
  // Worth a thread in an open region, not worth opening one.
  const double grains = 2 * std::max(1.0, costs.hand_over / kGrainTime);
  ASSERT_LT(grains, 1.5 * std::max(1.0, costs.region / kGrainTime));
  int times = 0;
  while (worthwhile_threads(grains) == 1 && times < 100) ++times;
  EXPECT_GT(times, 0);
  EXPECT_LT(times, 100);
}

TEST_F(TeamTest, ThreadsOfTheHostHaveTeamsOfTheirOwn) {
  std::vector<std::thread> hosts;
  for (int i = 0; i < 3; ++i) {
    hosts.emplace_back([] {
      const ProgramThreads program;
      for (int time = 0; time < 50; ++time) EXPECT_EQ(sum_of(100, 1), 4950);
    });
  }
  for (std::thread& host : hosts) host.join();
}

}  // namespace
}  // namespace dyad
