#include "bindings/tensor/type_slots.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/known_op.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "runtime/context.h"

namespace dyad::python {

namespace {

KnownOp permute{"permute"}, conjugate{"conj"};

/// dtype and shape are known of a pending tensor too, and asking for them does not fill it.
const Shape& shape_of(PyObject* self) {
  const Pending* pending = pending_of(self);
  return pending ? pending->shape : tensor_of(self)->shape;
}
DType element_type(PyObject* self) {
  const Pending* pending = pending_of(self);
  return pending ? pending->dtype : tensor_of(self)->dtype;
}
int64_t element_count(PyObject* self) {
  const Dim size = size_of(shape_of(self));
  return size.known() ? size.value() : -1;
}

PyObject* get_shape(PyObject* self, void*) {
  const Pending* pending = pending_of(self);
  if (pending && pending->any_rank) return Py_BuildValue("(i)", -2);
  return guarded([&]() -> PyObject* {
    const Shape& shape = shape_of(self);
    if (pending || all_known(shape)) [[likely]]
      return shape_object(shape);
    Object sizes = check(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    for (size_t i = 0; i < shape.size(); ++i) {
      PyTuple_SET_ITEM(sizes.get(), static_cast<Py_ssize_t>(i), check(size_object(shape[i])).release());
    }
    return sizes.release();
  });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return dtype_object(element_type(self)); });
}
PyObject* get_ndim(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromSize_t(shape_of(self).size()); });
}
PyObject* get_size(PyObject* self, void*) {
  return guarded([&] {
    const Dim size = size_of(shape_of(self));
    if (size.known() || pending_of(self)) return PyLong_FromLongLong(element_count(self));
    return size_object(size);
  });
}
PyObject* get_itemsize(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(itemsize(element_type(self))); });
}
PyObject* get_nbytes(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(element_count(self) * itemsize(element_type(self))); });
}

PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    if (!all_known(tensor->shape)) require_data("strides", *tensor);
    Shape bytes;
    for (int64_t stride : tensor->strides) bytes.push_back(stride * itemsize(tensor->dtype));
    return shape_object(bytes);
  });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] {
    const Device device = pending_of(self) ? Context::process().device() : tensor_of(self)->device;
    if (device.kind == DeviceKind::kCpu) return PyUnicode_FromString("CPU");
    const std::string text = cat(device_name(device.kind), ":", static_cast<int>(device.index));
    return PyUnicode_FromString(text.c_str());
  });
}

PyObject* get_init(PyObject* self, void*) {
  const Pending* pending = pending_of(self);
  return Py_NewRef(pending && pending->initializer ? pending->initializer.get() : Py_None);
}
PyObject* get_has_init(PyObject* self, void*) {
  const Pending* pending = pending_of(self);
  return PyBool_FromLong(pending && pending->initializer);
}

/// The tensor with its dimensions in reverse order.
PyObject* get_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    Dims order;
    for (int64_t axis = tensor->rank(); axis-- > 0;) order.push_back(axis);
    return wrap(permute(Value(tensor), order));
  });
}

Tensor matrix_transposed(const char* name, PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor->rank() < 2)
    value_error(name, ": a tensor of shape ", tensor->shape, " is no matrix; need 2 dimensions or more");
  Dims order;
  for (int64_t axis = 0; axis < tensor->rank(); ++axis) order.push_back(axis);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permute(Value(tensor), order);
}

PyObject* get_matrix_transposed(PyObject* self, void*) {
  return guarded([&] { return wrap(matrix_transposed("mT", self)); });
}
PyObject* get_adjoint(PyObject* self, void* name) {
  return guarded([&] {
    Tensor transposed = matrix_transposed(static_cast<const char*>(name), self);
    return wrap(is_complex(transposed->dtype) ? conjugate(Value(transposed)) : transposed);
  });
}

char adjoint_name[] = "H";
char matrix_adjoint_name[] = "mH";

