#include "data/pipeline/order.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace dyad::data {

namespace {

/// `count`, or all of `most` if it is 0 or more than that.
int64_t at_most(int64_t count, int64_t most) { return count > 0 && count < most ? count : most; }

std::vector<int64_t> counted(int64_t size) {
  std::vector<int64_t> list(static_cast<size_t>(size));
  std::iota(list.begin(), list.end(), int64_t{0});
  return list;
}

void require_rows(std::string_view sampler, const std::vector<int64_t>& indices, int64_t size) {
  for (const int64_t index : indices) {
    if (index < 0 || index >= size)
      runtime_error(sampler, ": row ", index, " was asked for; the dataset has ", size,
                    " rows, numbered from 0");
  }
}

class SequentialOrder final : public Order {
 public:
  SequentialOrder(int64_t start, int64_t count) : start_(start), count_(count) {}
  Indices choose(int64_t size, Random, int64_t) const override {
    if (start_ < 0 || (start_ >= size && size > 0))
      runtime_error("SequentialSampler: start_index is ", start_, "; it must be below the number of rows, ",
                    size);
    return {start_, at_most(count_, std::max(size - start_, int64_t{0}))};
  }

 private:
  int64_t start_;
  int64_t count_;
};

class RandomOrder final : public Order {
 public:
  RandomOrder(bool replacement, int64_t count) : replacement_(replacement), count_(count) {}
  Indices choose(int64_t size, Random random, int64_t) const override {
    if (!replacement_) {
      std::vector<int64_t> list = counted(size);
      shuffle_list(list, random);
      list.resize(static_cast<size_t>(at_most(count_, size)));
      return Indices(std::move(list));
    }
    std::vector<int64_t> list(static_cast<size_t>(at_most(count_, size)));
    for (int64_t& index : list) index = static_cast<int64_t>(draw_below(random, static_cast<uint64_t>(size)));
    return Indices(std::move(list));
  }

 private:
  bool replacement_;
  int64_t count_;
};

class SubsetOrder final : public Order {
 public:
  SubsetOrder(std::vector<int64_t> indices, int64_t count, bool shuffle)
      : indices_(std::move(indices)), count_(count), shuffle_(shuffle) {}
  Indices choose(int64_t size, Random random, int64_t) const override {
    require_rows(shuffle_ ? "SubsetRandomSampler" : "SubsetSampler", indices_, size);
    std::vector<int64_t> list = indices_;
    if (shuffle_) shuffle_list(list, random);
    list.resize(static_cast<size_t>(at_most(count_, static_cast<int64_t>(list.size()))));
    return Indices(std::move(list));
  }

 private:
  std::vector<int64_t> indices_;
  int64_t count_;
  bool shuffle_;
};

class FunctionOrder final : public Order {
 public:
  explicit FunctionOrder(std::function<std::vector<int64_t>(int64_t)> function)
      : function_(std::move(function)) {}
  Indices choose(int64_t size, Random, int64_t epoch) const override {
    std::vector<int64_t> list = function_(epoch);
    require_rows("sampler", list, size);
    return Indices(std::move(list));
  }

 private:
  std::function<std::vector<int64_t>(int64_t)> function_;
};

class ChainedOrder final : public Order {
 public:
  ChainedOrder(OrderRef order, OrderRef below) : order_(std::move(order)), below_(std::move(below)) {}
  Indices choose(int64_t size, Random random, int64_t epoch) const override {
    const Indices from = below_->choose(size, random.part(1), epoch);
    const Indices chosen = order_->choose(from.size(), random.part(0), epoch);
    std::vector<int64_t> list(static_cast<size_t>(chosen.size()));
    for (int64_t i = 0; i < chosen.size(); ++i) list[static_cast<size_t>(i)] = from[chosen[i]];
    return Indices(std::move(list));
  }

 private:
  OrderRef order_;
  OrderRef below_;
};

}  // namespace

uint64_t draw_below(Random& random, uint64_t limit) {
  if (limit > UINT32_MAX) return static_cast<uint64_t>(random.integer(0, static_cast<int64_t>(limit - 1)));
  // The high word of bits * limit; the few low words that would favour some numbers are drawn again.
  const uint32_t uneven = static_cast<uint32_t>(-static_cast<uint32_t>(limit)) % static_cast<uint32_t>(limit);
  while (true) {
    const uint64_t product = static_cast<uint64_t>(random.bits()) * limit;
    if (static_cast<uint32_t>(product) >= uneven) return product >> 32;
  }
}

void shuffle_list(std::vector<int64_t>& list, Random& random) {
  for (size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[draw_below(random, left)]);
}

OrderRef sequential_order(int64_t start, int64_t count) {
  return std::make_shared<SequentialOrder>(start, count);
}

OrderRef random_order(bool replacement, int64_t count) {
  return std::make_shared<RandomOrder>(replacement, count);
}

OrderRef subset_order(std::vector<int64_t> indices) {
  return std::make_shared<SubsetOrder>(std::move(indices), 0, false);
}

OrderRef subset_random_order(std::vector<int64_t> indices, int64_t count) {
  return std::make_shared<SubsetOrder>(std::move(indices), count, true);
}

OrderRef function_order(std::function<std::vector<int64_t>(int64_t)> function) {
  return std::make_shared<FunctionOrder>(std::move(function));
}

OrderRef chained_order(OrderRef order, OrderRef below) {
  return std::make_shared<ChainedOrder>(std::move(order), std::move(below));
}

}  // namespace dyad::data
