#include <cstring>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/stream.h"
#include "runtime/device.h"

namespace dyad::cuda {

namespace {

DevicePointer at(const void* block) { return reinterpret_cast<DevicePointer>(block); }

class CudaRuntime final : public DeviceRuntime {
 public:
  int count() override { return driver().missing.empty() ? driver().devices : 0; }
  std::string missing() override { return driver().missing; }
  std::string describe(int index) override {
    char name[256] = {};
    check(driver().device_name(name, sizeof name, index), "asking for the device's name");
    return name;
  }

  void* allocate(int index, size_t bytes) override { return cuda::allocate(index, bytes); }
  void release(int index, void* block, size_t) noexcept override { cuda::release(index, block); }

  // The driver has read pageable memory when the call returns.
  void copy_to_device(int index, void* to, const void* from, size_t bytes) override {
    if (bytes == 0) return;
    use_device(index);
    check(driver().copy_to_device(at(to), from, bytes, current_stream(index)), "copying to the device");
  }
  void copy_to_host(int index, void* to, const void* from, size_t bytes) override {
    use_device(index);
    StreamHandle stream = current_stream(index);
    if (bytes > 0) check(driver().copy_to_host(to, at(from), bytes, stream), "copying from the device");
    check(driver().synchronize_stream(stream), "waiting for the device");
    raise_faults(index);
  }
  void copy_on_device(int index, void* to, const void* from, size_t bytes) override {
    if (bytes == 0) return;
    use_device(index);
    check(driver().copy_on_device(at(to), at(from), bytes, current_stream(index)), "copying on the device");
  }
  void synchronize(int index) override {
    use_device(index);
    check(driver().synchronize_context(), "waiting for the device");
    raise_faults(index);
  }

  void note_use(int index, void* block) override { cuda::note_use(index, block, current_stream(index)); }

  MemoryStatistics statistics(int index) override { return memory_statistics(index); }
  void reset_peaks(int index) override { reset_memory_peaks(index); }
  void empty_cache(int index) override { empty_memory_cache(index); }
  void set_limit(int index, int64_t bytes) override { set_memory_limit(index, bytes); }
};

[[maybe_unused]] const bool registered = [] {
  add_device_runtime(DeviceKind::kCuda, std::make_unique<CudaRuntime>());
  return true;
}();

}  // namespace

}  // namespace dyad::cuda
