#include "kernels/cuda/operand.h"

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

DeviceScratch::DeviceScratch(Device on, DType of, const Shape& sized)
    : memory_(on.index, static_cast<size_t>(numel(sized) * itemsize(of))) {
  dtype = of;
  device = on;
  shape = sized;
  strides = contiguous_strides(sized);
  data = memory_.as<void>();
}

Builder& DeviceScratch::builder() const {
  raise_internal("scratch memory takes no operators", __FILE__, __LINE__);
}

DeviceWindow::DeviceWindow(Device on, void* at, DType of, const Shape& sized, const Strides& stepped) {
  dtype = of;
  device = on;
  shape = sized;
  strides = stepped;
  data = at;
}

Builder& DeviceWindow::builder() const {
  raise_internal("borrowed memory takes no operators", __FILE__, __LINE__);
}

Operand::Operand(const Value& given, DType wanted, Layout layout) : value_(given) {
  if (given->dtype == wanted && (layout == kAnyStrides || given->contiguous())) return;
  const Ref<DeviceScratch> copy(new DeviceScratch(given->device, wanted, given->shape));
  kernels::copy_on_device(*given, *copy);
  value_ = copy;
}

Result::Result(ValueImpl& value) : value_(value), data_(value.data) {
  if (value.contiguous()) return;
  copy_.emplace(value.device.index, static_cast<size_t>(value.size() * itemsize(value.dtype)));
  data_ = copy_->as<void>();
}

void Result::store() {
  if (!copy_) return;
  move_elements(value_.device.index, value_.dtype, value_.shape, data_, contiguous_strides(value_.shape),
                value_.data, value_.strides);
}

ComputedResult::ComputedResult(ValueImpl& out, DType computed) : out_(out) {
  if (computed == out.dtype) return;
  scratch_ = Ref<DeviceScratch>(new DeviceScratch(out.device, computed, out.shape));
}

void ComputedResult::store() const {
  if (scratch_) kernels::copy_on_device(*scratch_, out_);
}

void convert_elements(const Value& from, ValueImpl& to) { kernels::copy_on_device(*from, to); }

void move_elements(int device, DType dtype, const Shape& shape, const void* from, const Strides& from_strides,
                   void* to, const Strides& to_strides) {
  const Device on{DeviceKind::kCuda, static_cast<int8_t>(device)};
  const DeviceWindow source(on, const_cast<void*>(from), dtype, shape, from_strides);
  DeviceWindow target(on, to, dtype, shape, to_strides);
  kernels::copy_on_device(source, target);
}

void conjugate_elements(int device, DType dtype, void* at, int64_t count) {
  static const Kernel kernel = KernelRegistry::instance().find("conjugate", DeviceKind::kCuda);
  if (!is_complex(dtype)) return;
  const Device on{DeviceKind::kCuda, static_cast<int8_t>(device)};
  const Value line(new DeviceWindow(on, at, dtype, {count}, {1}));
  const Arg args[] = {Arg(line)};
  ValueImpl* const results[] = {line.get()};
  kernel.run(KernelCall(Arguments("conjugate", args), results, kernel.payload, nullptr));
}

void fill_zeros(int device, void* to, int64_t bytes) {
  if (bytes == 0) return;
  use_device(device);
  check(driver().fill_bytes(reinterpret_cast<DevicePointer>(to), 0, static_cast<size_t>(bytes),
                            current_stream(device)),
        "filling with zeros");
}

}  // namespace dyad::cuda
