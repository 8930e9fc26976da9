#include "kernels/cuda/measure.h"

#include <algorithm>

#include "runtime/cuda/memory.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

DeviceTimer::DeviceTimer(int device) : stream_(current_stream(device)) {
  for (EventHandle& event : events_) check(driver().create_event(&event, 0), "creating an event");
}

DeviceTimer::~DeviceTimer() {
  for (EventHandle event : events_) driver().destroy_event(event);
}

void DeviceTimer::start() { check(driver().record_event(events_[0], stream_), "recording an event"); }

float DeviceTimer::stop() {
  float milliseconds = 0;
  check(driver().record_event(events_[1], stream_), "recording an event");
  check(driver().synchronize_event(events_[1]), "waiting for an event");
  check(driver().elapsed_time(&milliseconds, events_[0], events_[1]), "measuring an algorithm");
  return milliseconds;
}

size_t leanest_of_the_fast(std::span<const Cost> costs) {
  constexpr float kNearly = 1.07f;
  float best = costs[0].milliseconds;
  for (const Cost& cost : costs) best = std::min(best, cost.milliseconds);
  size_t chosen = 0;
  bool any = false;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].milliseconds > best * kNearly) continue;
    const bool leaner = costs[i].workspace < costs[chosen].workspace;
    const bool faster =
        costs[i].workspace == costs[chosen].workspace && costs[i].milliseconds < costs[chosen].milliseconds;
    if (!any || leaner || faster) chosen = i;
    any = true;
  }
  return chosen;
}

size_t workspace_limit(int device) {
  constexpr int64_t kLeast = int64_t{32} << 20;
  constexpr int64_t kMost = int64_t{256} << 20;
  constexpr int64_t kShare = 16;
  const MemoryStatistics now = memory_statistics(device);
  const int64_t below_peak = now.max_allocated - now.allocated;
  return static_cast<size_t>(std::clamp(std::max(now.allocated / kShare, below_peak), kLeast, kMost));
}

}  // namespace dyad::cuda
