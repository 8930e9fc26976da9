#include "tensor/tensor.h"

#include "base/error.h"
#include "runtime/allocator.h"
#include "tensor/transfer.h"

namespace dyad {

namespace {

Builder* eager_builder = nullptr;

/// The bytes of so many elements. A shape is refused where its sizes other than 0 multiply to more than a
/// signed integer holds: kernels may then multiply sizes and strides without a thought.
size_t bytes_of(DType dtype, const Shape& shape) {
  int64_t bytes = itemsize(dtype);
  for (Dim dim : shape) {
    const int64_t size = dim.value();
    if (size < 0) value_error("tensor: the shape ", shape, " has a negative size; sizes must be 0 or more");
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) {
      raise(ErrorKind::kMemory, cat("out of memory: ", with_article(dtype), " tensor of shape ", shape,
                                    " does not fit in any memory"));
    }
  }
  for (Dim dim : shape) {
    if (dim == Dim(0)) return 0;
  }
  return static_cast<size_t>(bytes);
}

}  // namespace

Builder& TensorImpl::builder() const { return *eager_builder; }
void TensorImpl::set_builder(Builder* builder) { eager_builder = builder; }
void* TensorImpl::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void TensorImpl::operator delete(void* block, size_t bytes) { host_memory::release(block, bytes); }

void allocate_into(ValueImpl& value, const Shape& shape) {
  auto& tensor = static_cast<TensorImpl&>(value);
  tensor.storage = Storage::allocate(bytes_of(tensor.dtype, shape), tensor.device);
  tensor.data = tensor.storage->data();
  tensor.shape = shape;
  tensor.strides = contiguous_strides(shape);
}

Tensor empty(DType dtype, const Shape& shape, Device device) {
  Tensor tensor(new TensorImpl);
  tensor->dtype = dtype;
  tensor->device = device;
  allocate_into(*tensor, shape);
  return tensor;
}

Tensor make_view(const TensorImpl& base, DType dtype, const Shape& shape, const Strides& strides,
                 int64_t offset) {
  bytes_of(dtype, shape);  // a view may repeat elements and so claim more of them than any memory holds
  Tensor tensor(new TensorImpl);
  tensor->dtype = dtype;
  tensor->device = base.device;
  tensor->storage = base.storage;
  tensor->data = static_cast<char*>(base.data) + offset * itemsize(base.dtype);
  tensor->shape = shape;
  tensor->strides = strides;
  return tensor;
}

Tensor alias_of(const TensorImpl& base) {
  if (!base.symbolic) return make_view(base, base.dtype, base.shape, base.strides, 0);
  Tensor alias(new TensorImpl);
  alias->dtype = base.dtype;
  alias->device = base.device;
  alias->shape = base.shape;
  alias->strides = base.strides;
  alias->symbolic = true;
  alias->storage = base.storage;
  alias->window = base.window;
  return alias;
}

Tensor borrow(void* data, size_t bytes, bool writable, DType dtype, const Shape& shape,
              const Strides& strides, Storage::Release release, Device device) {
  Tensor tensor(new TensorImpl);
  tensor->dtype = dtype;
  tensor->device = device;
  tensor->storage = Storage::borrow(data, bytes, writable, std::move(release), device);
  tensor->data = data;
  tensor->shape = shape;
  tensor->strides = strides;
  return tensor;
}

TensorImpl& as_tensor(const Value& value) {
  DYAD_ASSERT(value && value->is_tensor());
  return static_cast<TensorImpl&>(*value);
}

void require_data(std::string_view reader, const ValueImpl& value, BreakKind break_kind) {
  if (value.symbolic || static_cast<const TensorImpl&>(value).storage->taken()) [[unlikely]]
    capture_error(break_kind, reader, ": the value of a Tensor is known only when the graph runs");
}

Scalar item(const ValueImpl& tensor, std::string_view reader) {
  require_data(reader, tensor);
  if (tensor.size() != 1) {
    value_error(reader, ": Only one element tensors can be converted to Python scalars; this one has shape ",
                tensor.shape, " and ", tensor.size(), " elements");
  }
  if (tensor.device.kind != DeviceKind::kCpu) return load(tensor.dtype, on_host(tensor)->data);
  return load(tensor.dtype, tensor.data);
}

bool may_overlap(const TensorImpl& a, const TensorImpl& b) { return a.storage == b.storage; }

bool elements_coincide(const TensorImpl& tensor) {
  bool repeated = false;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == Dim(0)) return false;
    repeated = repeated || (tensor.strides[d] == 0 && tensor.shape[d] != Dim(1));
  }
  return repeated;
}

}  // namespace dyad
