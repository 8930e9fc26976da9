#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "data/pipeline/order.h"

namespace dyad::data {

namespace {

/// Exponential, with the weight as its rate.
double waiting_time(Random& random, double weight) {
  const double drawn = -std::log1p(-random.uniform());
  return weight > 0 ? drawn / weight : std::numeric_limits<double>::infinity();
}

class WeightedOrder final : public Order {
 public:
  WeightedOrder(std::vector<double> weights, int64_t count, bool replacement)
      : weights_(std::move(weights)), count_(count), replacement_(replacement) {
    for (const double weight : weights_) {
      if (!(weight >= 0) || !std::isfinite(weight))
        value_error("WeightedRandomSampler: a weight is ", weight,
                    "; need finite numbers that are not negative");
    }
  }

  Indices choose(int64_t size, Random random, int64_t) const override {
    if (static_cast<int64_t>(weights_.size()) > size)
      runtime_error("WeightedRandomSampler: there are ", weights_.size(), " weights for ", size,
                    " rows; need at most one for each row");
    const int64_t count = count_ > 0 && (count_ < size || !replacement_) ? count_ : size;
    return Indices(replacement_ ? drawn(count, random) : keyed(count, random));
  }

 private:
  std::vector<int64_t> drawn(int64_t count, Random& random) const {
    std::vector<double> sums(weights_.size());
    std::partial_sum(weights_.begin(), weights_.end(), sums.begin());
    if (sums.empty() || sums.back() <= 0)
      runtime_error("WeightedRandomSampler: all weights are 0; need at least one that is more");
    std::vector<int64_t> list(static_cast<size_t>(count));
    for (int64_t& index : list) {
      const auto found = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
      index = std::min(found - sums.begin(), last_row());
    }
    return list;
  }

  /// The last row that can be drawn: rounding must not lead behind it.
  int64_t last_row() const {
    int64_t last = static_cast<int64_t>(weights_.size()) - 1;
    while (last > 0 && weights_[static_cast<size_t>(last)] == 0) --last;
    return last;
  }

  /// Without replacement: each row waits for a time with its weight as the rate, and the first to come are
  /// taken. Rows of weight 0 come last.
  std::vector<int64_t> keyed(int64_t count, Random& random) const {
    if (count > static_cast<int64_t>(weights_.size()))
      runtime_error("WeightedRandomSampler: num_samples is ", count, " without replacement; there are ",
                    weights_.size(), " weights");
    std::vector<std::pair<double, int64_t>> waits;
    for (size_t i = 0; i < weights_.size(); ++i)
      waits.emplace_back(waiting_time(random, weights_[i]), static_cast<int64_t>(i));
    std::partial_sort(waits.begin(), waits.begin() + count, waits.end());
    std::vector<int64_t> list;
    for (int64_t i = 0; i < count; ++i) list.push_back(waits[static_cast<size_t>(i)].second);
    return list;
  }

  std::vector<double> weights_;
  int64_t count_;
  bool replacement_;
};

/// `per_class` random rows of each class, in the order of the classes or in a random one. A class with fewer
/// rows gives some of them again.
class ClassesOrder final : public Order {
 public:
  ClassesOrder(const std::vector<int64_t>& classes, int64_t per_class, int64_t count, bool shuffle)
      : rows_(static_cast<int64_t>(classes.size())), per_class_(per_class), count_(count), shuffle_(shuffle) {
    if (per_class < 1) value_error("PKSampler: num_val is ", per_class, "; need at least 1");
    for (int64_t i = 0; i < rows_; ++i) of_class_[classes[static_cast<size_t>(i)]].push_back(i);
  }

  Indices choose(int64_t size, Random random, int64_t) const override {
    if (rows_ != size)
      runtime_error("PKSampler: ", rows_, " rows have a class; the dataset has ", size, " rows");
    std::vector<int64_t> labels;
    for (const auto& [label, rows] : of_class_) labels.push_back(label);
    if (shuffle_) shuffle_list(labels, random);
    std::vector<int64_t> list;
    for (const int64_t label : labels) add_class(of_class_.at(label), random, list);
    if (count_ > 0 && count_ < static_cast<int64_t>(list.size())) list.resize(static_cast<size_t>(count_));
    return Indices(std::move(list));
  }

 private:
  void add_class(std::vector<int64_t> rows, Random& random, std::vector<int64_t>& list) const {
    shuffle_list(rows, random);
    for (int64_t i = 0; i < per_class_; ++i) list.push_back(rows[static_cast<size_t>(i) % rows.size()]);
  }

  int64_t rows_;
  int64_t per_class_;
  int64_t count_;
  bool shuffle_;
  std::map<int64_t, std::vector<int64_t>> of_class_;
};

/// Rows dealt out like cards: row i goes to shard i modulo the number of shards, counted from `offset`.
class DistributedOrder final : public Order {
 public:
  explicit DistributedOrder(const Shards& shards) : deal_(shards) {
    if (shards.shards < 1)
      value_error("DistributedSampler: num_shards is ", shards.shards, "; need at least 1");
    if (shards.shard < 0 || shards.shard >= shards.shards)
      value_error("DistributedSampler: shard_id is ", shards.shard, "; need 0 to ", shards.shards - 1);
    if (shards.offset > shards.shards)
      value_error("DistributedSampler: offset is ", shards.offset, "; need at most num_shards, ",
                  shards.shards);
  }

  Indices choose(int64_t size, Random, int64_t epoch) const override {
    std::vector<int64_t> list;
    if (size == 0) return Indices(list);
    const std::vector<int64_t> order = shuffled_rows(size, epoch);
    const int64_t offset = std::max(deal_.offset, int64_t{0});
    int64_t round = deal_.shard < offset ? 1 : 0;  // this shard comes in behind the first row
    for (const int64_t wanted = share(size); static_cast<int64_t>(list.size()) < wanted; ++round) {
      const int64_t at = (deal_.shards * round + deal_.shard - offset) % size;
      list.push_back(deal_.shuffle ? order[static_cast<size_t>(at)] : at);
    }
    return Indices(std::move(list));
  }

 private:
  std::vector<int64_t> shuffled_rows(int64_t size, int64_t epoch) const {
    std::vector<int64_t> rows;
    if (!deal_.shuffle) return rows;
    rows.resize(static_cast<size_t>(size));
    std::iota(rows.begin(), rows.end(), int64_t{0});
    Random random(Random::mix(deal_.seed, static_cast<uint64_t>(epoch)));
    shuffle_list(rows, random);
    return rows;
  }

  int64_t share(int64_t size) const {
    const int64_t offset = std::max(deal_.offset, int64_t{0});
    const int64_t place = (deal_.shard - offset + deal_.shards) % deal_.shards;
    const int64_t all = size / deal_.shards + (size % deal_.shards > (deal_.even ? 0 : place) ? 1 : 0);
    return deal_.count > 0 && deal_.count < all ? deal_.count : all;
  }

  Shards deal_;
};

}  // namespace

OrderRef weighted_order(std::vector<double> weights, int64_t count, bool replacement) {
  return std::make_shared<WeightedOrder>(std::move(weights), count, replacement);
}

OrderRef classes_order(std::vector<int64_t> classes, int64_t per_class, int64_t count, bool shuffle) {
  return std::make_shared<ClassesOrder>(classes, per_class, count, shuffle);
}

OrderRef distributed_order(const Shards& shards) { return std::make_shared<DistributedOrder>(shards); }

}  // namespace dyad::data
