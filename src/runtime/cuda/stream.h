#pragma once

#include "base/intrusive.h"
#include "runtime/cuda/driver.h"

namespace dyad::cuda {

/// A queue of a device's work that a program has opened, or the device's default one.
class Stream final : public RefCounted {
 public:
  /// One that nobody else has. A lower `priority` goes first, where the device knows several. Who lets
  /// programs work on it sets `streams_opened`; who does not notes the use of its blocks.
  static Ref<Stream> open(int device, int priority);
  /// The stream that every thread begins with.
  static Ref<Stream> of_device(int device);
  /// What was queued goes on; the driver's stream serves the next one that is opened.
  ~Stream() override;

  int device() const { return device_; }
  int priority() const { return priority_; }
  /// 0 is the default stream.
  int number() const { return number_; }
  StreamHandle handle() const { return handle_; }

  /// Whether all that was queued is done.
  bool is_done() const;
  /// Waits for that; errors that the work met are raised here.
  void synchronize() const;

 private:
  Stream(int device, int priority, int number, StreamHandle handle)
      : device_(device), priority_(priority), number_(number), handle_(handle) {}
  int device_;
  int priority_;
  int number_;
  StreamHandle handle_;
};

/// The stream on which the calling thread's work on the device runs. Every thread begins with the device's
/// default stream, which all of them share.
StreamHandle current_stream(int device);
Ref<Stream> current_stream_object(int device);
/// Makes `stream` that of the calling thread, for its device.
void set_current_stream(const Ref<Stream>& stream);
StreamHandle default_stream(int device);

}  // namespace dyad::cuda
