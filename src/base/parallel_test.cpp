#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dyad {
namespace {

/// Sets the number of threads for one test.
class Threads {
 public:
  explicit Threads(int count) : before_(thread_count()) { set_thread_count(count); }
  ~Threads() { set_thread_count(before_); }

 private:
  int before_;
};

TEST(ParallelFor, VisitsEachItemOnce) {
  for (int threads : {1, 2, 5}) {
    Threads guard(threads);
    for (int64_t count : {0, 1, 7, 1000, 100003}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
      parallel_for(count, 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      for (auto& visit : visits) ASSERT_EQ(visit.load(), 1);
    }
  }
}

TEST(ParallelFor, SmallWorkStaysOnTheCallersThread) {
  int ranges = 0;
  const auto caller = std::this_thread::get_id();
  parallel_for(100, 100, [&](int64_t begin, int64_t end) {
    ++ranges;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(ranges, 1);
}

TEST(ParallelFor, ErrorOfAWorkerSurfacesInTheCaller) {
  Threads guard(2);
  auto failing = [] {
    parallel_for(10000, 10, [](int64_t begin, int64_t end) {
      if (begin <= 7000 && 7000 < end) throw std::runtime_error("item 7000");
    });
  };
  EXPECT_THROW(failing(), std::runtime_error);
}

TEST(ParallelFor, NestedCallsRunToTheEnd) {
  Threads guard(2);
  std::atomic<int64_t> sum{0};
  parallel_for(64, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(100, 1, [&](int64_t b, int64_t e) { sum += e - b; });
    }
  });
  EXPECT_EQ(sum.load(), 6400);
}

TEST(ParallelFor, ThreadCountIsAtLeastOne) {
  Threads guard(1);
  set_thread_count(-3);
  EXPECT_EQ(thread_count(), 1);
}

TEST(ParallelFor, InterruptStopsLongWork) {
  Threads guard(2);
  set_interrupt_check([] { throw std::runtime_error("stop"); });
  std::atomic<int64_t> done{0};
  auto long_work = [&] {
    parallel_for(64, 1, [&](int64_t begin, int64_t end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60) * (end - begin));
      done += end - begin;
    });
  };
  EXPECT_THROW(long_work(), std::runtime_error);
  set_interrupt_check(nullptr);
  EXPECT_LT(done.load(), 64);
}

}  // namespace
}  // namespace dyad
