#include "passes/cluster_order.h"

#include <algorithm>
#include <numeric>

namespace dyad::passes {

namespace {

/// A search that comes across more clusters than this is given up, which keeps the whole near linear.
constexpr size_t kMostVisits = 128;
/// Between two positions; where less is left, those around them move apart until they have a fair share.
constexpr double kLeastRoom = 1e-6;
constexpr double kFairRoom = 1e-2;

}  // namespace

ClusterOrder::ClusterOrder(std::vector<std::vector<size_t>> successors)
    : successors_(std::move(successors)),
      cluster_(successors_.size()),
      members_(successors_.size()),
      position_(successors_.size() + 1),
      next_(successors_.size() + 1),
      previous_(successors_.size() + 1),
      seen_(successors_.size(), false) {
  std::iota(cluster_.begin(), cluster_.end(), 0);
  for (size_t i = 0; i < members_.size(); ++i) members_[i] = {i};
  for (size_t i = 0; i <= end(); ++i) {
    next_[i] = i == end() ? 0 : i + 1;
    previous_[i] = i == 0 ? end() : i - 1;
    position_[i] = static_cast<double>(i);
  }
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
  take_out(first);
  if (into != last) {
    put_behind(into, last);
    take_out(last);
  }
  for (const size_t step : members_[from]) cluster_[step] = into;
  members_[into].insert(members_[into].end(), members_[from].begin(), members_[from].end());
  members_[from].clear();
  return true;
}

void ClusterOrder::move_behind(std::vector<size_t>& between, size_t last) {
  std::ranges::sort(between, {}, [&](size_t cluster) { return position_[cluster]; });
  size_t place = last;
  for (const size_t cluster : between) {
    take_out(cluster);
    put_behind(cluster, place);
    place = cluster;
  }
}

void ClusterOrder::take_out(size_t cluster) {
  next_[previous_[cluster]] = next_[cluster];
  previous_[next_[cluster]] = previous_[cluster];
}

void ClusterOrder::put_behind(size_t cluster, size_t place) {
  const size_t follower = next_[place];
  next_[place] = previous_[follower] = cluster;
  previous_[cluster] = place;
  next_[cluster] = follower;
  const double room = follower == end() ? 2 : position_[follower] - position_[place];
  position_[cluster] = position_[place] + room / 2;
  if (room < kLeastRoom) make_room(cluster);
}

void ClusterOrder::make_room(size_t cluster) {
  for (size_t reach = 64;; reach *= 2) {
    size_t first = cluster;
    size_t last = cluster;
    size_t count = 1;
    for (size_t i = 0; i < reach && previous_[first] != end(); ++i, ++count) first = previous_[first];
    for (size_t i = 0; i < reach && next_[last] != end(); ++i, ++count) last = next_[last];
    const auto steps = static_cast<double>(count + 1);
    const bool at_start = previous_[first] == end();
    const bool at_end = next_[last] == end();
    const double upper = at_end ? 0 : position_[next_[last]];
    // Beyond the first and the last there is all the room that is needed.
    const double lower = at_start ? upper - steps : position_[previous_[first]];
    const double room = at_start || at_end ? 1 : (upper - lower) / steps;
    if (room < kFairRoom) continue;
    double position = lower;
    for (size_t at = first; at != next_[last]; at = next_[at]) position_[at] = position += room;
    return;
  }
}

std::vector<size_t> ClusterOrder::sequence() const {
  std::vector<size_t> clusters;
  for (size_t cluster = next_[end()]; cluster != end(); cluster = next_[cluster]) clusters.push_back(cluster);
  return clusters;
}

}  // namespace dyad::passes
