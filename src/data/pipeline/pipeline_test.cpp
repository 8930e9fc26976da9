#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "data/pipeline/pipeline_fixture.h"

namespace dyad::data {
namespace {

using Epoch = std::vector<int64_t>;
using Epochs = std::vector<Epoch>;

Epoch counted(int64_t size) {
  Epoch list(static_cast<size_t>(size));
  std::iota(list.begin(), list.end(), int64_t{0});
  return list;
}

Epoch sorted(Epoch list) {
  std::sort(list.begin(), list.end());
  return list;
}

/// A pipeline with everything random in it.
StageRef random_chain() {
  StageRef rows = sampled(std::make_shared<CountingSource>(50), random_order(false, 0));
  rows = mapped(shuffled(rows, 7), {random_numbers(), of_number([](int64_t x) { return x / 2; })}, {{0}, {}});
  StageRef odd = filtered(rows, of_number([](int64_t x) { return x % 3; }), {0});
  return repeated(in_batches(odd, 4), 2);
}

std::string message_of(const std::function<void()>& body, ErrorKind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    return error.message();
  }
  return "nothing was raised";
}

TEST(Pipeline, RowsComeInOrderWhateverTheNumberOfThreads) {
  for (const int workers : {1, 2, 7}) {
    const auto slow_even = [](int64_t i) {
      if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    EXPECT_EQ(numbers(counting(300, slow_even), workers), Epochs{counted(300)});
  }
}

TEST(Pipeline, TheSameSeedGivesTheSameRunWithAnyNumberOfThreads) {
  const Epochs alone = numbers(random_chain(), 1, 3);
  ASSERT_EQ(alone.size(), 3u);
  EXPECT_NE(alone[0], alone[1]);
  for (const int workers : {2, 7}) EXPECT_EQ(numbers(random_chain(), workers, 3), alone) << workers;
  EXPECT_NE(numbers(random_chain(), 2, 3, 4), alone);
}

TEST(Pipeline, EpochsEndAndBeginAgain) {
  EXPECT_EQ(numbers(counting(5), 2, 3), (Epochs{counted(5), counted(5), counted(5)}));
  EXPECT_EQ(numbers(counting(0), 2, 2), (Epochs{{}, {}}));
}

TEST(Pipeline, WithoutAnEndItGoesOnUntilItIsClosed) {
  Pipeline pipeline(counting(3), 1, 3, 4, -1);
  Row row;
  for (int epoch = 0; epoch < 50; ++epoch) {
    for (int64_t i = 0; i < 3; ++i) {
      ASSERT_EQ(pipeline.next(row), Pipeline::Step::kRow);
      EXPECT_EQ(number_of(row[0]), i);
    }
    ASSERT_EQ(pipeline.next(row), Pipeline::Step::kEpochEnd);
  }
  pipeline.close();
  EXPECT_NE(message_of([&] { pipeline.next(row); }, ErrorKind::kRuntime).find("closed"), std::string::npos);
}

TEST(Pipeline, AnErrorComesInItsTurnAndClosesThePipeline) {
  for (const int workers : {1, 4}) {
    const auto fail_at_20 = [](int64_t i) {
      if (i == 20) value_error("row 20 is broken");
    };
    Pipeline pipeline(counting(100, fail_at_20), 1, workers, 8, 1);
    Row row;
    for (int64_t i = 0; i < 20; ++i) {
      ASSERT_EQ(pipeline.next(row), Pipeline::Step::kRow);
      EXPECT_EQ(number_of(row[0]), i);
    }
    EXPECT_EQ(message_of([&] { pipeline.next(row); }, ErrorKind::kRuntime), "row 20 is broken");
    EXPECT_NE(message_of([&] { pipeline.next(row); }, ErrorKind::kRuntime).find("closed"), std::string::npos);
  }
}

TEST(Pipeline, AnErrorBelowAStageWithItsOwnThreadsComesThrough) {
  const auto fail_at_3 = [](int64_t i) {
    if (i == 3) runtime_error("row 3 is broken");
  };
  const TransformRef all = of_number([](int64_t) { return 1; });
  Pipeline pipeline(filtered(counting(9, fail_at_3), all, {0}), 1, 3, 4, 2);
  Row row;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pipeline.next(row), Pipeline::Step::kRow);
  EXPECT_EQ(message_of([&] { pipeline.next(row); }, ErrorKind::kRuntime), "row 3 is broken");
}

TEST(Pipeline, AFailedTransformTellsWhereTheRowIsFrom) {
  const TransformRef fail = of_number([](int64_t x) -> int64_t { value_error("bad number ", x); });
  Pipeline pipeline(mapped(counting(3), {fail}, {{0}, {}}), 1, 1, 1, 1);
  Row row;
  EXPECT_EQ(message_of([&] { pipeline.next(row); }, ErrorKind::kRuntime),
            "bad number 0; the row is from file 0");
}

TEST(Pipeline, ItCanBeDroppedAtAnyMoment) {
  for (int taken_rows = 0; taken_rows < 40; ++taken_rows) {
    Pipeline pipeline(random_chain(), 1, 3, 2, -1);
    Row row;
    for (int i = 0; i < taken_rows; ++i) pipeline.next(row);
  }
}

TEST(Pipeline, ClosingWakesAWaitingConsumer) {
  const auto slow = [](int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); };
  Pipeline pipeline(counting(1000, slow), 1, 1, 1, 1);
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pipeline.close();
  });
  Row row;
  const std::string message = message_of(
      [&] {
        for (;;) pipeline.next(row);
      },
      ErrorKind::kRuntime);
  closer.join();
  EXPECT_NE(message.find("closed"), std::string::npos);
}

