#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "types/device.h"

namespace dyad {

/// How much memory of a device there is in use and in the cache, in bytes.
struct MemoryStatistics {
  int64_t allocated = 0;
  int64_t max_allocated = 0;
  int64_t reserved = 0;
  int64_t max_reserved = 0;
};

/// What the framework asks of a kind of device besides its kernels. Work is carried out in the order of the
/// calls, on the current stream of the calling thread; only `copy_to_host` and `synchronize` wait for it.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  /// How many devices of this kind there are; where there are none, `missing` says what is not there.
  virtual int count() = 0;
  virtual std::string missing() = 0;
  /// What the device is called: "NVIDIA H200".
  virtual std::string describe(int index) = 0;

  virtual void* allocate(int index, size_t bytes) = 0;
  virtual void release(int index, void* block, size_t bytes) noexcept = 0;
  /// Returns when `from` may be changed.
  virtual void copy_to_device(int index, void* to, const void* from, size_t bytes) = 0;
  /// Returns when `to` is there.
  virtual void copy_to_host(int index, void* to, const void* from, size_t bytes) = 0;
  virtual void copy_on_device(int index, void* to, const void* from, size_t bytes) = 0;
  /// Waits for all work on the device; errors that it met are raised here.
  virtual void synchronize(int index) = 0;
  /// The calling thread's stream uses a block: another stream's, say, which then must not take it back early.
  virtual void note_use(int index, void* block) = 0;

  virtual MemoryStatistics statistics(int index) = 0;
  virtual void reset_peaks(int index) = 0;
  virtual void empty_cache(int index) = 0;
  /// The most that may be reserved, in bytes.
  virtual void set_limit(int index, int64_t bytes) = 0;
};

/// Whether the program has opened streams besides the default ones of the devices. While it has not, dispatch
/// does not note which stream uses a block.
extern std::atomic<bool> streams_opened;
inline bool streams_in_use() { return streams_opened.load(std::memory_order_relaxed); }

/// Announces the runtime of a kind of device, while the library loads.
void add_device_runtime(DeviceKind kind, std::unique_ptr<DeviceRuntime> runtime);
/// Has `run` called with the number of each device of this kind that is chosen for later operators: what is
/// slow to open can be opened ahead.
void when_device_chosen(DeviceKind kind, void (*run)(int index));
void announce_chosen_device(Device device);
/// Has `run` called when the host's program is over, while all libraries are still there: what was opened
/// ahead is waited for.
void when_program_ends(DeviceKind kind, void (*run)());
void announce_end_of_program();
/// The runtime of a kind; null where this build has none. The CPU has none: its memory is `host_memory`.
DeviceRuntime* find_device_runtime(DeviceKind kind);
/// The runtime of a device that a tensor lies on.
DeviceRuntime& runtime_of(Device device);

}  // namespace dyad
