#include "bindings/op/arguments.h"

#include "autograd/autograd_meta.h"
#include "autograd/state.h"
#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/process/error_classes.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/create.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"

namespace dyad::python {

namespace {

constexpr std::string_view kValuesAndIndices =
    "; max, min and sort along an axis return (values, indices): take [0]";

int64_t int_from(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) raise_too_wide("number", object);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

bool is_sequence(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

/// An int, or something that stands for one (NumPy integers, integer tensors with one element), but not a
/// bool.
bool index_from(PyObject* object, int64_t& out) {
  if (PyLong_Check(object)) {
    out = int_from(object);
    return true;
  }
  if (PyFloat_Check(object) || !PyIndex_Check(object)) return false;
  if (is_numpy_scalar(object) && !is_numpy_number(object)) return false;
  Object number = Object::take(PyNumber_Index(object));
  if (!number) {
    if (capture_failed()) throw PythonError{};
    PyErr_Clear();
    return false;
  }
  out = int_from(number.get());
  return true;
}

/// The same, or a number that is known when a graph runs.
bool size_from(PyObject* object, Dim& out) {
  if (Storage::captures.load(std::memory_order_relaxed) != 0 && symbolic_dim_from(object, out)) return true;
  int64_t index = 0;
  if (!index_from(object, index)) return false;
  out = index;
  return true;
}

bool tensor_dims(const TensorImpl& tensor, Dims& out) {
  if (!is_int(tensor.dtype) || tensor.rank() > 1) return false;
  require_data("sizes", tensor);
  if (tensor.device.kind != DeviceKind::kCpu) return tensor_dims(*readable(alias_of(tensor)), out);
  const int64_t stride = tensor.rank() ? tensor.strides[0] : 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    out.push_back(load(tensor.dtype, tensor.as<char>() + i * stride * itemsize(tensor.dtype)).to_int());
  }
  return true;
}

/// The elements of a tensor of a graph, each a size that is known when the graph runs.
bool symbolic_dims(PyObject* object, Dims& out) {
  const TensorImpl& tensor = *tensor_of(object);
  if (!is_int(tensor.dtype) || !tensor.shape[0].known()) return false;
  Object elements = check(PySequence_List(object));
  return dims_from(elements.get(), out);
}

bool floats_from(PyObject* object, Floats& out) {
  Scalar number;
  if (number_from(object, number)) {
    out.push_back(number.to_double());
    return true;
  }
  if (!is_sequence(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    if (!number_from(PySequence_Fast_GET_ITEM(object, i), number)) return false;
    out.push_back(number.to_double());
  }
  return true;
}

/// As `dims_from`, with -1 for None.
bool sizes_from(PyObject* object, Dims& out) {
  if (!is_sequence(object)) {
    if (object != Py_None) return dims_from(object, out);
    out.push_back(-1);
    return true;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* member = PySequence_Fast_GET_ITEM(object, i);
    Dim size = -1;
    if (member != Py_None && !size_from(member, size)) return false;
    out.push_back(size);
  }
  return true;
}

/// ((1, 2), (0, 3)) as 1, 2, 0, 3; also an integer tensor of two columns.
bool pairs_from(PyObject* object, Dims& out) {
  if (is_tensor(object)) {
    Object rows = check(PyObject_CallMethod(object, "tolist", nullptr));
    return pairs_from(rows.get(), out);
  }
  if (!is_sequence(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* pair = PySequence_Fast_GET_ITEM(object, i);
    if (!is_sequence(pair) || PySequence_Fast_GET_SIZE(pair) != 2 || !dims_from(pair, out)) return false;
  }
  return true;
}

bool tensors_from(PyObject* object, ValueList& out) {
  if (is_tensor(object)) {  // a tensor is the sequence of its rows
    Object rows = check(PySequence_List(object));
    return tensors_from(rows.get(), out);
  }
  if (!is_sequence(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* member = PySequence_Fast_GET_ITEM(object, i);
    if (member == Py_None) {
      out.emplace_back();
    } else if (is_tensor(member)) {
      out.emplace_back(tensor_of(member));
    } else {
      return false;
    }
  }
  return true;
}

/// Says which member of a sequence is no Tensor; returns where the object is no sequence at all.
void refuse_member(std::string_view op, const Param& param, PyObject* object) {
  if (!is_sequence(object)) return;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* member = PySequence_Fast_GET_ITEM(object, i);
    if (member == Py_None || is_tensor(member)) continue;
    type_error(op, ": ", param.name, "[", i, "] is ", describe(member), "; it must be a Tensor");
  }
}

bool text_from(PyObject* object, std::string& out) {
  if (!PyUnicode_Check(object)) return false;
  const char* text = PyUnicode_AsUTF8(object);
  if (!text) throw PythonError{};
  out = text;
  return true;
}

template <class T, class Read>
bool read_into(PyObject* object, Arg& out, Read read) {
  T value{};
  if (!read(object, value)) return false;
  out = Arg(std::move(value));
  return true;
}

bool scalar_tensor(PyObject* object, Scalar& out) {
  if (!is_tensor(object)) return false;
  require_data("number", *tensor_of(object));
  if (tensor_of(object)->size() != 1) return false;
  out = read_item(tensor_of(object));
  return true;
}

/// An int that is known when the graph runs, as its symbol: a number of the graph or a tensor of one element.
bool symbolic_argument(PyObject* object, Arg& out) {
  if (Storage::captures.load(std::memory_order_relaxed) == 0) return false;
  Dims size(1, 0);
  if (symbolic_dim_from(object, size[0])) {
    out = Arg(size);
    return true;
  }
  if (!is_tensor(object) || !tensor_of(object)->symbolic || tensor_of(object)->shape != Shape{1})
    return false;
  size.clear();
  if (!symbolic_dims(object, size)) return false;
  out = Arg(size);
  return true;
}

bool argument_fits(const Param& param, PyObject* object, Arg& out) {
  Scalar number;
  int64_t index = 0;
  switch (param.kind) {
    case ParamKind::kTensor:
      if (!is_tensor(object)) return false;
      out = Arg(Value(tensor_of(object)));
      return true;
    case ParamKind::kOperand:
      return operand_from(object, out);
    case ParamKind::kBound:
      if (symbolic_argument(object, out)) return true;
      [[fallthrough]];
    case ParamKind::kNumber:
    case ParamKind::kFloat:
      if (!number_from(object, number) && !scalar_tensor(object, number)) return false;
      if (param.kind == ParamKind::kFloat && number.kind() == Scalar::Kind::kComplex) return false;
      out = Arg(number);
      return true;
    case ParamKind::kSize:
      if (symbolic_argument(object, out)) return true;
      [[fallthrough]];
    case ParamKind::kInt:
      if (!index_from(object, index)) return false;
      out = Arg(index);
      return true;
    case ParamKind::kBool:
      if (PyBool_Check(object)) {
        out = Arg(object == Py_True);
        return true;
      }
      if (!(number_from(object, number) || scalar_tensor(object, number)) || !number.integral()) return false;
      // 0 and 1 are flags in NumPy too; another number is meant for some other argument, such as an axis.
      if (number.to_int() != 0 && number.to_int() != 1) return false;
      out = Arg(number.to_bool());
      return true;
    case ParamKind::kStr:
      return read_into<std::string>(object, out, text_from);
    case ParamKind::kDType:
      return read_into<DType>(object, out, dtype_from);
    case ParamKind::kInts:
      return read_into<Dims>(object, out, dims_from);
    case ParamKind::kSizes:
      return read_into<Dims>(object, out, sizes_from);
    case ParamKind::kFloats:
      return read_into<Floats>(object, out, floats_from);
    case ParamKind::kPairs:
      return read_into<Dims>(object, out, pairs_from);
    case ParamKind::kTensors:
      return read_into<ValueList>(object, out, tensors_from);
    case ParamKind::kOrder:
      if (read_into<std::string>(object, out, text_from)) return true;
      if (!number_from(object, number) || number.kind() == Scalar::Kind::kComplex) return false;
      out = Arg(number);
      return true;
  }
  return false;
}

/// Reads np.longdouble and np.clongdouble, which have no number of Python.
bool wide_number_from(PyObject* object, Scalar& out) {
  Object real = check(PyObject_GetAttrString(object, "real"));
  Object imaginary = check(PyObject_GetAttrString(object, "imag"));
  const double first = PyFloat_AsDouble(real.get());
  const double second = PyFloat_AsDouble(imaginary.get());
  if (PyErr_Occurred()) throw PythonError{};
  const bool has_parts = Py_TYPE(real.get()) != Py_TYPE(object);
  out = has_parts ? Scalar(std::complex<double>(first, second)) : Scalar(first);
  return true;
}

/// Stacked, the values and indices that an operator returned would be taken for rows of one tensor.
void require_one_dtype(PyObject* tuple) {
  std::optional<DType> first;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* member = PyTuple_GET_ITEM(tuple, i);
    if (!is_tensor(member)) continue;
    const DType dtype = tensor_of(member)->dtype;
    if (first.value_or(dtype) != dtype) {
      type_error("an operand is a tuple of Tensors of dtype ", dtype_name(*first), " and ", dtype_name(dtype),
                 "; need one dtype", kValuesAndIndices);
    }
    first = dtype;
  }
}

}  // namespace

bool number_from(PyObject* object, Scalar& out) {
  if (PyFloat_Check(object)) {
    out = PyFloat_AS_DOUBLE(object);
  } else if (PyBool_Check(object)) {
    out = object == Py_True;
  } else if (PyLong_Check(object)) {
    out = int_from(object);
  } else if (PyComplex_Check(object)) {
    out = std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  } else if (is_numpy_number(object)) {
    Object number = check(PyObject_CallMethod(object, "item", nullptr));
    return is_numpy_number(number.get()) && Py_TYPE(number.get()) == Py_TYPE(object)
               ? wide_number_from(object, out)
               : number_from(number.get(), out);
  } else {
    return false;
  }
  return true;
}

bool operand_from(PyObject* object, Arg& out) {
  if (is_tensor(object)) {
    out = Arg(Value(tensor_of(object)));
    return true;
  }
  Scalar number;
  if (number_from(object, number)) {
    out = Arg(number);
    return true;
  }
  if (is_graph_number(object)) {
    out = Arg(number_operand(graph_number_of(object)));
    return true;
  }
  if (!is_sequence(object)) return false;
  if (PyTuple_Check(object)) require_one_dtype(object);
  out = Arg(operand_from_nested(object));
  return true;
}

bool dims_from(PyObject* object, Dims& out) {
  Dim size;
  if (is_tensor(object) && !tensor_of(object)->symbolic) return tensor_dims(*tensor_of(object), out);
  if (is_tensor(object) && tensor_of(object)->rank() == 1) return symbolic_dims(object, out);
  if (size_from(object, size)) {
    out.push_back(size);
    return true;
  }
  if (!is_sequence(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    if (!size_from(PySequence_Fast_GET_ITEM(object, i), size)) return false;
    out.push_back(size);
  }
  return true;
}

namespace {

/// 'float32', as the constant is called, or 'Float32', as it is printed; Python's own names as NumPy reads
/// them.
bool named_dtype(PyObject* object, DType& out) {
  std::string text;
  if (!text_from(object, text)) return false;
  if (text == "bool" || text == "int" || text == "float" || text == "complex") {
    out = text == "bool"    ? DType::kBool
          : text == "int"   ? DType::kInt64
          : text == "float" ? DType::kFloat64
                            : DType::kComplex128;
    return true;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (text != dtype_name(dtype) && text != dtype_title(dtype)) continue;
    out = dtype;
    return true;
  }
  return false;
}

}  // namespace

bool dtype_from(PyObject* object, DType& out) {
  if (is_dtype(object)) {
    out = dtype_of(object);
    return true;
  }
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    out = DType::kBool;
  } else if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    out = DType::kInt64;
  } else if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    out = DType::kFloat64;
  } else if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) {
    out = DType::kComplex128;
  } else if (PyUnicode_Check(object)) {
    return named_dtype(object, out);
  } else {
    return numpy_dtype_from(object, out);
  }
  return true;
}