TEST(Pipeline, SeveralConsumersShareTheRows) {
  Pipeline pipeline(counting(500), 1, 2, 4, 1);
  std::vector<Epoch> got(3);
  std::vector<std::thread> consumers;
  for (Epoch& mine : got) {
    consumers.emplace_back([&pipeline, &mine] {
      Row row;
      for (Pipeline::Step step; (step = pipeline.next(row)) != Pipeline::Step::kEnd;) {
        if (step == Pipeline::Step::kRow) mine.push_back(number_of(row[0]));
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  Epoch all;
  for (const Epoch& mine : got) all.insert(all.end(), mine.begin(), mine.end());
  EXPECT_EQ(sorted(all), counted(500));
}

TEST(Pipeline, APipelineInsideATransformOfAnother) {
  const TransformRef nested = of_number([](int64_t x) {
    const Epochs inner = numbers(counting(x), 2, 1);
    return std::accumulate(inner[0].begin(), inner[0].end(), int64_t{0});
  });
  EXPECT_EQ(numbers(mapped(counting(5), {nested}, {{0}, {}}), 3), (Epochs{{0, 0, 1, 3, 6}}));
}

TEST(Pipeline, StatisticsCountRowsPerStage) {
  Pipeline pipeline(in_batches(counting(10), 4), 1, 2, 4, 2);
  numbers(pipeline);
  const Pipeline::Statistics all = pipeline.statistics();
  ASSERT_EQ(all.stages.size(), 2u);
  EXPECT_EQ(all.stages[0].name, "batched");
  EXPECT_EQ(all.stages[0].rows, 6);
  EXPECT_EQ(all.stages[0].children, std::vector<int>{0});
  EXPECT_EQ(all.stages[1].rows, 20);
  EXPECT_GT(all.stages[1].seconds, 0);
  EXPECT_EQ(all.rows, 6);
}

TEST(Pipeline, AStageBelongsToOnePipeline) {
  const StageRef stage = counting(3);
  const Pipeline first(stage, 1, 1, 1, 1);
  EXPECT_NE(message_of([&] { Pipeline(stage, 1, 1, 1, 1); }, ErrorKind::kInternal).find("already"),
            std::string::npos);
}

TEST(Pipeline, WrongNumbersAreRefused) {
  EXPECT_EQ(message_of([] { Pipeline(counting(1), 1, 0, 1, 1); }, ErrorKind::kValue),
            "dataset: the number of workers is 0; need at least 1");
  EXPECT_EQ(message_of([] { Pipeline(counting(1), 1, 1, 0, 1); }, ErrorKind::kValue),
            "dataset: the prefetch size is 0; need at least 1");
  EXPECT_EQ(message_of([] { Pipeline(counting(1), 1, 1, 1, 0); }, ErrorKind::kValue),
            "dataset: num_epochs is 0; need at least 1, or -1 for no end");
}

}  // namespace
}  // namespace dyad::data
