#pragma once

#include "runtime/cuda/stream.h"

namespace dyad::cuda {

/// A mark in a stream's work.
class Event {
 public:
  /// With `timed`, two of them tell the time between. A host that waits for a `blocking` one sleeps.
  Event(int device, bool timed, bool blocking);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  int device() const { return device_; }
  /// Marks the end of what the stream holds now. Both belong to one device.
  void record(const Stream& stream);
  /// What is given to the stream from now on waits for the mark.
  void hold_back(const Stream& stream) const;
  /// Whether the work before the mark is done.
  bool is_done() const;
  void wait() const;
  /// Waits for that; errors that the work met are raised here.
  void synchronize() const;
  /// From this mark to the other; a RuntimeError where one is not reached yet.
  float milliseconds_to(const Event& later) const;

 private:
  int device_;
  EventHandle handle_ = nullptr;
};

}  // namespace dyad::cuda
