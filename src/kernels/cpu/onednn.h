#pragma once

// What the kernels share of oneDNN. Only this room sees the library.

#include <dnnl.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/region_threads.h"
#include "runtime/allocator.h"
#include "types/dtype.h"

namespace dyad::kernels::onednn {

/// The library's CPU; made on first use.
const dnnl::engine& engine();

/// Whether the machine multiplies bfloat16 itself.
bool multiplies_bfloat16();
/// The library's name for float32 or bfloat16.
dnnl::memory::data_type library_type(DType dtype);

/// Held, together with others, by a thread that looks for a primitive or makes one. fork() takes it alone: a
/// child has none of its parent's other threads, and would wait for ever for a lock that one of them held,
/// the library's own included.
std::shared_mutex& making();

/// A number sequence as a cache key.
class Key {
 public:
  explicit Key(std::string_view kind) : bytes_(kind) {}
  Key& add(int64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Primitives made once and found again by key and the number of threads they are made for; the least
/// recently used one goes when the cache is full. A primitive is executed with scratch memory of the caller,
/// so several threads may run one at the same time.
template <class Primitive>
class PrimitiveCache {
 public:
  template <class Make>
  std::shared_ptr<const Primitive> get(Key key, const Make& make) {
    key.add(region_threads());
    const std::shared_lock no_fork(making());
    {
      std::lock_guard lock(guard_);
      if (auto at = entries_.find(key.bytes()); at != entries_.end()) {
        recent_.splice(recent_.begin(), recent_, at->second);
        return at->second->second;
      }
    }
    std::shared_ptr<const Primitive> made = make();  // without the lock: making one takes a while
    std::lock_guard lock(guard_);
    if (auto at = entries_.find(key.bytes()); at != entries_.end()) return at->second->second;
    recent_.emplace_front(key.bytes(), made);
    entries_[key.bytes()] = recent_.begin();
    if (recent_.size() > kCapacity) {
      entries_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return made;
  }

 private:
  static constexpr size_t kCapacity = 512;
  using Entry = std::pair<std::string, std::shared_ptr<const Primitive>>;
  std::mutex guard_;
  std::list<Entry> recent_;
  std::unordered_map<std::string, typename std::list<Entry>::iterator> entries_;
};

/// Memory that the library reads or writes; the description is copied, the data is not.
inline dnnl::memory memory_at(const dnnl::memory::desc& description, const void* data) {
  return {description, engine(), const_cast<void*>(data)};
}

/// For primitives in which threads add up parts of one result. While it lives, and if results must not depend
/// on the number of threads, the library makes and runs primitives on this thread alone.
class SameForAnyThreads {
 public:
  SameForAnyThreads();
  ~SameForAnyThreads();
  SameForAnyThreads(const SameForAnyThreads&) = delete;
  SameForAnyThreads& operator=(const SameForAnyThreads&) = delete;

  /// Whether it makes a difference: such primitives are others than those for all threads.
  bool active() const { return threads_before_ > 0; }

 private:
  int threads_before_ = 0;
};

/// Multiplications of the library that take about as long as a grain of `parallel_for`.
inline constexpr double kGrainWork = 1 << 17;

/// Attributes that make the library use the caller's scratch memory.
dnnl::primitive_attr caller_scratch();

}  // namespace dyad::kernels::onednn
