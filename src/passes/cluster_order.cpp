#include "passes/cluster_order.h"

#include <algorithm>
#include <numeric>

namespace dyad::passes {

namespace {

constexpr size_t kNobody = ~size_t{0};
/// A search that comes across more clusters than this is given up, which keeps the whole near linear.
constexpr size_t kMostVisits = 128;

}  // namespace

ClusterOrder::ClusterOrder(std::vector<std::vector<size_t>> successors)
    : successors_(std::move(successors)),
      cluster_(successors_.size()),
      members_(successors_.size()),
      position_(successors_.size()),
      at_(successors_.size()),
      seen_(successors_.size(), false) {
  std::iota(cluster_.begin(), cluster_.end(), 0);
  position_ = at_ = cluster_;
  for (size_t i = 0; i < members_.size(); ++i) members_[i] = {i};
}

bool ClusterOrder::find_between(size_t first, size_t last, std::vector<size_t>& between) const {
  bool free = true;
  const auto visit = [&](size_t cluster) {
    for (const size_t step : members_[cluster]) {
      for (const size_t successor : successors_[step]) {
        const size_t next = cluster_[successor];
        if (next == last && cluster != first) free = false;
        if (next == last || next == first || seen_[next] || position_[next] > position_[last]) continue;
        seen_[next] = true;
        between.push_back(next);
      }
    }
  };
  visit(first);
  for (size_t i = 0; i < between.size() && free && between.size() <= kMostVisits; ++i) visit(between[i]);
  for (const size_t cluster : between) seen_[cluster] = false;
  return free && between.size() <= kMostVisits;
}

bool ClusterOrder::merge(size_t from, size_t into) {
  const bool in_order = position_[from] < position_[into];
  const size_t first = in_order ? from : into;
  const size_t last = in_order ? into : from;
  std::vector<size_t> between;
  if (!find_between(first, last, between)) return false;
  move_behind(between, last);
  const size_t place = position_[last];
  at_[position_[first]] = kNobody;
  at_[place] = into;
  position_[into] = place;
  for (const size_t step : members_[from]) cluster_[step] = into;
  members_[into].insert(members_[into].end(), members_[from].begin(), members_[from].end());
  members_[from].clear();
  return true;
}

void ClusterOrder::move_behind(const std::vector<size_t>& between, size_t last) {
  if (between.empty()) return;
  const size_t end = position_[last];
  size_t start = end;
  for (const size_t cluster : between) {
    start = std::min(start, position_[cluster]);
    seen_[cluster] = true;
  }
  const auto begins = at_.begin() + static_cast<std::ptrdiff_t>(start);
  const auto ends = at_.begin() + static_cast<std::ptrdiff_t>(end) + 1;
  std::stable_partition(begins, ends, [&](size_t cluster) { return cluster == kNobody || !seen_[cluster]; });
  for (size_t i = start; i <= end; ++i) {
    if (at_[i] != kNobody) position_[at_[i]] = i;
  }
  for (const size_t cluster : between) seen_[cluster] = false;
}

std::vector<size_t> ClusterOrder::sequence() const {
  std::vector<size_t> clusters;
  for (const size_t cluster : at_) {
    if (cluster != kNobody) clusters.push_back(cluster);
  }
  return clusters;
}

}  // namespace dyad::passes
