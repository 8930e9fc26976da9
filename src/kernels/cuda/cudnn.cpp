#include "kernels/cuda/cudnn.h"

#include <array>

#include "base/error.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

dnn::Api open_cudnn() {
  dnn::Api api;
  void* library = open_library_for("libcudnn", "9", api.missing);
  DYAD_CUDNN(DYAD_LIBRARY_LINK)
  return api;
}

struct Shared {
  std::mutex lock;
  dnn::Handle handle = nullptr;
};

Shared& shared_handle(int device) {
  constexpr size_t kMostDevices = 64;
  static auto* devices = new std::array<Shared, kMostDevices>;  // outlives the threads that use it
  return (*devices)[static_cast<size_t>(device)];
}

}  // namespace

namespace dnn {

void require(int status, std::string_view action) {
  if (status != 0) [[unlikely]]
    refuse_status("cuDNN", action, status);
}

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return Format::kFloat16;
    case DType::kBFloat16:
      return Format::kBFloat16;
    case DType::kFloat32:
      return Format::kFloat32;
    case DType::kFloat64:
      return Format::kFloat64;
    default:
      raise_internal("the dtype is a float one", __FILE__, __LINE__);
  }
}

}  // namespace dnn

const dnn::Api& cudnn() {
  static const dnn::Api api = open_cudnn();
  return api;
}

CudnnLease::CudnnLease(int device) : lock_(shared_handle(device).lock) {
  use_device(device);
  Shared& shared = shared_handle(device);
  if (!shared.handle) dnn::require(cudnn().create(&shared.handle), "starting");
  handle_ = shared.handle;
  dnn::require(cudnn().set_stream(handle_, current_stream(device)), "choosing the stream");
}

}  // namespace dyad::cuda
