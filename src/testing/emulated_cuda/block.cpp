// A block is run thread by thread on one stack. A thread that has to wait keeps that stack, and the threads
// behind it go on on another one: kernels without barriers never change stacks.

#include "testing/emulated_cuda/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "testing/emulated_cuda/fiber.h"

namespace dyad::cuda::emulated {

thread_local Place place;

namespace {

constexpr size_t kStaticSharedBytes = 64 << 20;  ///< of all kernels together, touched as far as they are used
constexpr unsigned char kPoison = 0xfb;          ///< floats of it are large and negative

constexpr size_t kSharedAlignment = 64;

std::atomic<size_t> shared_reserved{0};
const Kernel* known_kernels = nullptr;

struct Warp {
  uint32_t live = 0;
  uint32_t arrived = 0;
  uint32_t meeting = 0;  ///< how many there have been
  uint32_t present[2] = {};
  uint32_t words[2][32];
  std::vector<uint32_t> waiting;
};

class Runner {
 public:
  bool run(const Kernel& kernel, Extent blocks, Extent threads, size_t shared_bytes, const void* params);

  void meet_block();
  uint32_t meet_warp(uint32_t word, uint32_t& slot);
  char* shared_at(size_t room, size_t bytes);
  uint32_t thread() const { return thread_; }
  Warp& warp() { return warps_[thread_ / 32]; }

 private:
  static void body();
  [[noreturn]] void run_threads();
  void start_block();
  void end_thread();
  /// Leaves the running thread waiting and goes on with something else.
  void wait();
  void go_on();
  void enter(uint32_t thread);
  void release(std::vector<uint32_t>& waiting);
  Fiber& idle_fiber();

  const Kernel* kernel_ = nullptr;
  const void* params_ = nullptr;
  uint32_t count_ = 0;    ///< threads of a block
  uint32_t started_ = 0;  ///< of them
  uint32_t live_ = 0;
  uint32_t thread_ = 0;  ///< the running one
  bool stuck_ = false;
  Fiber* running_ = nullptr;
  Fiber host_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<Fiber*> fiber_of_;  ///< of a waiting thread
  std::deque<uint32_t> ready_;
  std::vector<uint32_t> at_barrier_;
  std::vector<Warp> warps_;
  std::vector<char> dynamic_;
  char* static_ = nullptr;
  uint64_t block_ = 0;                       ///< how many there have been
  std::vector<uint64_t> poisoned_for_ = {};  ///< the block for which a variable was last made new
};

thread_local Runner* runner = nullptr;

void Runner::body() { runner->run_threads(); }

void Runner::enter(uint32_t thread) {
  thread_ = thread;
  const Extent& size = place.threads;
  place.thread = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
}

void Runner::run_threads() {
  while (true) {
    while (started_ < count_) {
      enter(started_++);
      kernel_->run(params_);
      end_thread();
    }
    idle_.push_back(running_);
    go_on();
  }
}

void Runner::end_thread() {
  --live_;
  Warp& own = warp();
  --own.live;
  if (own.arrived != 0 && own.arrived == own.live) release(own.waiting), own.arrived = 0, ++own.meeting;
  if (!at_barrier_.empty() && at_barrier_.size() == live_) release(at_barrier_);
}

void Runner::release(std::vector<uint32_t>& waiting) {
  ready_.insert(ready_.end(), waiting.begin(), waiting.end());
  waiting.clear();
}

Fiber& Runner::idle_fiber() {
  if (idle_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>(&Runner::body));
    return *fibers_.back();
  }
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  return *fiber;
}

void Runner::go_on() {
  Fiber* from = running_;
  if (!ready_.empty()) {
    const uint32_t next = ready_.front();
    ready_.pop_front();
    enter(next);
    running_ = fiber_of_[next];
  } else if (started_ < count_) {
    running_ = &idle_fiber();
  } else {
    stuck_ = live_ != 0;
    running_ = &host_;
  }
  if (running_ != from) from->switch_to(*running_);
}

void Runner::wait() {
  fiber_of_[thread_] = running_;
  go_on();
}

void Runner::meet_block() {
  if (at_barrier_.size() + 1 == live_) return release(at_barrier_);
  at_barrier_.push_back(thread_);
  wait();
}

uint32_t Runner::meet_warp(uint32_t word, uint32_t& slot) {
  Warp& own = warp();
  const uint32_t lane = thread_ % 32;
  slot = own.meeting & 1;
  if (own.arrived == 0) own.present[slot] = 0;
  own.present[slot] |= 1u << lane;
  own.words[slot][lane] = word;
  if (++own.arrived == own.live) {
    own.arrived = 0;
    ++own.meeting;
    release(own.waiting);
  } else {
    own.waiting.push_back(thread_);
    wait();
  }
  return own.present[slot];
}

char* Runner::shared_at(size_t room, size_t bytes) {
  if (poisoned_for_.size() <= room / kSharedAlignment) poisoned_for_.resize(room / kSharedAlignment + 1);
  uint64_t& last = poisoned_for_[room / kSharedAlignment];
  if (last != block_) std::memset(static_ + room, kPoison, bytes);
  last = block_;
  return static_ + room;
}

void Runner::start_block() {
  started_ = 0;
  live_ = count_;
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].live = std::min<uint32_t>(32, count_ - 32 * static_cast<uint32_t>(i));
    warps_[i].arrived = 0;
  }
  std::memset(dynamic_.data(), kPoison, dynamic_.size());
  ++block_;
}

