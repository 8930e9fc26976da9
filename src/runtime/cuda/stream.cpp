#include "runtime/cuda/stream.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/cuda/faults.h"

namespace dyad::cuda {

namespace {

constexpr size_t kMaxDevices = 64;
constexpr unsigned kNonBlocking = 1;
constexpr int kHighestPriority = -5;  ///< of the devices there are; the driver takes the nearest that it has

thread_local std::array<StreamHandle, kMaxDevices> chosen{};
thread_local std::array<Ref<Stream>, kMaxDevices> chosen_objects;

/// Streams of the driver that nobody has. None is ever destroyed: the memory that was freed on one is handed
/// out on it again, and a new stream could get its handle.
class IdleStreams {
 public:
  struct Idle {
    StreamHandle handle;
    int number;
  };

  Idle take(int device, int priority) {
    const std::lock_guard guard(lock_);
    std::vector<Idle>& idle = idle_[{device, priority}];
    if (idle.empty()) {
      use_device(device);
      StreamHandle made = nullptr;
      check(driver().create_stream(&made, kNonBlocking, priority), "creating a stream");
      return {made, ++opened_};
    }
    const Idle found = idle.back();
    idle.pop_back();
    return found;
  }
  void give_back(int device, int priority, Idle stream) {
    const std::lock_guard guard(lock_);
    idle_[{device, priority}].push_back(stream);
  }

 private:
  std::mutex lock_;
  std::map<std::pair<int, int>, std::vector<Idle>> idle_;
  int opened_ = 0;
};

IdleStreams& idle_streams() {
  static auto* const all = new IdleStreams;  // threads that end late give theirs back
  return *all;
}

}  // namespace

Ref<Stream> Stream::open(int device, int priority) {
  priority = std::clamp(priority, kHighestPriority, 0);
  const IdleStreams::Idle found = idle_streams().take(device, priority);
  return Ref<Stream>(new Stream(device, priority, found.number, found.handle));
}

Ref<Stream> Stream::of_device(int device) {
  return Ref<Stream>(new Stream(device, 0, 0, default_stream(device)));
}

Stream::~Stream() {
  if (number_ != 0) idle_streams().give_back(device_, priority_, {handle_, number_});
}

bool Stream::is_done() const {
  use_device(device_);
  const Status status = driver().query_stream(handle_);
  if (status == kNotReady) return false;
  check(status, "asking for the stream's work");
  return true;
}

void Stream::synchronize() const {
  use_device(device_);
  check(driver().synchronize_stream(handle_), "waiting for the stream");
  raise_faults(device_);
}

StreamHandle default_stream(int device) {
  static std::array<StreamHandle, kMaxDevices> streams{};
  static std::array<std::once_flag, kMaxDevices> once;
  const auto at = static_cast<size_t>(device);
  std::call_once(once[at], [&] {
    use_device(device);
    check(driver().create_stream(&streams[at], kNonBlocking, 0), "creating a stream");
  });
  return streams[at];
}

StreamHandle current_stream(int device) {
  StreamHandle stream = chosen[static_cast<size_t>(device)];
  return stream ? stream : default_stream(device);
}

Ref<Stream> current_stream_object(int device) {
  const Ref<Stream>& stream = chosen_objects[static_cast<size_t>(device)];
  return stream ? stream : Stream::of_device(device);
}

void set_current_stream(const Ref<Stream>& stream) {
  const auto at = static_cast<size_t>(stream->device());
  chosen[at] = stream->handle();
  chosen_objects[at] = stream;
}

}  // namespace dyad::cuda
