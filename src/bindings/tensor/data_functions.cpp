#include "bindings/tensor/module.h"

#include <cstring>

#include "autograd/state.h"
#include "base/error.h"
#include "bindings/op/arguments.h"
#include "bindings/op/known_op.h"
#include "bindings/op/precision.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "bindings/tensor/type_slots.h"
#include "tensor/exposure.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {

KnownOp assign{"assign"};

/// The arguments of a function that takes a fixed number of them by position.
void take_arguments(PyObject* args, const char* name, Py_ssize_t count, PyObject** out) {
  if (PyTuple_GET_SIZE(args) != count)
    type_error(name, ": ", PyTuple_GET_SIZE(args), " arguments were given; need ", count);
  for (Py_ssize_t i = 0; i < count; ++i) out[i] = PyTuple_GET_ITEM(args, i);
}

void require_tensor(const char* op, PyObject* object) {
  if (!is_tensor(object)) type_error(op, ": got ", describe(object), "; it must be a Tensor");
}

DType require_dtype(const char* op, PyObject* object) {
  if (!is_dtype(object))
    type_error(op, ": dtype is ", describe(object), "; it must be a framework dtype such as float32");
  return dtype_of(object);
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  return guarded([&] {
    if (!is_numpy_array(array)) type_error("from_numpy: got ", describe(array), "; it must be a NumPy array");
    Tensor shared = tensor_over_array("from_numpy", array, true);
    expose(*shared->storage);  // the array's owner may write as long as it lives
    return wrap(on_chosen_device(std::move(shared)));
  });
}

/// A Tensor that takes over an array without other users: shared where the dtype fits, converted otherwise.
PyObject* adopt_array(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* given[2];
    take_arguments(args, "adopt_array", 2, given);
    if (!is_numpy_array(given[0]))
      type_error("adopt_array: got ", describe(given[0]), "; it must be a NumPy array");
    const DType dtype = require_dtype("adopt_array", given[1]);
    return wrap(on_chosen_device(converted(tensor_over_array("adopt_array", given[0], false), dtype)));
  });
}

/// Gives a tensor the values of another, converted to its dtype. Where the shapes agree they are written into
/// its memory, so that views and all holders of the data see them; otherwise it gets new memory of the other
/// shape.
PyObject* assign_data(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* given[2];
    take_arguments(args, "assign_data", 2, given);
    require_tensor("assign_data", given[0]);
    require_tensor("assign_data", given[1]);
    const autograd::RecordingSwitch off(false);  // new data, not a computed value
    const Pending* pending = pending_of(given[0]);
    const DType dtype = pending ? pending->dtype : tensor_of(given[0])->dtype;
    const Tensor& source = tensor_of(given[1]);
    if (!pending && source->shape == tensor_of(given[0])->shape) {
      assign(Value(tensor_of(given[0])), Value(converted(source, dtype)));
    } else {
      set_tensor(given[0], source->dtype == dtype ? duplicated(source) : converted(source, dtype));
    }
    return Py_NewRef(Py_None);
  });
}

/// Converts a tensor itself; all its holders see the new dtype, views of its memory do not.
PyObject* set_dtype(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* given[2];
    take_arguments(args, "set_dtype", 2, given);
    require_tensor("set_dtype", given[0]);
    const DType dtype = require_dtype("set_dtype", given[1]);
    const autograd::RecordingSwitch off(false);
    require_data("set_dtype", *tensor_of(given[0]));
    if (tensor_of(given[0])->dtype != dtype) set_tensor(given[0], converted(tensor_of(given[0]), dtype));
    return Py_NewRef(given[1]);
  });
}

/// A tensor becomes another one: its dtype, its device and its memory, for all holders of the object.
PyObject* replace_data(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* given[2];
    take_arguments(args, "replace_data", 2, given);
    require_tensor("replace_data", given[0]);
    require_tensor("replace_data", given[1]);
    require_data("replace_data", *tensor_of(given[1]));
    set_tensor(given[0], tensor_of(given[1]));
    return Py_NewRef(Py_None);
  });
}

PyObject* to_bytes(PyObject*, PyObject* object) {
  return guarded([&] {
    require_tensor("to_bytes", object);
    Tensor tensor = tensor_of(object);
    require_data("to_bytes", *tensor);
    if (!tensor->contiguous()) tensor = duplicated(tensor);
    tensor = on_host(*tensor);
    return PyBytes_FromStringAndSize(tensor->as<char>(), tensor->size() * itemsize(tensor->dtype));
  });
}

/// from_bytes(data, dtype, shape): a Tensor with a copy of the bytes.
PyObject* from_bytes(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* given[3];
    take_arguments(args, "from_bytes", 3, given);
    const DType dtype = require_dtype("from_bytes", given[1]);
    Shape shape;
    if (!dims_from(given[2], shape))
      type_error("from_bytes: shape is ", describe(given[2]), "; it must be a tuple of ints");
    Tensor tensor = empty(dtype, shape);
    Py_buffer view;
    if (PyObject_GetBuffer(given[0], &view, PyBUF_SIMPLE) < 0) throw PythonError{};
    const int64_t needed = tensor->size() * itemsize(dtype);
    const bool fits = view.len == needed;
    const Py_ssize_t length = view.len;
    if (fits) std::memcpy(tensor->data, view.buf, static_cast<size_t>(needed));
    PyBuffer_Release(&view);
    if (!fits)
      value_error("from_bytes: ", length, " bytes were given; ", with_article(dtype), " tensor of shape ",
                  shape, " has ", needed);
    return wrap(on_chosen_device(with_plain_bools(std::move(tensor))));
  });
}

PyMethodDef functions[] = {
    {"from_numpy", from_numpy, METH_O, "A Tensor that shares the memory of a NumPy array."},
    {"from_dlpack", from_dlpack, METH_O, "A Tensor that shares the memory of a DLPack capsule or producer."},
    {"adopt_array", adopt_array, METH_VARARGS,
     "adopt_array(array, dtype): a Tensor from an array without other users."},
    {"set_dtype", set_dtype, METH_VARARGS, "set_dtype(tensor, dtype): converts a tensor itself."},
    {"assign_data", assign_data, METH_VARARGS,
     "assign_data(tensor, source): gives a tensor the values of another."},
    {"replace_data", replace_data, METH_VARARGS,
     "replace_data(tensor, source): a tensor takes over dtype, device and memory of another."},
    {"to_bytes", to_bytes, METH_O, "The elements in row-major order as bytes."},
    {"from_bytes", from_bytes, METH_VARARGS,
     "from_bytes(data, dtype, shape): a Tensor with a copy of the bytes."},
    {"set_compute_dtype", set_compute_dtype, METH_O,
     "What operators on this thread compute in; returns the former one."},
    {"autocast_rule", autocast_rule, METH_VARARGS,
     "autocast_rule(dtype, operators or None): the number of a rule by which operators choose what to "
     "compute in."},
    {"set_autocast", set_autocast, METH_O,
     "The rule that operators on this thread follow, 0 for none; returns the former one."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_data_functions(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonError{};
}

}  // namespace dyad::python
