#include "bindings/tensor/subscript_key.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/create.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"

namespace dyad::python {

namespace {

using Kind = KeyPart::Kind;

[[noreturn]] void refuse(PyObject* part) {
  index_error("index: a subscript is ", describe(part),
              "; it must be an int, a slice, None, ..., a bool, or a tensor, array or list of ints or bools");
}

int64_t integer(PyObject* object) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

KeyPart part_of_tensor(Tensor tensor, PyObject* shown) {
  KeyPart part;
  if (is_bool(tensor->dtype)) {
    part.kind = tensor->rank() == 0 ? Kind::kTruth : Kind::kMask;
    if (tensor->rank() == 0) part.truth = read_item(tensor).to_bool();
  } else if (!is_int(tensor->dtype)) {
    refuse(shown);
  } else if (tensor->rank() == 0 && tensor->symbolic) {
    part.open_position = Object::share(shown);
    return part;
  } else if (tensor->rank() == 0) {
    part.position = read_item(tensor).to_int();
  } else {
    part.kind = Kind::kIndices;
  }
  part.tensor = std::move(tensor);
  return part;
}

KeyPart from_host(KeyPart part) {
  part.from_host = true;
  return part;
}

/// A list of indices. Python's empty list has no element to tell its kind: it is an index of no places.
KeyPart part_of_sequence(PyObject* sequence) {
  Tensor tensor(&as_tensor(operand_from_nested(sequence)));
  if (tensor->symbolic) return part_of_tensor(std::move(tensor), sequence);
  if (tensor->size() == 0 && is_float(tensor->dtype))
    tensor = empty(DType::kInt64, tensor->shape, tensor->device);
  return from_host(part_of_tensor(std::move(tensor), sequence));
}

bool is_open(PyObject* bound) {
  return is_graph_number(bound) || (is_tensor(bound) && tensor_of(bound)->symbolic);
}

/// start:stop:step. Bounds that are known only when a graph runs are put aside; the step must be known.
void read_slice(PyObject* object, KeyPart& part) {
  const auto* slice = reinterpret_cast<PySliceObject*>(object);
  part.kind = Kind::kSlice;
  if (is_open(slice->start)) part.open_start = Object::share(slice->start);
  if (is_open(slice->stop)) part.open_stop = Object::share(slice->stop);
  Object known = check(PySlice_New(part.open_start ? Py_None : slice->start,
                                   part.open_stop ? Py_None : slice->stop, slice->step));
  if (PySlice_Unpack(known.get(), &part.start, &part.stop, &part.step) < 0) throw PythonError{};
}

/// A number that is known when a graph runs, as an index.
KeyPart part_of_number(PyObject* object) {
  const GraphNumber& number = graph_number_of(object);
  if (number.number.kind == Scalar::Kind::kFloat) {
    index_error("index: a subscript is a float; it must be an int, a slice, None, ... or a tensor");
  }
  if (number.number.kind == Scalar::Kind::kBool) {
    capture_error(
        BreakKind::kCondition,
        "index: a subscript is a bool that is known only when the graph runs; it must be known now");
  }
  KeyPart part;
  part.open_position = Object::share(object);
  return part;
}

KeyPart read_part(PyObject* object) {
  KeyPart part;
  if (PyBool_Check(object)) {
    part.kind = Kind::kTruth;
    part.truth = object == Py_True;
  } else if (PyLong_Check(object)) {
    part.position = integer(object);
  } else if (PySlice_Check(object)) {
    read_slice(object, part);
  } else if (is_graph_number(object)) {
    part = part_of_number(object);
  } else if (object == Py_None) {
    part.kind = Kind::kNewAxis;
  } else if (object == Py_Ellipsis) {
    part.kind = Kind::kEllipsis;
  } else if (is_tensor(object)) {
    part = part_of_tensor(tensor_of(object), object);
  } else if (PyList_Check(object) || PyTuple_Check(object)) {
    part = part_of_sequence(object);
  } else if (PyRange_Check(object)) {
    part = part_of_sequence(check(PySequence_List(object)).get());
  } else if (is_numpy_array(object) || is_numpy_number(object)) {
    part = from_host(part_of_tensor(tensor_over_array("index", object, false), object));
  } else if (is_numpy_scalar(object)) {
    refuse(object);
  } else if (PyIndex_Check(object)) {
    part.position = integer(object);
  } else {
    refuse(object);
  }
  return part;
}

}  // namespace

size_t KeyPart::consumes() const {
  switch (kind) {
    case Kind::kNewAxis:
    case Kind::kEllipsis:
    case Kind::kTruth:
      return 0;
    case Kind::kMask:
      return tensor->shape.size();
    default:
      return 1;
  }
}

Key read_key(PyObject* object) {
  Key key;
  if (!PyTuple_Check(object)) {
    key.push_back(read_part(object));
    return key;
  }
  key.reserve(static_cast<size_t>(PyTuple_GET_SIZE(object)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
    key.push_back(read_part(PyTuple_GET_ITEM(object, i)));
  return key;
}

}  // namespace dyad::python