void argument_from(std::string_view op, const Param& param, PyObject* object, Arg& out) {
  if (object == Py_None && param.optional) {
    out = Arg();
    return;
  }
  const bool as_number =
      param.kind == ParamKind::kNumber || param.kind == ParamKind::kFloat || param.kind == ParamKind::kBound;
  const Tensor* given = as_number && is_tensor(object) ? &tensor_of(object) : nullptr;
  const bool has_gradient = given && (is_float((*given)->dtype) || is_complex((*given)->dtype));
  if (has_gradient && autograd::state().enabled && autograd::requires_grad(**given)) {
    type_error(
        op, ": ", param.name, " is a Tensor that gradients are asked for, and ", op,
        " takes it as a number, which has none; it must be a number, or ops.stop_gradient of the Tensor");
  }
  if (!argument_fits(param, object, out)) {
    if (is_graph_number(object)) {
      capture_error(BreakKind::kCondition, op, ": ", param.name,
                    " is a number that is known only when the graph runs; it must be ", kind_text(param.kind),
                    " that is known now");
    }
    if (param.kind == ParamKind::kTensors) refuse_member(op, param, object);
    const bool tuple_of_tensors =
        PyTuple_Check(object) && PyTuple_GET_SIZE(object) > 0 && is_tensor(PyTuple_GET_ITEM(object, 0));
    const bool values_and_indices = param.kind == ParamKind::kTensor && tuple_of_tensors;
    type_error(op, ": ", param.name, " is ", describe(object), "; it must be ", kind_text(param.kind),
               param.optional ? " or None" : "", values_and_indices ? kValuesAndIndices : std::string_view());
  }
}

}  // namespace dyad::python
