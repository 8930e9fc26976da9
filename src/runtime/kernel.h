#pragma once

#include <span>
#include <string_view>

#include "types/arg.h"

namespace dyad {

/// One launch: the operator's arguments and its results, whose memory exists unless the operator's shape
/// depends on data, in which case the kernel calls `allocate`.
class KernelCall : public Arguments {
 public:
  using Allocate = void (*)(ValueImpl& result, const Shape& shape);
  KernelCall(const Arguments& arguments, std::span<ValueImpl* const> results, const void* payload,
             Allocate allocate)
      : Arguments(arguments), results_(results), payload_(payload), allocate_(allocate) {}

  ValueImpl& out(size_t i = 0) const { return *results_[i]; }
  size_t out_count() const { return results_.size(); }
  /// Gives result `i` its shape and memory (operators whose shape depends on data only).
  void allocate(size_t i, const Shape& shape) const { allocate_(*results_[i], shape); }
  /// Where the call runs: the device of its results, or of its first tensor where it has none.
  Device device() const;
  /// What the kernel was registered with: a table of loops, say.
  const void* payload() const { return payload_; }

 private:
  std::span<ValueImpl* const> results_;
  const void* payload_;
  Allocate allocate_;
};

using KernelFunction = void (*)(const KernelCall& call);

/// A kernel with the constant data that it was registered with. `run` is null where there is none.
struct Kernel {
  KernelFunction run = nullptr;
  const void* payload = nullptr;
};

/// Kernels by operator name and device. Back ends add theirs while the library loads; `find` is called once
/// per operator when eager dispatch links its table.
class KernelRegistry {
 public:
  static KernelRegistry& instance();
  void add(std::string_view op, DeviceKind device, KernelFunction run, const void* payload = nullptr);
  Kernel find(std::string_view op, DeviceKind device) const;
};

/// Adds a kernel for the CPU when a variable of this type is initialised, while the library loads.
struct RegisterCpuKernel {
  RegisterCpuKernel(std::string_view op, KernelFunction run) {
    KernelRegistry::instance().add(op, DeviceKind::kCpu, run);
  }
};

/// The same for NVIDIA's devices.
struct RegisterCudaKernel {
  RegisterCudaKernel(std::string_view op, KernelFunction run) {
    KernelRegistry::instance().add(op, DeviceKind::kCuda, run);
  }
};

}  // namespace dyad

#define DYAD_KERNEL_JOIN_(a, b) a##b
#define DYAD_KERNEL_NAME_(n) DYAD_KERNEL_JOIN_(dyad_kernel_, n)
/// Registers the CPU kernel of an operator: `DYAD_CPU_KERNEL(softmax, run_softmax);`
#define DYAD_CPU_KERNEL(op, function) \
  [[maybe_unused]] static const ::dyad::RegisterCpuKernel DYAD_KERNEL_NAME_(__COUNTER__)(#op, function)
#define DYAD_CUDA_KERNEL(op, function) \
  [[maybe_unused]] static const ::dyad::RegisterCudaKernel DYAD_KERNEL_NAME_(__COUNTER__)(#op, function)
