#include "bindings/tensor/create.h"

#include <cstring>
#include <optional>

#include "autograd/autograd_meta.h"
#include "autograd/state.h"
#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/known_op.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "eager/dispatch.h"
#include "runtime/context.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {

constexpr const char* kAccepted =
    "; it must be a number, nested lists or tuples of numbers, a NumPy array or a Tensor";

/// The data of `source` in memory of its own; a gradient flows through.
Tensor copied(const Tensor& source, std::optional<DType> dtype) {
  if (dtype && *dtype != source->dtype) return converted(source, *dtype);
  const bool here = source->device.kind == DeviceKind::kCpu;
  const bool recorded = autograd::state().enabled && autograd::requires_grad(*source);
  if (recorded || source->symbolic || source->storage->taken() || !source->contiguous() || !here)
    return duplicated(source);
  if (Context::process().device().kind != DeviceKind::kCpu) return on_chosen_device(source);
  Tensor copy = empty(source->dtype, source->shape);
  std::memcpy(copy->data, source->data, static_cast<size_t>(source->size() * itemsize(source->dtype)));
  return copy;
}

Tensor from_data(PyObject* data, std::optional<DType> dtype) {
  if (is_tensor(data)) {
    const Tensor& source = tensor_of(data);
    // A tracer that follows a running program has to see the copy.
    const bool seen = tracing::current() && (!dtype || *dtype == source->dtype);
    return seen ? duplicated(source) : copied(source, dtype);
  }
  if (is_numpy_array(data) || is_numpy_scalar(data))
    return copied(tensor_over_array("Tensor", data, false), dtype);
  if (PyList_Check(data) || PyTuple_Check(data)) return tensor_from_nested(data, dtype);
  if (is_graph_number(data)) return tensor_of_number(data, dtype);
  Number number;
  if (!read_number(data, number)) type_error("Tensor: input_data is ", describe(data), kAccepted);
  Tensor tensor = empty(dtype.value_or(number.dtype()), {});
  number.store(tensor->dtype, tensor->data);
  return tensor;
}

/// A tensor over the same memory: a view, through which gradients pass. Of another dtype it is a copy.
Tensor over_same_memory(const Tensor& source, std::optional<DType> dtype) {
  if (dtype && *dtype != source->dtype) return converted(source, *dtype);
  static const Op& identity = OpTable::instance().get("identity");
  const Arg args[] = {Value(source)};
  return Tensor(&as_tensor(eager::call_one(identity, args)));
}

Tensor placed(Tensor tensor, Device device) {
  return tensor->device == device || tensor->symbolic ? tensor : on_device(*tensor, device);
}

/// What the constructor was called with; null where an argument is None or missing.
struct Given {
  PyObject* data = nullptr;
  PyObject* dtype = nullptr;
  PyObject* shape = nullptr;
  PyObject* init = nullptr;
  PyObject* const_arg = nullptr;
  PyObject* device = nullptr;
  bool any_rank = false;  ///< `shape=None` was written and no data, or None as data with a dtype
};

Given given_arguments(PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"input_data", "dtype", "shape", "init", "const_arg", "device", nullptr};
  Given given;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOO:Tensor", const_cast<char**>(names), &given.data,
                                   &given.dtype, &given.shape, &given.init, &given.const_arg,
                                   &given.device)) {
    throw PythonError{};
  }
  const bool no_shape = !given.shape || given.shape == Py_None;
  given.any_rank = given.data ? given.data == Py_None && no_shape && given.dtype : given.shape == Py_None;
  for (PyObject** argument : {&given.dtype, &given.shape, &given.init, &given.device}) {
    if (*argument == Py_None) *argument = nullptr;
  }
  return given;
}

std::optional<DType> framework_dtype(PyObject* object) {
  if (!object) return std::nullopt;
  if (!is_dtype(object))
    type_error("Tensor: dtype is ", describe(object), "; it must be a framework dtype such as float32");
  return dtype_of(object);
}

/// `dyad.Symbol` says what is known of a symbolic dimension; the static graph reads that from the template.
bool is_size_symbol(PyObject* size) { return PyObject_HasAttrString(size, "__size_symbol__"); }

