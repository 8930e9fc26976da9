#pragma once

#include <cstddef>
#include <vector>

namespace dyad::passes {

/// Steps that run one after the other, some of them together: a cluster is a set of steps that becomes one.
/// The order of the clusters is kept up to date as they are merged, so that each comes after all that it
/// needs.
class ClusterOrder {
 public:
  /// `successors[i]`: the steps that must come after step `i`; all of them have larger numbers.
  explicit ClusterOrder(std::vector<std::vector<size_t>> successors);

  size_t of(size_t step) const { return cluster_[step]; }
  const std::vector<size_t>& members(size_t cluster) const { return members_[cluster]; }
  /// Grows along the order.
  double position(size_t cluster) const { return position_[cluster]; }
  /// Makes two clusters one, which keeps the number of the second. False where something that needs the one
  /// is needed by the other, or where it would take long to find out.
  bool merge(size_t from, size_t into);
  /// The clusters in an order in which they can run.
  std::vector<size_t> sequence() const;

 private:
  /// What comes after `first` and before `last`, other than by way of these two; false if `last` needs any of
  /// it.
  bool find_between(size_t first, size_t last, std::vector<size_t>& between) const;
  void move_behind(std::vector<size_t>& between, size_t last);
  void take_out(size_t cluster);
  void put_behind(size_t cluster, size_t place);
  /// Positions anew around a cluster, where there is no room left behind it.
  void make_room(size_t cluster);
  size_t end() const { return successors_.size(); }

  std::vector<std::vector<size_t>> successors_;
  std::vector<size_t> cluster_;
  std::vector<std::vector<size_t>> members_;
  // The order is a ring of clusters, with a place of its own for where it begins and ends; a cluster moves
  // without a look at those that lie between its old place and the new one.
  std::vector<double> position_;
  std::vector<size_t> next_;
  std::vector<size_t> previous_;
  mutable std::vector<bool> seen_;
};

}  // namespace dyad::passes
