// Discrete Fourier transforms along one axis by cuFFT.

#include <array>
#include <map>
#include <mutex>

#include "kernels/cuda/cufft.h"
#include "kernels/cuda/operand.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

fft::Api open_cufft() {
  fft::Api api;
  void* library = open_library_for("libcufft", "12 11", api.missing);
  DYAD_CUFFT(DYAD_LIBRARY_LINK)
  return api;
}

void require(int status, std::string_view action) {
  if (status != 0) [[unlikely]]
    refuse_status("cuFFT", action, status);
}

/// `count` lines of `length` elements, `stride` apart, each line `distance` behind the other.
struct Lines {
  bool wide;
  int64_t length;
  int64_t stride;
  int64_t distance;
  int64_t count;
  auto operator<=>(const Lines&) const = default;
};

struct Plan {
  fft::Plan handle = 0;
  size_t bytes = 0;
};

/// Plans of one device that were used of late; the lock is held while one is used.
class Plans {
 public:
  std::mutex lock;

  const Plan& of(const Lines& lines) {
    if (const auto at = plans_.find(lines); at != plans_.end()) return at->second;
    if (plans_.size() >= kMostPlans) forget();
    Plan plan;
    const fft::Api& api = cufft();
    require(api.create(&plan.handle), "making a plan");
    require(api.set_own_memory(plan.handle, 0), "making a plan");
    long long length = lines.length;
    const auto kind = static_cast<int>(lines.wide ? fft::Kind::kComplex128 : fft::Kind::kComplex64);
    require(api.make_plan(plan.handle, 1, &length, &length, lines.stride, lines.distance, &length,
                          lines.stride, lines.distance, kind, lines.count, &plan.bytes),
            "making a plan");
    return plans_.emplace(lines, plan).first->second;
  }

 private:
  static constexpr size_t kMostPlans = 256;
  void forget() {
    for (const auto& [lines, plan] : plans_) cufft().destroy(plan.handle);
    plans_.clear();
  }
  std::map<Lines, Plan> plans_;
};

Plans& plans_of(int device) {
  constexpr size_t kMostDevices = 64;
  static auto* devices = new std::array<Plans, kMostDevices>;  // outlives the threads that use it
  return (*devices)[static_cast<size_t>(device)];
}

void transform(int device, const Lines& lines, const void* from, void* to, fft::Direction direction) {
  use_device(device);
  Plans& plans = plans_of(device);
  const std::lock_guard guard(plans.lock);
  const Plan& plan = plans.of(lines);
  const fft::Api& api = cufft();
  const DeviceWorkspace memory(device, plan.bytes);
  require(api.set_stream(plan.handle, current_stream(device)), "choosing the stream");
  require(api.set_memory(plan.handle, memory.as<void>()), "giving memory");
  const auto run = lines.wide ? api.transform_double : api.transform_float;
  require(run(plan.handle, const_cast<void*>(from), to, static_cast<int>(direction)), "a transform");
}

/// (input, axis, inverse)
void run_fourier(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (!cufft().available()) return run_on_host(call);
  const Operand input(call.value(0), out.dtype);
  const auto axis = static_cast<size_t>(normalize_axis(call.op(), call.integer(1), input->rank()));
  const auto direction = call.flag(2) ? fft::Direction::kInverse : fft::Direction::kForward;
  const bool wide = out.dtype == DType::kComplex128;
  const int64_t length = out.shape[axis].value();
  const int64_t inner = out.strides[axis];
  const int64_t outer = out.size() / (length * inner);
  const int device = out.device.index;
  if (inner == 1)
    return transform(device, {wide, length, 1, length, outer}, input->data, out.data, direction);
  if (outer == 1) return transform(device, {wide, length, inner, 1, inner}, input->data, out.data, direction);
  // Lines in two directions: the axis is moved to the end and back.
  const DeviceScratch moved(out.device, out.dtype, {outer, inner, length});
  const Strides across{inner * length, 1, inner};
  move_elements(device, out.dtype, moved.shape, input->data, across, moved.data, moved.strides);
  transform(device, {wide, length, 1, length, outer * inner}, moved.data, moved.data, direction);
  move_elements(device, out.dtype, moved.shape, moved.data, moved.strides, out.data, across);
}

DYAD_CUDA_KERNEL(fourier, run_fourier);

}  // namespace

const fft::Api& cufft() {
  static const fft::Api api = open_cufft();
  return api;
}

}  // namespace dyad::cuda
