// Scans along one axis, the best element of each line, triangles and one-hot rows.

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/params/scan.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kMostBlocks = 4096;
constexpr unsigned kScanThreads = 256;

DType scanning_dtype(DType dtype) { return dtype == DType::kBool ? DType::kUInt8 : compute_dtype(dtype); }

AxisView lines_of(const KernelCall& call, size_t input, size_t axis) {
  const ValueImpl& in = call.in(input);
  return AxisView(in.shape, normalize_axis(call.op(), call.integer(axis), std::max<int64_t>(in.rank(), 1)));
}

/// A block for each line where lines lie in one piece, else a thread.
cuda::Grid grid_of(const AxisView& lines, bool blocks) {
  const int64_t count = lines.outer * lines.inner;
  if (!blocks) return cuda::cover(count);
  cuda::Grid grid;
  grid.x = static_cast<unsigned>(std::min(count, kMostBlocks));
  grid.threads = kScanThreads;
  return grid;
}

/// A result that is computed in another dtype than its own.
class ComputedOnDevice {
 public:
  ComputedOnDevice(ValueImpl& value, DType dtype)
      : value_(value), window_(value, value.shape, contiguous_strides(value.shape)) {
    if (dtype == value.dtype && value.contiguous()) return;
    memory_ = std::make_unique<cuda::DeviceWorkspace>(
        value.device.index, static_cast<size_t>(std::max<int64_t>(1, value.size()) * itemsize(dtype)));
    window_.dtype = dtype;
    window_.data = memory_->as<void>();
  }
  void* data() const { return window_.data; }
  void store() {
    if (memory_) copy_on_device(window_, value_);
  }

 private:
  ValueImpl& value_;
  Window window_;
  std::unique_ptr<cuda::DeviceWorkspace> memory_;
};

void scan(const KernelCall& call, const char* name, DType dtype, const AxisView& lines, bool exclusive,
          bool reverse) {
  if (lines.total() == 0) return;
  const DeviceContiguous in(call.in(0), dtype);
  ComputedOnDevice out(call.out(), dtype);
  const cuda::ScanParams params{in.as(),     out.data(),  nullptr,   lines.outer * lines.inner,
                                lines.count, lines.inner, exclusive, reverse};
  const bool blocks = lines.inner == 1 && lines.count > 32;
  cuda::launch(call.out().device.index, cat(name, blocks ? "_lines_" : "_columns_", device_dtype_name(dtype)),
               grid_of(lines, blocks), params);
  out.store();
}

/// (input, axis, exclusive, reverse, dtype)
void run_cumsum(const KernelCall& call) {
  scan(call, "cumsum", scanning_dtype(call.out().dtype), lines_of(call, 0, 1), call.flag(2), call.flag(3));
}
void run_cumprod(const KernelCall& call) {
  scan(call, "cumprod", scanning_dtype(call.out().dtype), lines_of(call, 0, 1), call.flag(2), call.flag(3));
}
/// (input, axis)
void run_logcumsumexp(const KernelCall& call) {
  scan(call, "logcumsumexp", DType::kFloat64, lines_of(call, 0, 1), false, false);
}

/// (gradient, input, axis, exclusive, reverse)
void run_cumprod_grad(const KernelCall& call) {
  const AxisView lines = lines_of(call, 0, 2);
  if (lines.total() == 0) return;
  const DType dtype = is_complex(call.out().dtype) ? DType::kComplex128 : DType::kFloat64;
  const DeviceContiguous gradient(call.in(0), dtype);
  const DeviceContiguous in(call.in(1), dtype);
  ComputedOnDevice out(call.out(), dtype);
  const cuda::ProductGradientParams params{
      gradient.as(), in.as(),     out.data(),   lines.outer * lines.inner,
      lines.count,   lines.inner, call.flag(3), call.flag(4)};
  cuda::launch(call.out().device.index, cat("cumprod_grad_", device_dtype_name(dtype)), grid_of(lines, false),
               params);
  out.store();
}

/// (input, axis) -> (values, index)
void running_extreme(const KernelCall& call, const char* name) {
  const AxisView lines = lines_of(call, 0, 1);
  if (lines.total() == 0) return;
  const DType dtype = scanning_dtype(call.out(0).dtype);
  const DeviceContiguous in(call.in(0), dtype);
  ComputedOnDevice values(call.out(0), dtype);
  ComputedOnDevice index(call.out(1), DType::kInt64);
  const cuda::ScanParams params{in.as(),
                                values.data(),
                                static_cast<int64_t*>(index.data()),
                                lines.outer * lines.inner,
                                lines.count,
                                lines.inner,
                                0,
                                0};
  cuda::launch(call.out().device.index, cat(name, device_dtype_name(dtype)), grid_of(lines, false), params);
  values.store();
  index.store();
}
void run_cummax(const KernelCall& call) { running_extreme(call, "cummax_"); }
void run_cummin(const KernelCall& call) { running_extreme(call, "cummin_"); }

