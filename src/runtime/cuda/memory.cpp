// Segments come from the driver and are cut into blocks; free neighbours are joined again. Free blocks are
// kept per stream, by size: the smallest that fits is taken.

#include "runtime/cuda/memory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

constexpr size_t kAlignment = 512;
constexpr size_t kSmall = size_t{1} << 20;  ///< blocks up to here share segments of kSmallSegment
constexpr size_t kSmallSegment = size_t{2} << 20;
constexpr size_t kLargeSegment = size_t{20} << 20;  ///< what blocks up to half of it are cut from
constexpr size_t kSegmentStep = size_t{2} << 20;
constexpr unsigned kWithoutTiming = 2;

size_t rounded(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

struct Block {
  char* data;
  size_t bytes;
  StreamHandle stream;
  bool small;
  bool used = false;
  Block* before = nullptr;  ///< its neighbours in the segment
  Block* behind = nullptr;
  std::vector<StreamHandle> other_streams = {};
};

struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
  }
};

class DeviceMemory {
 public:
  void* allocate(int device, size_t bytes) {
    use_device(device);
    const size_t wanted = rounded(std::max<size_t>(bytes, 1), kAlignment);
    StreamHandle stream = current_stream(device);
    const std::lock_guard guard(lock_);
    if (!waiting_.empty()) take_back_finished();
    Block* block = find_free(wanted, stream);
    if (!block) block = new_segment(wanted, stream);
    if (!block) {
      wait_for_all();
      give_back_segments();
      block = new_segment(wanted, stream);
    }
    if (!block) block = last_resort(wanted, stream);
    if (!block) refuse(device, bytes);
    split(block, wanted);
    block->used = true;
    in_use_.emplace(block->data, block);
    statistics_.allocated += static_cast<int64_t>(block->bytes);
    statistics_.max_allocated = std::max(statistics_.max_allocated, statistics_.allocated);
    return block->data;
  }

  void release(int device, void* data) noexcept {
    if (in_forked_child()) return;  // it is the parent's
    const std::lock_guard guard(lock_);
    const auto at = in_use_.find(data);
    if (at == in_use_.end()) return;
    Block* block = at->second;
    in_use_.erase(at);
    statistics_.allocated -= static_cast<int64_t>(block->bytes);
    if (block->other_streams.empty()) return free_block(block);
    use_device(device);
    for (StreamHandle stream : block->other_streams) {
      EventHandle event = nullptr;
      if (driver().create_event(&event, kWithoutTiming) != kSuccess) continue;
      driver().record_event(event, stream);
      waiting_.push_back({event, block});
    }
  }

  void note_use(void* data, StreamHandle stream) {
    const std::lock_guard guard(lock_);
    const auto at = in_use_.find(data);
    if (at == in_use_.end() || at->second->stream == stream) return;
    std::vector<StreamHandle>& others = at->second->other_streams;
    if (std::find(others.begin(), others.end(), stream) == others.end()) others.push_back(stream);
  }

  MemoryStatistics statistics() {
    const std::lock_guard guard(lock_);
    return statistics_;
  }
  void reset_peaks() {
    const std::lock_guard guard(lock_);
    statistics_.max_allocated = statistics_.allocated;
    statistics_.max_reserved = statistics_.reserved;
  }
  void empty_cache(int device) {
    use_device(device);
    const std::lock_guard guard(lock_);
    wait_for_all();
    give_back_segments();
  }
  void set_limit(int64_t bytes) {
    const std::lock_guard guard(lock_);
    limit_ = bytes;
  }

 private:
  using FreeBlocks = std::set<Block*, BySize>;
  struct Waiting {
    EventHandle event;
    Block* block;
  };

  FreeBlocks& free_blocks(StreamHandle stream, bool small) { return free_[{stream, small}]; }

  Block* find_free(size_t wanted, StreamHandle stream) {
    return take_free(free_blocks(stream, wanted <= kSmall), wanted, stream);
  }
  static Block* take_free(FreeBlocks& blocks, size_t wanted, StreamHandle stream) {
    Block key{nullptr, wanted, stream, false};
    const auto at = blocks.lower_bound(&key);
    if (at == blocks.end()) return nullptr;
    Block* block = *at;
    blocks.erase(at);
    return block;
  }

  Block* new_segment(size_t wanted, StreamHandle stream) {
    const bool small = wanted <= kSmall;
    const size_t bytes = small                         ? kSmallSegment
                         : wanted <= kLargeSegment / 2 ? kLargeSegment
                                                       : rounded(wanted, kSegmentStep);
    return reserve(bytes, stream, small);
  }

  /// Where memory is short: a part of what larger blocks have left over, or no more than is asked for.
  Block* last_resort(size_t wanted, StreamHandle stream) {
    if (wanted <= kSmall) return take_free(free_blocks(stream, false), wanted, stream);
    return reserve(rounded(wanted, kAlignment), stream, false);
  }