bool has_size_symbol(PyObject* shape) {
  if (!PyTuple_Check(shape) && !PyList_Check(shape)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(shape); ++i) {
    if (is_size_symbol(PySequence_Fast_GET_ITEM(shape, i))) return true;
  }
  return false;
}

/// A shape whose symbolic dimensions (None, -1 or a symbol) are symbols of their own.
Shape described_shape(PyObject* object) {
  Shape shape;
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    if (!dims_from(object, shape)) throw PythonError{};
  } else {
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
      type_error("Tensor: shape is ", describe(object),
                 "; it must be a tuple of ints, with None for a symbolic dimension");
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* size = PySequence_Fast_GET_ITEM(object, i);
      if (size == Py_None || is_size_symbol(size)) {
        shape.push_back(-1);
      } else if (PyBool_Check(size) || !dims_from(size, shape)) {
        type_error("Tensor: shape is ", describe(object),
                   "; it must be a tuple of ints, with None for a symbolic dimension");
      }
    }
  }
  for (Dim& size : shape) {
    if (size == Dim(-1)) {
      size = Dim::fresh("size");
    } else if (size.value() < 0) {
      value_error("Tensor: the shape ", describe(object), " has a negative size; sizes must be 0 or more");
    }
  }
  return shape;
}

/// `Tensor(shape=…, dtype=…)`: zeros, or a template where a size is open; with `init` filled at the first
/// use.
void initialise_described(PyObject* self, const Given& given, Device device) {
  if (given.any_rank && given.dtype && !given.init)
    return set_pending(self, {*framework_dtype(given.dtype), {Dim::fresh("rank")}, {}, true});
  if (!given.shape || !given.dtype) {
    type_error("Tensor: input_data is ", given.data ? "None" : "missing", kAccepted,
               ", or shape and dtype must be given");
  }
  const DType dtype = *framework_dtype(given.dtype);
  Shape shape = described_shape(given.shape);
  const bool open = !all_known(shape);
  if (given.init) {
    if (open) value_error("Tensor: shape is ", describe(given.shape), "; with init every size must be known");
    if (!PyObject_HasAttrString(given.init, "draw")) {
      type_error("Tensor: init is ", describe(given.init),
                 "; it must be an Initializer such as initializer.Normal()");
    }
  }
  if (has_size_symbol(given.shape) && PyObject_SetAttrString(self, "symbolic_shape", given.shape) < 0)
    throw PythonError{};
  if (open || given.init) return set_pending(self, {dtype, std::move(shape), Object::share(given.init)});
  Tensor zeros = empty(dtype, shape);
  std::memset(zeros->data, 0, static_cast<size_t>(zeros->size() * itemsize(dtype)));
  set_tensor(self, placed(std::move(zeros), device));
}

/// The device that `device=` names, the chosen one without it.
Device device_from(PyObject* device) {
  if (!device) return Context::process().device();
  const char* text = PyUnicode_Check(device) ? PyUnicode_AsUTF8(device) : nullptr;
  if (!text)
    type_error("Tensor: device is ", describe(device), "; it must be the name of a device such as 'CPU'");
  return Context::process().named_device("Tensor", text);
}

}  // namespace

Tensor tensor_from_data(PyObject* data) { return on_chosen_device(from_data(data, std::nullopt)); }
Tensor tensor_from_data(PyObject* data, DType dtype) { return on_chosen_device(from_data(data, dtype)); }

void initialise_tensor(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Given given = given_arguments(args, kwargs);
  const Device device = device_from(given.device);
  if (given.data && given.data != Py_None) {
    if (given.shape)
      value_error("Tensor: shape is ", describe(given.shape),
                  " although input_data is given; leave one of them out");
    if (given.init) value_error("Tensor: init is given together with input_data; leave one of them out");
    const std::optional<DType> dtype = framework_dtype(given.dtype);
    set_tensor(self, placed(is_tensor(given.data) ? over_same_memory(tensor_of(given.data), dtype)
                                                  : from_data(given.data, dtype),
                            device));
  } else {
    initialise_described(self, given, device);
  }
  if (given.const_arg && given.const_arg != Py_False &&
      PyObject_SetAttrString(self, "const_arg", given.const_arg) < 0) {
    throw PythonError{};
  }
}

}  // namespace dyad::python
