#include "bindings/tensor/type_slots.h"

#include <vector>

#include "base/error.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "tensor/exposure.h"

namespace dyad::python {

namespace {

const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "?";
    case DType::kInt8:
      return "b";
    case DType::kInt16:
      return "h";
    case DType::kInt32:
      return "i";
    case DType::kInt64:
      return "q";
    case DType::kUInt8:
      return "B";
    case DType::kUInt16:
      return "H";
    case DType::kUInt32:
      return "I";
    case DType::kUInt64:
      return "Q";
    case DType::kFloat16:
      return "e";
    case DType::kFloat32:
      return "f";
    case DType::kFloat64:
      return "d";
    case DType::kComplex64:
      return "Zf";
    case DType::kComplex128:
      return "Zd";
    case DType::kBFloat16:
      break;
  }
  buffer_error("buffer: NumPy has no type for BFloat16; cast the tensor to Float32 first");
}

/// Sizes and strides in the form the protocol wants; lives as long as the view.
struct Layout {
  Ref<Storage> storage;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

}  // namespace

int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(-1, [&] {
    require_data("asnumpy", *tensor_of(self));
    const Tensor tensor = readable(tensor_of(self));
    const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if (!wants_strides && !tensor->contiguous()) {
      buffer_error(
          "buffer: the tensor is not contiguous and the reader cannot follow strides; use contiguous()");
    }
    if ((flags & PyBUF_WRITABLE) && !tensor->storage->writable()) {
      buffer_error("buffer: the tensor shares the memory of a read-only array");
    }
    const int64_t bytes = itemsize(tensor->dtype);
    const char* format = format_of(tensor->dtype);
    auto* layout = new Layout{tensor->storage, {}, {}};
    for (size_t i = 0; i < tensor->shape.size(); ++i) {
      layout->shape.push_back(tensor->shape[i].value());
      layout->strides.push_back(tensor->strides[i] * bytes);
    }
    view->buf = tensor->data;
    view->len = tensor->size() * bytes;
    view->itemsize = bytes;
    view->readonly = !tensor->storage->writable();
    view->ndim = static_cast<int>(tensor->rank());
    view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
    view->shape = (flags & PyBUF_ND) ? layout->shape.data() : nullptr;
    view->strides = wants_strides ? layout->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = layout;
    view->obj = Py_NewRef(self);
    expose(*layout->storage);
    return 0;
  });
}

void tensor_releasebuffer(PyObject*, Py_buffer* view) {
  auto* layout = static_cast<Layout*>(view->internal);
  conceal(*layout->storage);
  delete layout;
}

}  // namespace dyad::python
