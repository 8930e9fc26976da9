#include "tensor/transfer.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "runtime/device.h"

namespace dyad {

namespace {

/// The bytes between the first and the last element of a strided tensor, and where its element 0 lies in
/// them.
struct Extent {
  const char* begin;
  size_t bytes;
  int64_t origin;  ///< in bytes from `begin`
};

Extent extent_of(const ValueImpl& tensor) {
  int64_t lowest = 0;
  int64_t highest = 0;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    const int64_t reach = (tensor.shape[d].value() - 1) * tensor.strides[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  const int64_t each = itemsize(tensor.dtype);
  if (tensor.size() == 0) return {tensor.as<const char>(), 0, 0};
  return {tensor.as<const char>() + lowest * each, static_cast<size_t>((highest - lowest + 1) * each),
          -lowest * each};
}

Tensor window(const ValueImpl& like, Ref<Storage> storage, int64_t origin, Device device) {
  Tensor made(new TensorImpl);
  made->dtype = like.dtype;
  made->device = device;
  made->shape = like.shape;
  made->strides = like.strides;
  made->data = static_cast<char*>(storage->data()) + origin;
  made->storage = std::move(storage);
  return made;
}

bool on_cpu(Device device) { return device.kind == DeviceKind::kCpu; }

}  // namespace

Tensor on_host(const ValueImpl& tensor) {
  if (on_cpu(tensor.device)) return alias_of(static_cast<const TensorImpl&>(tensor));
  const Extent extent = extent_of(tensor);
  Ref<Storage> storage = Storage::allocate(extent.bytes);
  runtime_of(tensor.device).copy_to_host(tensor.device.index, storage->data(), extent.begin, extent.bytes);
  return window(tensor, std::move(storage), extent.origin, {});
}

Tensor on_device(const ValueImpl& tensor, Device device) {
  if (tensor.device == device) return alias_of(static_cast<const TensorImpl&>(tensor));
  if (on_cpu(device)) return on_host(tensor);
  if (!on_cpu(tensor.device)) return on_device(*on_host(tensor), device);
  const Extent extent = extent_of(tensor);
  Ref<Storage> storage = Storage::allocate(extent.bytes, device);
  runtime_of(device).copy_to_device(device.index, storage->data(), extent.begin, extent.bytes);
  return window(tensor, std::move(storage), extent.origin, device);
}

void note_use(const ValueImpl& tensor) {
  if (on_cpu(tensor.device) || !tensor.is_tensor()) return;
  const Ref<Storage>& storage = static_cast<const TensorImpl&>(tensor).storage;
  if (storage) runtime_of(tensor.device).note_use(tensor.device.index, storage->data());
}

void write_from_host(const ValueImpl& target, const ValueImpl& source) {
  DYAD_ASSERT(target.contiguous() && source.contiguous() && on_cpu(source.device));
  const auto bytes = static_cast<size_t>(target.size() * itemsize(target.dtype));
  if (bytes == 0) return;
  if (on_cpu(target.device)) {
    std::memcpy(target.data, source.data, bytes);
  } else {
    if (streams_in_use()) note_use(target);
    runtime_of(target.device).copy_to_device(target.device.index, target.data, source.data, bytes);
  }
}

}  // namespace dyad