/// A missing axis means all elements as one line.
AxisView lines_or_all(const KernelCall& call) {
  return call.has(1) ? lines_of(call, 0, 1) : AxisView(Shape{call.in(0).size()}, 0);
}

void find_best(const KernelCall& call, bool greatest, void* values, ValueImpl& index) {
  const AxisView lines = lines_or_all(call);
  const DeviceContiguous in(call.in(0));
  const bool blocks = lines.inner == 1 && lines.count > 32;
  const cuda::ArgmaxParams params{
      in.as(),     values,     index.data, static_cast<uint32_t>(index.dtype), lines.outer * lines.inner,
      lines.count, lines.inner};
  cuda::launch(index.device.index,
               cat(greatest ? "greatest" : "least", blocks ? "_lines_" : "_columns_",
                   device_dtype_name(call.in(0).dtype)),
               grid_of(lines, blocks), params);
}

/// (input, axis, keepdims, dtype) -> index
template <bool greatest>
void run_arg(const KernelCall& call) {
  if (call.out().size() > 0) find_best(call, greatest, nullptr, call.out());
}

/// (input, axis, keepdims) -> (values, index)
template <bool greatest>
void run_extreme(const KernelCall& call) {
  if (call.out(0).size() > 0) find_best(call, greatest, call.out(0).data, call.out(1));
}

std::string sized_name(const char* name, DType dtype) { return cat(name, itemsize(dtype)); }

void run_triangle(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DeviceContiguous in(call.in(0));
  const auto rank = out.shape.size();
  const int64_t rows = out.shape[rank - 2].value();
  const int64_t columns = out.shape[rank - 1].value();
  const cuda::TriangleParams params{in.as(),     out.data,
                                    out.size(),  rows,
                                    columns,     std::clamp<int64_t>(call.integer(1), -rows - 1, columns + 1),
                                    call.flag(2)};
  cuda::launch(out.device.index, sized_name("triangle_", out.dtype), cuda::cover(params.count), params);
}

/// A number, or a tensor's only element, which stays on the device.
std::unique_ptr<DeviceContiguous> element_of(const Arg& arg, DType dtype, const void*& at,
                                             char (&number)[16]) {
  if (auto* value = arg.get<Value>()) {
    auto held = std::make_unique<DeviceContiguous>(**value, dtype);
    at = held->as();
    return held;
  }
  store(*arg.get<Scalar>(), dtype, number);
  return nullptr;
}

/// (indices, depth, on, off, axis)
void run_one_hot(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const auto axis = static_cast<size_t>(normalize_axis(call.op(), call.integer(4), out.rank()));
  const DeviceContiguous index(call.in(0), DType::kInt64);
  cuda::OneHotParams params{};
  params.index = index.as<int64_t>();
  params.out = out.data;
  params.count = out.size();
  params.depth = out.shape[axis].value();
  params.inner = 1;
  for (size_t d = axis + 1; d < out.shape.size(); ++d) params.inner *= out.shape[d].value();
  const auto on = element_of(call[2], out.dtype, params.on_at, params.on);
  const auto off = element_of(call[3], out.dtype, params.off_at, params.off);
  cuda::launch(out.device.index, sized_name("one_hot_", out.dtype), cuda::cover(params.count), params);
}

}  // namespace

DYAD_CUDA_KERNEL(cumsum, run_cumsum);
DYAD_CUDA_KERNEL(cumprod, run_cumprod);
DYAD_CUDA_KERNEL(cumprod_grad, run_cumprod_grad);
DYAD_CUDA_KERNEL(logcumsumexp, run_logcumsumexp);
DYAD_CUDA_KERNEL(cummax, run_cummax);
DYAD_CUDA_KERNEL(cummin, run_cummin);
DYAD_CUDA_KERNEL(argmax, run_arg<true>);
DYAD_CUDA_KERNEL(argmin, run_arg<false>);
DYAD_CUDA_KERNEL(max_with_index, run_extreme<true>);
DYAD_CUDA_KERNEL(min_with_index, run_extreme<false>);
DYAD_CUDA_KERNEL(triangle, run_triangle);
DYAD_CUDA_KERNEL(one_hot, run_one_hot);

}  // namespace dyad::kernels