bool Runner::run(const Kernel& kernel, Extent blocks, Extent threads, size_t shared_bytes,
                 const void* params) {
  kernel_ = &kernel;
  params_ = params;
  count_ = static_cast<uint32_t>(threads.count());
  warps_.resize((count_ + 31) / 32);
  fiber_of_.resize(count_);
  dynamic_.resize(shared_bytes + 16);
  if (!static_) {
    static_ = static_cast<char*>(mmap(nullptr, kStaticSharedBytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  place.threads = threads;
  place.blocks = blocks;
  place.dynamic_shared =
      reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(dynamic_.data()) + 15) & ~uintptr_t{15});
  for (uint32_t z = 0; z < blocks.z; ++z) {
    for (uint32_t y = 0; y < blocks.y; ++y) {
      for (uint32_t x = 0; x < blocks.x; ++x) {
        place.block = {x, y, z};
        start_block();
        running_ = &host_;
        go_on();
        if (stuck_) return false;
      }
    }
  }
  return true;
}

}  // namespace

bool run_blocks(const Kernel& kernel, Extent blocks, Extent threads, size_t shared_bytes,
                const void* params) {
  if (!runner) runner = new Runner;  // one for each stream, which lives as long as the process
  if (runner->run(kernel, blocks, threads, shared_bytes, params)) return true;
  std::fprintf(stderr, "emulated CUDA: threads of %s wait for each other at different places\n", kernel.name);
  runner = nullptr;  // its stacks hold the threads that wait
  return false;
}

void meet_block() { runner->meet_block(); }
uint32_t lane() { return runner->thread() % 32; }

uint32_t exchange(uint32_t word, uint32_t from_lane) {
  uint32_t slot = 0;
  runner->meet_warp(word, slot);
  return runner->warp().words[slot][from_lane];
}

uint32_t vote(bool mine) {
  uint32_t slot = 0;
  const uint32_t present = runner->meet_warp(mine, slot);
  uint32_t votes = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    if (((present >> i) & 1) && runner->warp().words[slot][i]) votes |= 1u << i;
  }
  return votes;
}

size_t reserve_shared(size_t bytes) {
  return shared_reserved.fetch_add((bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment);
}
char* shared_at(size_t room, size_t bytes) { return runner->shared_at(room, bytes); }

Kernel::Kernel(const char* kernel_name, Run run_thread, size_t bytes)
    : name(kernel_name), run(run_thread), params_bytes(bytes), next(known_kernels) {
  known_kernels = this;
}

const Kernel* find_kernel(const char* name, size_t length) {
  const std::string_view wanted(name, length);
  for (const Kernel* kernel = known_kernels; kernel; kernel = kernel->next) {
    if (wanted == kernel->name) return kernel;
  }
  return nullptr;
}

}  // namespace dyad::cuda::emulated
