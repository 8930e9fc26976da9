#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/pipeline/pipeline.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

/// Rows 0, 1, 2, …; `before` is called with each before it is read.
class CountingSource final : public Source {
 public:
  explicit CountingSource(int64_t size, std::function<void(int64_t)> before = nullptr)
      : size_(size), before_(std::move(before)) {}
  int64_t size() const override { return size_; }
  Row read(int64_t index) const override {
    if (before_) before_(index);
    return {one_number<int64_t>(DType::kInt64, index)};
  }
  std::string origin(int64_t index) const override { return cat("file ", index); }

 private:
  int64_t size_;
  std::function<void(int64_t)> before_;
};

inline StageRef counting(int64_t size, std::function<void(int64_t)> before = nullptr) {
  return sampled(std::make_shared<CountingSource>(size, std::move(before)), sequential_order(0, 0));
}

inline StageRef in_batches(StageRef child, int64_t size, bool drop_remainder = false) {
  Batching batching;
  batching.size = size;
  batching.drop_remainder = drop_remainder;
  return batched(std::move(child), std::move(batching));
}

/// The only number of an item.
inline int64_t number_of(const Item& value) { return item(*value.tensor("test"), "test").to_int(); }

/// All numbers of the first column, an epoch as one list.
inline std::vector<std::vector<int64_t>> numbers(Pipeline& pipeline) {
  std::vector<std::vector<int64_t>> epochs(1);
  for (Row row;;) {
    const Pipeline::Step step = pipeline.next(row);
    if (step == Pipeline::Step::kEnd) break;
    if (step == Pipeline::Step::kEpochEnd) {
      epochs.emplace_back();
      continue;
    }
    const Tensor& column = row[0].tensor("test");
    for (int64_t i = 0; i < column->size(); ++i) epochs.back().push_back(column->as<int64_t>()[i]);
  }
  epochs.pop_back();
  return epochs;
}

inline std::vector<std::vector<int64_t>> numbers(StageRef root, int workers = 2, int64_t epochs = 1,
                                                 uint64_t seed = 3, int prefetch = 4) {
  Pipeline pipeline(std::move(root), seed, workers, prefetch, epochs);
  return numbers(pipeline);
}

/// A column replaced by a random number.
inline TransformRef random_numbers() {
  return of_one("random", [](const Item&, Random& random) -> Item {
    return one_number<int64_t>(DType::kInt64, random.integer(0, 1'000'000));
  });
}

/// A column of one number replaced by a function of it.
inline TransformRef of_number(std::function<int64_t(int64_t)> function) {
  return of_one("of_number", [function = std::move(function)](const Item& value, Random&) -> Item {
    return one_number<int64_t>(DType::kInt64, function(number_of(value)));
  });
}

}  // namespace dyad::data
