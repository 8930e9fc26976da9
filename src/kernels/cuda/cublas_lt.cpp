#include "kernels/cuda/cublas_lt.h"

#include <array>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "runtime/device.h"

namespace dyad::cuda {

namespace {

lt::Api open_cublas_lt() {
  lt::Api api;
  void* library = open_library_for("libcublasLt", "13 12", api.missing);
  DYAD_CUBLAS_LT(DYAD_LIBRARY_LINK)
  return api;
}

std::mutex preload_lock;
std::jthread preloading;

/// Opens the library for a device on a thread of its own, which takes half a second: called when the device
/// is chosen, so that the first product finds it there.
void preload(int device) {
  const std::lock_guard guard(preload_lock);
  if (preloading.joinable()) preloading.join();
  preloading = std::jthread([device] {
    try {
      if (cublas_lt().available()) cublas_lt_handle(device);
    } catch (const Error&) {  // told again, to the caller, by the first product
    }
  });
}

/// The library must not be taken away while it is being opened.
void finish_preload() {
  const std::lock_guard guard(preload_lock);
  if (preloading.joinable()) preloading.join();
}

[[maybe_unused]] const bool preloads = [] {
  when_device_chosen(DeviceKind::kCuda, preload);
  when_program_ends(DeviceKind::kCuda, finish_preload);
  return true;
}();

}  // namespace

DataFormat data_format(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return DataFormat::kFloat16;
    case DType::kBFloat16:
      return DataFormat::kBFloat16;
    case DType::kFloat32:
      return DataFormat::kFloat32;
    case DType::kFloat64:
      return DataFormat::kFloat64;
    case DType::kComplex64:
      return DataFormat::kComplex64;
    case DType::kComplex128:
      return DataFormat::kComplex128;
    default:
      raise_internal("the dtype is a float or complex one", __FILE__, __LINE__);
  }
}

const lt::Api& cublas_lt() {
  static const lt::Api& api = *new lt::Api(open_cublas_lt());  // threads use it until the process ends
  return api;
}

lt::Handle cublas_lt_handle(int device) {
  constexpr size_t kMostDevices = 64;
  static std::array<lt::Handle, kMostDevices> handles{};
  static std::array<std::once_flag, kMostDevices> made;
  const auto at = static_cast<size_t>(device);
  std::call_once(made[at], [&] {
    use_device(device);
    if (const int status = cublas_lt().create(&handles[at])) refuse_status("cuBLASLt", "starting", status);
  });
  return handles[at];
}

}  // namespace dyad::cuda
