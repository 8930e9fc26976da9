#include "runtime/cuda/event.h"

#include "base/error.h"
#include "runtime/cuda/faults.h"

namespace dyad::cuda {

namespace {
constexpr unsigned kSleeping = 1;
constexpr unsigned kWithoutTime = 2;
}  // namespace

Event::Event(int device, bool timed, bool blocking) : device_(device) {
  use_device(device);
  const unsigned flags = (blocking ? kSleeping : 0) | (timed ? 0 : kWithoutTime);
  check(driver().create_event(&handle_, flags), "making an event");
}

Event::~Event() { driver().destroy_event(handle_); }

void Event::record(const Stream& stream) {
  if (stream.device() != device_) {
    value_error("Event.record: the event belongs to GPU ", device_, " and the stream to GPU ",
                stream.device(), "; need an Event of its own for each device");
  }
  use_device(device_);
  check(driver().record_event(handle_, stream.handle()), "recording an event");
}

void Event::hold_back(const Stream& stream) const {
  use_device(stream.device());
  check(driver().wait_event(stream.handle(), handle_, 0), "waiting for an event");
}

bool Event::is_done() const {
  use_device(device_);
  const Status status = driver().query_event(handle_);
  if (status == kNotReady) return false;
  check(status, "asking for an event");
  return true;
}

void Event::wait() const {
  use_device(device_);
  check(driver().synchronize_event(handle_), "waiting for an event");
}

void Event::synchronize() const {
  wait();
  raise_faults(device_);
}

float Event::milliseconds_to(const Event& later) const {
  use_device(device_);
  float milliseconds = 0;
  const Status status = driver().elapsed_time(&milliseconds, handle_, later.handle_);
  if (status == kNotReady)
    runtime_error("Event.elapsed_time: work before the events is not done yet; call synchronize() first");
  check(status, "measuring the time between events");
  return milliseconds;
}

}  // namespace dyad::cuda
