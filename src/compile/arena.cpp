#include "compile/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace dyad::compile {

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

}  // namespace

size_t place_blocks(std::vector<Block>& blocks) {
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

}  // namespace dyad::compile
