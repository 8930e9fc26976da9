#include "plan/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace dyad::plan {

namespace {

constexpr size_t kAlignment = 64;
size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Stretches that are free, by their place.
class FreeList {
 public:
  /// The smallest stretch that is large enough; otherwise the memory grows.
  size_t take(size_t bytes) {
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second >= bytes && (best == free_.end() || at->second < best->second)) best = at;
    }
    if (best == free_.end()) return grow(bytes);
    const auto [offset, size] = *best;
    free_.erase(best);
    if (size > bytes) free_.emplace(offset + bytes, size - bytes);
    return offset;
  }
  void give(size_t offset, size_t bytes) {
    if (bytes == 0) return;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_.emplace(offset, bytes);
  }
  size_t end() const { return end_; }

 private:
  size_t grow(size_t bytes) {
    size_t offset = end_;
    if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second == end_) {
      offset = std::prev(free_.end())->first;  // what is free at the end is part of it
      free_.erase(std::prev(free_.end()));
    }
    end_ = offset + bytes;
    return offset;
  }
  std::map<size_t, size_t> free_;
  size_t end_ = 0;
};

/// In the order of time: each block goes where a stretch is free when it is first needed.
size_t place_by_time(std::vector<Block>& blocks) {
  std::vector<size_t> starts(blocks.size());
  std::iota(starts.begin(), starts.end(), 0);
  std::vector<size_t> ends = starts;
  const auto by = [&](auto member) {
    return [&blocks, member](size_t a, size_t b) { return blocks[a].*member < blocks[b].*member; };
  };
  std::stable_sort(starts.begin(), starts.end(), by(&Block::first));
  std::stable_sort(ends.begin(), ends.end(), by(&Block::last));
  FreeList free;
  std::vector<bool> handed_on(blocks.size(), false);
  auto end = ends.begin();
  for (const size_t i : starts) {
    Block& block = blocks[i];
    for (; end != ends.end() && blocks[*end].last < block.first; ++end) {
      if (!handed_on[*end]) free.give(blocks[*end].offset, rounded(blocks[*end].bytes));
    }
    if (block.takes_over >= 0 && !handed_on[static_cast<size_t>(block.takes_over)]) {
      block.offset = blocks[static_cast<size_t>(block.takes_over)].offset;
      handed_on[static_cast<size_t>(block.takes_over)] = true;
    } else {
      block.offset = block.bytes == 0 ? 0 : free.take(rounded(block.bytes));
    }
  }
  return free.end();
}

/// Blocks that hand their place on, one to the next, are one: it is needed from the first to the last.
struct Chain {
  size_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  size_t offset = 0;
  std::vector<size_t> blocks;
};

std::vector<Chain> chains_of(const std::vector<Block>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return blocks[a].first < blocks[b].first; });
  std::vector<Chain> chains;
  std::vector<int> tail_of(blocks.size(), -1);  // the chain that the block is the last one of
  for (const size_t i : order) {
    const Block& block = blocks[i];
    if (block.bytes == 0) continue;
    const int before = block.takes_over >= 0 ? tail_of[static_cast<size_t>(block.takes_over)] : -1;
    if (before < 0) {
      tail_of[i] = static_cast<int>(chains.size());
      chains.push_back({rounded(block.bytes), block.first, block.last, 0, {i}});
      continue;
    }
    Chain& chain = chains[static_cast<size_t>(before)];
    chain.last = std::max(chain.last, block.last);
    chain.blocks.push_back(i);
    tail_of[static_cast<size_t>(block.takes_over)] = -1;
    tail_of[i] = before;
  }
  return chains;
}

/// The largest first: each block goes to the lowest place that is free for all of its time.
size_t place_by_size(std::vector<Block>& blocks) {
  std::vector<Chain> chains = chains_of(blocks);
  std::stable_sort(chains.begin(), chains.end(),
                   [](const Chain& a, const Chain& b) { return a.bytes > b.bytes; });
  size_t whole = 0;
  std::vector<const Chain*> placed;  // by their offsets
  for (Chain& chain : chains) {
    size_t free = 0;
    for (const Chain* other : placed) {
      if (other->last < chain.first || chain.last < other->first) continue;
      if (other->offset >= free + chain.bytes) break;
      free = std::max(free, other->offset + other->bytes);
    }
    chain.offset = free;
    whole = std::max(whole, free + chain.bytes);
    const auto place =
        std::upper_bound(placed.begin(), placed.end(), chain.offset,
                         [](size_t offset, const Chain* other) { return offset < other->offset; });
    placed.insert(place, &chain);
    for (const size_t block : chain.blocks) blocks[block].offset = free;
  }
  return whole;
}

/// Above this many blocks looking at all pairs takes too long.
constexpr size_t kMostPairwise = 3000;

}  // namespace

size_t place_blocks(std::vector<Block>& blocks) {
  const size_t by_time = place_by_time(blocks);
  if (blocks.size() > kMostPairwise) return by_time;
  std::vector<Block> others = blocks;
  const size_t by_size = place_by_size(others);
  if (by_size >= by_time) return by_time;
  blocks = std::move(others);
  return by_size;
}

size_t least_bytes(const std::vector<Block>& blocks) {
  std::map<uint32_t, int64_t> changes;  // by step
  for (const Chain& chain : chains_of(blocks)) {
    changes[chain.first] += static_cast<int64_t>(chain.bytes);
    changes[chain.last + 1] -= static_cast<int64_t>(chain.bytes);
  }
  int64_t now = 0;
  int64_t most = 0;
  for (const auto& [step, change] : changes) most = std::max(most, now += change);
  return static_cast<size_t>(most);
}

}  // namespace dyad::plan
