#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/rows/random.h"

namespace dyad::data {

/// Which rows of a source an epoch has, in their order: a stretch of them, or a list.
class Indices {
 public:
  Indices(int64_t start, int64_t count) : start_(start), count_(count) {}
  explicit Indices(std::vector<int64_t> list)
      : count_(static_cast<int64_t>(list.size())), list_(std::move(list)), listed_(true) {}
  int64_t size() const { return count_; }
  int64_t operator[](int64_t at) const { return listed_ ? list_[static_cast<size_t>(at)] : start_ + at; }

 private:
  int64_t start_ = 0;
  int64_t count_ = 0;
  std::vector<int64_t> list_;
  bool listed_ = false;
};

/// A way of choosing rows: what a sampler is.
class Order : public std::enable_shared_from_this<Order> {
 public:
  virtual ~Order() = default;
  /// The rows of an epoch, out of `size`. `random` is a function of the seed and the epoch.
  virtual Indices choose(int64_t size, Random random, int64_t epoch) const = 0;
};
using OrderRef = std::shared_ptr<const Order>;

// A count of 0 is all.

/// Rows one after another from `start` on.
OrderRef sequential_order(int64_t start, int64_t count);
/// All rows in a random order, or rows drawn with replacement.
OrderRef random_order(bool replacement, int64_t count);
/// The rows of a list.
OrderRef subset_order(std::vector<int64_t> indices);
/// The rows of a list in a random order.
OrderRef subset_random_order(std::vector<int64_t> indices, int64_t count);
/// Rows drawn with a probability each.
OrderRef weighted_order(std::vector<double> weights, int64_t count, bool replacement);
/// `per_class` rows of each class; `classes` has the class of every row.
OrderRef classes_order(std::vector<int64_t> classes, int64_t per_class, int64_t count, bool shuffle);

/// How rows are dealt out to processes.
struct Shards {
  int64_t shards = 1;
  int64_t shard = 0;
  bool shuffle = false;
  int64_t count = 0;
  int64_t offset = -1;  ///< which shard has the first row; -1 is the first one
  bool even = true;     ///< every shard gets equally many; the last rows are then the first ones again
  uint64_t seed = 0;    ///< of the shuffle, which must be the same in all processes
};
/// One process's share of the rows.
OrderRef distributed_order(const Shards& shards);
/// What a function of the epoch gives.
OrderRef function_order(std::function<std::vector<int64_t>(int64_t)> function);
/// `order` chooses from the rows that `below` chooses.
OrderRef chained_order(OrderRef order, OrderRef below);

/// A number below `limit`, all equally likely.
uint64_t draw_below(Random& random, uint64_t limit);
/// Puts a list into a random order.
void shuffle_list(std::vector<int64_t>& list, Random& random);

}  // namespace dyad::data