PyGetSetDef attributes[] = {
    {"shape", get_shape, nullptr,
     "Sizes of the dimensions, a tuple; a symbolic dimension of a template reads -1, an open number of them "
     "-2.",
     nullptr},
    {"dtype", get_dtype, nullptr, "Type of the elements.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"strides", get_strides, nullptr, "Bytes from one element to the next along each dimension, a tuple.",
     nullptr},
    {"device", get_device, nullptr, "Where the data lies.", nullptr},
    {"init", get_init, nullptr, "The initialiser that will fill a tensor without data; None for all others.",
     nullptr},
    {"has_init", get_has_init, nullptr, "Whether the data is still to be drawn by an initialiser.", nullptr},
    {"T", get_transposed, nullptr, "A view with the dimensions in reverse order.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "A view with the last two dimensions exchanged.", nullptr},
    {"H", get_adjoint, nullptr, "The conjugate of `mT`.", adjoint_name},
    {"mH", get_adjoint, nullptr, "The conjugate of `mT`.", matrix_adjoint_name},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* method_item(PyObject* self, PyObject*) {
  return guarded([&] { return number_object(tensor_of(self)).release(); });
}

PyObject* method_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    const std::complex<double> number = read_item(tensor_of(self), "complex").to_complex();
    return PyComplex_FromDoubles(number.real(), number.imag());
  });
}

PyObject* method_stride(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    const Py_ssize_t given = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (given > 1) type_error("stride: ", given, " arguments were given; at most 1 is accepted (dim)");
    if (given == 0 || args[0] == Py_None) {
      Object strides = check(PyList_New(tensor->rank()));
      for (size_t i = 0; i < tensor->strides.size(); ++i) {
        PyList_SET_ITEM(strides.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(tensor->strides[i]));
      }
      return strides.release();
    }
    Dims axis;
    if (!dims_from(args[0], axis) || axis.size() != 1)
      type_error("stride: dim is ", describe(args[0]), "; it must be an int or None");
    if (tensor->rank() == 0) value_error("stride: a tensor of 0 dimensions has no stride");
    const int64_t at = normalize_axis("stride", axis[0].value(), tensor->rank(), "dim");
    return PyLong_FromLongLong(tensor->strides[static_cast<size_t>(at)]);
  });
}

PyObject* method_is_contiguous(PyObject* self, PyObject*) {
  return guarded([&] {
    const TensorImpl& tensor = *tensor_of(self);
    if (!all_known(tensor.shape)) require_data("is_contiguous", tensor);
    return PyBool_FromLong(tensor.contiguous());
  });
}
PyObject* method_data_ptr(PyObject* self, PyObject*) {
  return guarded([&] {
    require_data("data_ptr", *tensor_of(self));
    return PyLong_FromVoidPtr(tensor_of(self)->data);
  });
}
PyObject* method_storage_offset(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    require_data("storage_offset", *tensor);
    const auto bytes = tensor->as<char>() - static_cast<char*>(tensor->storage->data());
    return PyLong_FromLongLong(bytes / itemsize(tensor->dtype));
  });
}
PyObject* method_value(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(tensor_of(self)); });
}

template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"item", method_item, METH_NOARGS, "The only element as a Python number."},
    {"__complex__", method_complex, METH_NOARGS, nullptr},
    {"stride", method(method_stride), METH_FASTCALL | METH_KEYWORDS,
     "stride(dim=None)\n--\n\nElements from one to the next along each dimension, a list, or along `dim`."},
    {"is_contiguous", method_is_contiguous, METH_NOARGS,
     "Whether the elements lie in row-major order without gaps."},
    {"data_ptr", method_data_ptr, METH_NOARGS, "Address of the first element."},
    {"storage_offset", method_storage_offset, METH_NOARGS,
     "Elements before the first one in the shared memory."},
    {"value", method_value, METH_NOARGS, "A plain Tensor over the same data."},
    {"__dlpack__", method(tensor_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe data as a DLPack "
     "capsule."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "The device as DLPack numbers it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyGetSetDef* tensor_attributes() { return attributes; }
PyMethodDef* tensor_methods() { return methods; }

}  // namespace dyad::python