  Block* reserve(size_t bytes, StreamHandle stream, bool small) {
    if (statistics_.reserved + static_cast<int64_t>(bytes) > limit_) return nullptr;
    DevicePointer pointer = 0;
    if (driver().allocate(&pointer, bytes) != kSuccess) return nullptr;
    statistics_.reserved += static_cast<int64_t>(bytes);
    statistics_.max_reserved = std::max(statistics_.max_reserved, statistics_.reserved);
    return new Block{reinterpret_cast<char*>(pointer), bytes, stream, small};
  }

  /// Cuts off what is not needed, unless it is too little to be of use.
  void split(Block* block, size_t wanted) {
    const size_t rest = block->bytes - wanted;
    if (block->small ? rest < kAlignment : rest <= kSmall) return;
    auto* behind = new Block{block->data + wanted, rest, block->stream, block->small};
    behind->before = block;
    behind->behind = block->behind;
    if (behind->behind) behind->behind->before = behind;
    block->behind = behind;
    block->bytes = wanted;
    free_blocks(block->stream, block->small).insert(behind);
  }

  void free_block(Block* block) {
    block->used = false;
    block->other_streams.clear();
    FreeBlocks& blocks = free_blocks(block->stream, block->small);
    if (Block* behind = block->behind; behind && !behind->used) join(blocks, block, behind);
    if (Block* before = block->before; before && !before->used) {
      blocks.erase(before);
      join(blocks, before, block);
      block = before;
    }
    blocks.insert(block);
  }

  /// `second` becomes a part of `first`, which is in no list.
  static void join(FreeBlocks& blocks, Block* first, Block* second) {
    blocks.erase(second);
    first->bytes += second->bytes;
    first->behind = second->behind;
    if (first->behind) first->behind->before = first;
    delete second;
  }

  void take_back_finished() {
    std::erase_if(waiting_, [&](const Waiting& waiting) {
      if (driver().query_event(waiting.event) == kNotReady) return false;
      finish(waiting);
      return true;
    });
  }
  void wait_for_all() {
    for (const Waiting& waiting : waiting_) {
      driver().synchronize_event(waiting.event);
      finish(waiting);
    }
    waiting_.clear();
  }
  void finish(const Waiting& waiting) {
    driver().destroy_event(waiting.event);
    std::vector<StreamHandle>& others = waiting.block->other_streams;
    if (!others.empty()) others.pop_back();
    if (others.empty()) free_block(waiting.block);
  }

  void give_back_segments() {
    driver().synchronize_context();
    for (auto& [key, blocks] : free_) {
      std::erase_if(blocks, [&](Block* block) {
        if (block->before || block->behind) return false;
        driver().release(reinterpret_cast<DevicePointer>(block->data));
        statistics_.reserved -= static_cast<int64_t>(block->bytes);
        delete block;
        return true;
      });
    }
  }

  [[noreturn]] void refuse(int device, size_t bytes) {
    size_t free = 0;
    size_t total = 0;
    driver().memory_info(&free, &total);
    constexpr double kMega = 1 << 20;
    std::string limit;
    if (limit_ != std::numeric_limits<int64_t>::max())
      limit = cat(", the limit is ", static_cast<double>(limit_) / kMega, " MiB");
    raise(ErrorKind::kMemory,
          cat("out of memory on GPU ", device, ": ", static_cast<double>(bytes) / kMega,
              " MiB were asked for; tensors hold ", static_cast<double>(statistics_.allocated) / kMega,
              " MiB in ", in_use_.size(), " blocks, the cache ",
              static_cast<double>(statistics_.reserved - statistics_.allocated) / kMega, " MiB, and ",
              static_cast<double>(free) / kMega, " of ", static_cast<double>(total) / kMega,
              " MiB of the device are free", limit));
  }

  std::mutex lock_;
  std::map<std::pair<StreamHandle, bool>, FreeBlocks> free_;
  std::unordered_map<void*, Block*> in_use_;
  std::vector<Waiting> waiting_;
  MemoryStatistics statistics_;
  int64_t limit_ = std::numeric_limits<int64_t>::max();
};

/// Never destroyed: tensors that live until the process ends give their memory back then.
DeviceMemory& memory(int device) {
  static auto* devices = new std::array<DeviceMemory, 64>;
  return (*devices)[static_cast<size_t>(device)];
}

}  // namespace

void* allocate(int device, size_t bytes) { return memory(device).allocate(device, bytes); }
void release(int device, void* block) noexcept { memory(device).release(device, block); }
void note_use(int device, void* block, StreamHandle stream) { memory(device).note_use(block, stream); }
MemoryStatistics memory_statistics(int device) { return memory(device).statistics(); }
void reset_memory_peaks(int device) { memory(device).reset_peaks(); }
void empty_memory_cache(int device) { memory(device).empty_cache(device); }
void set_memory_limit(int device, int64_t bytes) { memory(device).set_limit(bytes); }

}  // namespace dyad::cuda
