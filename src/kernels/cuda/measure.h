#pragma once

// How ways to compute one thing are compared on a device.

#include <cstddef>
#include <span>

#include "runtime/cuda/driver.h"

namespace dyad::cuda {

/// Two events with which the work between them is timed on the current stream of a device.
class DeviceTimer {
 public:
  explicit DeviceTimer(int device);
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer();
  void start();
  /// Milliseconds since the start, once the work is done.
  float stop();

 private:
  StreamHandle stream_;
  EventHandle events_[2] = {};
};

/// Milliseconds of one turn of work that has run before; short work takes more turns.
template <class Work>
float time_of_turn(int device, const Work& work) {
  constexpr int kFewTurns = 3;
  constexpr int kManyTurns = 12;
  constexpr float kShort = 0.1f;  // milliseconds
  DeviceTimer timer(device);
  float each = 0;
  for (const int turns : {kFewTurns, kManyTurns}) {
    timer.start();
    for (int turn = 0; turn < turns; ++turn) work();
    each = timer.stop() / static_cast<float>(turns);
    if (each > kShort) break;
  }
  return each;
}

/// What one of several ways takes.
struct Cost {
  float milliseconds;
  size_t workspace;
};

/// The way that wants the least memory among those that are nearly as fast as the fastest.
size_t leanest_of_the_fast(std::span<const Cost> costs);

/// Bytes of workspace that a kernel may take now: little beside what tensors hold, or what stays below their
/// peak.
size_t workspace_limit(int device);

}  // namespace dyad::cuda
