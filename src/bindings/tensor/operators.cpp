#include "bindings/tensor/type_slots.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/known_op.h"
#include "bindings/op/precision.h"
#include "bindings/process/error_classes.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "tensor/truth.h"

namespace dyad::python {

namespace {

PyObject* binary(KnownOp& known, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Arg args[2];
    if (!operand_from(a, args[0]) || !operand_from(b, args[1])) return Py_NewRef(Py_NotImplemented);
    apply_graph_numbers(known.get(), args);
    apply_precision(known.get(), args);
    return wrap(in_result_precision(known.get(), eager::call_one(known.get(), args)));
  });
}

/// Whether Python would join the object's bytes with those of a tensor.
bool joins_bytes(PyObject* object) {
  return PyBytes_Check(object) || PyByteArray_Check(object) ||
         (is_numpy_scalar(object) && !is_numpy_number(object));
}

/// As `binary`, but refuses an array on the right, which would otherwise take over and answer with an array,
/// and bytes on the left.
PyObject* arithmetic(KnownOp& known, PyObject* a, PyObject* b) {
  Object result = Object::take(binary(known, a, b));
  if (result.get() != Py_NotImplemented) return result.release();
  if (!is_tensor(a) && joins_bytes(a)) {
    return guarded([&]() -> PyObject* {
      type_error(known.get().name, ": input is ", describe(a), "; it must be a Tensor or a number");
    });
  }
  if (!is_tensor(a) || !is_numpy_array(b)) return result.release();
  return guarded([&]() -> PyObject* {
    type_error(known.get().name,
               ": other is a NumPy array; make it a Tensor, or the tensor an array with asnumpy()");
  });
}

PyObject* unary(KnownOp& known, PyObject* self) {
  return guarded([&] {
    Arg args[] = {Value(tensor_of(self))};
    apply_precision(known.get(), args);
    return wrap(in_result_precision(known.get(), eager::call_one(known.get(), args)));
  });
}

/// Whether a tensor is never equal to the object, of another kind: None, text, a list, a tuple.
bool is_no_data(PyObject* object) {
  return object == Py_None || PyUnicode_Check(object) || PyList_Check(object) || PyTuple_Check(object);
}

KnownOp add{"add"}, subtract{"sub"}, multiply{"mul"}, divide{"div"}, floor_divide{"floor_divide"},
    remainder{"remainder"}, power{"pow"}, matmul{"matmul"}, negative{"neg"}, absolute{"abs"},
    bitwise_and{"bitwise_and"}, bitwise_or{"bitwise_or"}, bitwise_xor{"bitwise_xor"},
    left_shift{"bitwise_left_shift"}, right_shift{"bitwise_right_shift"}, invert{"bitwise_not"}, less{"less"},
    less_equal{"less_equal"}, equal{"equal"}, not_equal{"not_equal"}, greater{"greater"},
    greater_equal{"greater_equal"};

}  // namespace

PyObject* tensor_add(PyObject* a, PyObject* b) { return arithmetic(add, a, b); }
PyObject* tensor_subtract(PyObject* a, PyObject* b) { return arithmetic(subtract, a, b); }
PyObject* tensor_multiply(PyObject* a, PyObject* b) { return arithmetic(multiply, a, b); }
PyObject* tensor_divide(PyObject* a, PyObject* b) { return arithmetic(divide, a, b); }
PyObject* tensor_floor_divide(PyObject* a, PyObject* b) { return arithmetic(floor_divide, a, b); }
PyObject* tensor_remainder(PyObject* a, PyObject* b) { return arithmetic(remainder, a, b); }
PyObject* tensor_and(PyObject* a, PyObject* b) { return arithmetic(bitwise_and, a, b); }
PyObject* tensor_or(PyObject* a, PyObject* b) { return arithmetic(bitwise_or, a, b); }
PyObject* tensor_xor(PyObject* a, PyObject* b) { return arithmetic(bitwise_xor, a, b); }
PyObject* tensor_left_shift(PyObject* a, PyObject* b) { return arithmetic(left_shift, a, b); }
PyObject* tensor_right_shift(PyObject* a, PyObject* b) { return arithmetic(right_shift, a, b); }
PyObject* tensor_negative(PyObject* self) { return unary(negative, self); }
PyObject* tensor_absolute(PyObject* self) { return unary(absolute, self); }
PyObject* tensor_invert(PyObject* self) { return unary(invert, self); }
PyObject* tensor_positive(PyObject* self) { return Py_NewRef(self); }

PyObject* tensor_divmod(PyObject* a, PyObject* b) {
  Object quotient = Object::take(arithmetic(floor_divide, a, b));
  if (!quotient || quotient.get() == Py_NotImplemented) return quotient.release();
  Object rest = Object::take(arithmetic(remainder, a, b));
  return rest ? PyTuple_Pack(2, quotient.get(), rest.get()) : nullptr;
}

PyObject* tensor_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow: a modulus is not accepted for tensors; use pow(a, b) % modulus");
    return nullptr;
  }
  return arithmetic(power, a, b);
}

PyObject* tensor_matmul(PyObject* a, PyObject* b) {
  if (!is_tensor(a) || !(is_tensor(b) || is_numpy_array(b))) Py_RETURN_NOTIMPLEMENTED;
  return arithmetic(matmul, a, b);
}

PyObject* tensor_compare(PyObject* a, PyObject* b, int comparison) {
  KnownOp* const known[] = {&less, &less_equal, &equal, &not_equal, &greater, &greater_equal};
  if (is_no_data(b)) {  // the answer is a plain bool
    if (comparison == Py_EQ) Py_RETURN_FALSE;
    if (comparison == Py_NE) Py_RETURN_TRUE;
  }
  return binary(*known[comparison], a, b);
}

int tensor_bool(PyObject* self) {
  return guarded(-1, [&] {
    const TensorImpl& tensor = *tensor_of(self);
    if (!all_known(tensor.shape)) require_data("bool", tensor);
    if (tensor.size() != 1) {
      refuse_truth(tensor.shape);
    }
    require_data("bool", tensor);
    return read_item(tensor_of(self)).to_bool() ? 1 : 0;
  });
}

PyObject* tensor_int(PyObject* self) {
  return guarded([&] {
    Object number = number_object(tensor_of(self), "int");
    return PyNumber_Long(number.get());
  });
}

PyObject* tensor_float(PyObject* self) {
  return guarded([&] {
    Object number = number_object(tensor_of(self), "float");
    return PyNumber_Float(number.get());
  });
}

[[noreturn]] void refuse_index(const std::string& given) {
  raise_no_index(
      cat("index: Only integer tensors of a single element can be converted to an index; this is ", given));
}

PyObject* tensor_index(PyObject* self) {
  return guarded([&] {
    const TensorImpl& tensor = *tensor_of(self);
    if (is_float(tensor.dtype) || is_complex(tensor.dtype)) {
      refuse_index(cat(with_article(tensor.dtype), " tensor"));
    }
    if (!all_known(tensor.shape)) require_data("index", tensor);
    if (tensor.size() != 1) {
      refuse_index(cat("a tensor of shape ", tensor.shape));
    }
    require_data("index", tensor);
    return PyLong_FromLongLong(read_item(tensor_of(self)).to_int());
  });
}

}  // namespace dyad::python
