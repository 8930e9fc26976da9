#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "data/pipeline/pipeline_fixture.h"
#include "data/pipeline/stages.h"

namespace dyad::data {
namespace {

using Epochs = std::vector<std::vector<int64_t>>;

TEST(Shuffled, DrawsFromABufferOfSoManyRows) {
  for (const int64_t buffer : {1, 2, 5, 20, 100}) {
    const std::vector<int64_t> order = numbers(shuffled(counting(20), buffer))[0];
    for (size_t i = 0; i < order.size(); ++i)
      EXPECT_LT(order[i], static_cast<int64_t>(i) + buffer) << "a row that was not in the buffer yet";
    std::vector<int64_t> all = order;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(Epochs{all}, numbers(counting(20)));
    if (buffer == 1) {
      EXPECT_EQ(order, all);
    }
  }
}

TEST(Shuffled, EveryRowIsEquallyLikelyToComeFirst) {
  std::vector<int> first(4);
  const Epochs epochs = numbers(shuffled(counting(4), 4), 2, 4000);
  for (const auto& epoch : epochs) ++first[static_cast<size_t>(epoch[0])];
  for (const int times : first) EXPECT_NEAR(times, 1000, 130);
}

TEST(Repeated, GivesEpochsOfTheChildAsOne) {
  EXPECT_EQ(numbers(repeated(counting(2), 3)), (Epochs{{0, 1, 0, 1, 0, 1}}));
  EXPECT_EQ(numbers(taken(repeated(counting(2), -1), 5), 2, 2), (Epochs{{0, 1, 0, 1, 0}, {0, 1, 0, 1, 0}}));
  EXPECT_EQ(numbers(repeated(counting(0), -1)), Epochs{{}});
  const std::vector<int64_t> twice = numbers(repeated(shuffled(counting(30), 30), 2))[0];
  EXPECT_FALSE(std::equal(twice.begin(), twice.begin() + 30, twice.begin() + 30));
}

TEST(TakenAndSkipped, CountRows) {
  EXPECT_EQ(numbers(taken(counting(5), 3)), (Epochs{{0, 1, 2}}));
  EXPECT_EQ(numbers(taken(counting(5), 9)), (Epochs{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(numbers(taken(counting(5), -1)), (Epochs{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(numbers(skipped(counting(5), 3), 2, 2), (Epochs{{3, 4}, {3, 4}}));
  EXPECT_EQ(numbers(skipped(counting(5), 9)), Epochs{{}});
  EXPECT_EQ(numbers(taken(skipped(counting(9), 2), 2)), (Epochs{{2, 3}}));
}

TEST(Zipped, EndsWithTheShortest) {
  Pipeline pipeline(zipped({counting(3), counting(5)}), 1, 2, 4, 2);
  Row row;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int64_t i = 0; i < 3; ++i) {
      ASSERT_EQ(pipeline.next(row), Pipeline::Step::kRow);
      ASSERT_EQ(row.size(), 2u);
      EXPECT_EQ(number_of(row[0]), i);
      EXPECT_EQ(number_of(row[1]), i);
    }
    EXPECT_EQ(pipeline.next(row), Pipeline::Step::kEpochEnd);
  }
}

TEST(Concatenated, OneChildAfterAnother) {
  EXPECT_EQ(numbers(concatenated({counting(2), counting(0), concatenated({counting(1), counting(2)})}), 2, 2),
            (Epochs{{0, 1, 0, 0, 1}, {0, 1, 0, 0, 1}}));
}

TEST(Filtered, KeepsWhatPasses) {
  const TransformRef odd = of_number([](int64_t x) { return x % 2; });
  EXPECT_EQ(numbers(filtered(counting(7), odd, {0}), 3, 2), (Epochs{{1, 3, 5}, {1, 3, 5}}));
  const TransformRef none = of_number([](int64_t) { return 0; });
  EXPECT_EQ(numbers(filtered(counting(7), none, {0}), 3, 2), (Epochs{{}, {}}));
}

TEST(Filtered, BeginsAgainWhileItsThreadsAreInTheMiddleOfAnEpoch) {
  const TransformRef odd = of_number([](int64_t x) { return x % 2; });
  std::vector<int64_t> expected;
  for (int i = 0; i < 300; ++i) expected.insert(expected.end(), {1, 3});
  EXPECT_EQ(numbers(repeated(taken(filtered(counting(30), odd, {0}), 2), 300), 3), Epochs{expected});
}

TEST(Batched, StacksRows) {
  Pipeline pipeline(in_batches(counting(5), 2), 1, 2, 4, 1);
  Row row;
  for (const int64_t rows : {2, 2, 1}) {
    ASSERT_EQ(pipeline.next(row), Pipeline::Step::kRow);
    EXPECT_EQ(row[0].tensor("test")->shape, Shape{rows});
  }
  EXPECT_EQ(numbers(in_batches(counting(5), 2, true)), (Epochs{{0, 1, 2, 3}}));
  EXPECT_EQ(numbers(in_batches(counting(1), 2, true)), Epochs{{}});
}

TEST(Batched, TheSizeMayBeAFunction) {
  Batching growing;
  growing.size_function = [](int64_t epoch, int64_t batch) { return epoch + batch + 1; };
  Pipeline pipeline(batched(counting(5), growing), 1, 2, 4, 2);
  Row row;
  std::vector<int64_t> sizes;
  for (Pipeline::Step step; (step = pipeline.next(row)) != Pipeline::Step::kEnd;) {
    if (step == Pipeline::Step::kRow) sizes.push_back(row[0].tensor("test")->size());
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{1, 2, 2, 2, 3}));
}

TEST(Bucketed, CollectsRowsOfSimilarLength) {
  const Bucketing by_number{{3, 6}, {2, 2, 3}, of_number([](int64_t x) { return x; }), {0}, {}, false,
                            false,  {}};
  EXPECT_EQ(numbers(bucketed(counting(10), by_number)), (Epochs{{0, 1, 3, 4, 6, 7, 8, 2, 5, 9}}));
  Bucketing dropping = by_number;
  dropping.drop_remainder = true;
  EXPECT_EQ(numbers(bucketed(counting(10), dropping), 2, 2),
            (Epochs{{0, 1, 3, 4, 6, 7, 8}, {0, 1, 3, 4, 6, 7, 8}}));
}

/// An array of int64 that counts from 0.
Tensor counted_array(const Shape& shape) {
  Tensor tensor = empty(DType::kInt64, shape);
  std::iota(tensor->as<int64_t>(), tensor->as<int64_t>() + tensor->size(), int64_t{0});
  return tensor;
}

TEST(ArraysSource, RowsAreCopies) {
  const Tensor whole = counted_array({3, 2});
  const SourceRef source = arrays_source({whole});
  const Tensor row = source->read(1)[0].tensor("test");
  row->as<int64_t>()[0] = 77;
  EXPECT_EQ(whole->as<int64_t>()[2], 2);
  EXPECT_EQ(row->shape, Shape{2});
}

TEST(ArraysSource, StackedRowsAreThoseReadOneByOne) {
  const Tensor base = counted_array({4, 3});
  const Tensor turned = make_view(*base, base->dtype, {3, 4}, {1, 3}, 0);
  const Tensor backwards = make_view(*base, base->dtype, {3, 3}, {-3, 1}, 9);
  const Tensor same = make_view(*base, base->dtype, {3, 2}, {0, 0}, 5);
  const Tensor hollow = empty(DType::kFloat32, {3, 0});
  Texts texts{{3, 2}, {"a", "b", "c", "d", "e", "f"}, false};
  const SourceRef source = arrays_source({turned, backwards, same, hollow, texts});
  const std::vector<int64_t> indices{2, 0, 2};
  Row stacked;
  ASSERT_TRUE(source->read_stacked(indices, stacked));
  const std::vector<std::string> no_names;
  Stack stack("test", indices.size(), nullptr, no_names);
  for (const int64_t index : indices) stack.add(source->read(index));
  const Row expected = stack.finish();
  for (size_t i = 0; i < 4; ++i) {
    const TensorImpl& a = *stacked[i].tensor("test");
    const TensorImpl& b = *expected[i].tensor("test");
    ASSERT_EQ(a.shape, b.shape);
    for (int64_t j = 0; j < a.size(); ++j) EXPECT_EQ(a.as<int64_t>()[j], b.as<int64_t>()[j]) << i << " " << j;
  }
  EXPECT_EQ(stacked[0].tensor("test")->as<int64_t>()[1], 5);
  EXPECT_EQ(stacked[4].texts("test").values, expected[4].texts("test").values);
  EXPECT_EQ(stacked[4].texts("test").values[0], "e");
}

TEST(ArraysSource, WrongColumnsAndRowsAreRefused) {
  EXPECT_THROW(arrays_source({counted_array({3}), counted_array({4})}), Error);
  EXPECT_THROW(arrays_source({counted_array({})}), Error);
  EXPECT_THROW(arrays_source({counted_array({3})})->read(3), Error);
  EXPECT_THROW(arrays_source({counted_array({3})})->read(-1), Error);
  EXPECT_EQ(arrays_source({})->size(), 0);
}

}  // namespace
}  // namespace dyad::data
