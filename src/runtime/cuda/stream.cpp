#include "runtime/cuda/stream.h"

#include <array>
#include <mutex>

namespace dyad::cuda {

namespace {
constexpr size_t kMaxDevices = 64;
constexpr unsigned kNonBlocking = 1;
thread_local std::array<StreamHandle, kMaxDevices> chosen{};
}  // namespace

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

void set_current_stream(int device, StreamHandle stream) { chosen[static_cast<size_t>(device)] = stream; }

}  // namespace dyad::cuda
