#include "data/pipeline/finish_rows.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "data/pipeline/pipeline_fixture.h"

namespace dyad::data {
namespace {

/// Notes which threads made rows, each of which takes long.
struct Makers {
  std::mutex guard;
  std::set<std::thread::id> threads;

  void make(int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(guard);
    threads.insert(std::this_thread::get_id());
  }
};

std::vector<int64_t> first_batch(int workers, int64_t rows, const std::function<void(int64_t)>& make) {
  Pipeline pipeline(in_batches(counting(rows, make), rows), 1, workers, 2, 1);
  Row row;
  EXPECT_EQ(pipeline.next(row), Pipeline::Step::kRow);
  const Tensor batch = row[0].tensor("test");
  return {batch->as<int64_t>(), batch->as<int64_t>() + batch->size()};
}

TEST(FinishRows, ThreadsWithNothingToDoHelpWithALongBatch) {
  Makers makers;
  const std::vector<int64_t> batch = first_batch(4, 40, [&](int64_t i) { makers.make(i); });
  for (size_t i = 0; i < batch.size(); ++i) EXPECT_EQ(batch[i], static_cast<int64_t>(i));
  EXPECT_EQ(batch.size(), 40u);
  EXPECT_GT(makers.threads.size(), 1u);
}

TEST(FinishRows, TheFirstRowThatFailsIsToldWhoeverMadeIt) {
  for (int turn = 0; turn < 20; ++turn) {
    const auto fail = [](int64_t i) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (i >= 7) runtime_error("row ", i);
    };
    try {
      first_batch(4, 30, fail);
      FAIL() << "nothing was raised";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("row 7"), std::string::npos) << error.message();
    }
  }
}

TEST(FinishRows, AThreadOfNoRingIsAlone) {
  const StageRef stage = counting(3);
  data::Run run;
  stage->join(run);
  stage->begin(0);
  std::vector<Work> rows(3);
  for (Work& row : rows) ASSERT_TRUE(stage->claim(row));
  std::vector<int64_t> seen;
  finish_rows(*stage, rows, [&](Work& row) { seen.push_back(number_of(row.row[0])); });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace dyad::data
