#include "bindings/tensor/type_slots.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/called_name.h"
#include "bindings/op/known_op.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/create.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/subscript_plan.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "runtime/context.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {

KnownOp select_view{"select_view"}, squeeze{"squeeze"}, equal{"equal"}, any{"any"};

/// A tuple or list of an assignment as one tensor of the target's dtype; anything else as it is.
Object whole_value(const Tensor& target, PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return Object::share(object);
  return check(wrap(operand_from_nested(object, target->dtype)));
}

/// The value of an assignment in the target's dtype. One that lies in the target's memory is copied first.
Arg assigned_value(const Tensor& target, PyObject* object) {
  Scalar number;
  if (number_from(object, number)) {
    if (number.kind() == Scalar::Kind::kComplex && !is_complex(target->dtype)) {
      type_error("index: the value is ", to_text(number), ", but the tensor is ", dtype_title(target->dtype),
                 "; need a real number, or a complex tensor");
    }
    Tensor value = empty(target->dtype, {});
    store(number, value->dtype, value->data);
    // In a graph it lies where the tensors do: what a transform makes of it alone, its rows say, stays there.
    return Value(target->symbolic ? on_device(*value, Context::process().device()) : value);
  }
  if (is_graph_number(object)) {
    const GraphNumber& given = graph_number_of(object);
    return Value(given.tracer->tensor_of(given.number, target->dtype));
  }
  Tensor value = is_tensor(object) ? converted(tensor_of(object), target->dtype)
                                   : tensor_from_data(object, target->dtype);
  return Value(may_overlap(*value, *target) ? duplicated(value) : value);
}

/// NumPy lets a value have more dimensions than its target if the first ones have size 1.
void drop_leading_ones(Arg& value, int64_t rank) {
  Tensor tensor(&as_tensor(*value.get<Value>()));
  Dims axes;
  while (tensor->rank() - static_cast<int64_t>(axes.size()) > rank && tensor->shape[axes.size()] == Dim(1)) {
    axes.push_back(static_cast<int64_t>(axes.size()));
  }
  if (!axes.empty()) value = Arg(Value(squeeze(Value(tensor), axes)));
}

/// While a program is captured: has the graph take the tensor over if it is the graph that writes to it.
void prepare_write(const Tensor& tensor, const Key& key, PyObject* value) {
  tracing::GraphTracer* recording = tracing::current();
  if (!recording || recording->finished() || recording->tracing() || tensor->symbolic) return;
  bool symbolic = is_graph_number(value) || (is_tensor(value) && tensor_of(value)->symbolic);
  for (const KeyPart& part : key) {
    symbolic = symbolic || part.open_position || part.open_start || part.open_stop ||
               (part.tensor && part.tensor->symbolic);
  }
  if (symbolic || recording->defers_write(*tensor)) recording->adopt(tensor);
}

/// Runs `body`; the operators behind a subscript speak in its name.
template <class Body>
auto as_subscript(const Body& body) {
  const tracing::CalledAs name("index");
  try {
    return body();
  } catch (const Error& error) {
    raise_as_called("index", error);
  }
}

Tensor row(const Tensor& tensor, int64_t position) {
  if (tensor->rank() == 0) index_error("index: 1 subscripts are too many for a tensor of 0 dimensions");
  return select_view(Value(tensor), 0, place_in_dimension(position, tensor->shape[0], 0));
}

}  // namespace

PyObject* tensor_get(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    if (PyLong_CheckExact(key)) {
      const Py_ssize_t position = PyNumber_AsSsize_t(key, PyExc_IndexError);
      if (position == -1 && PyErr_Occurred()) throw PythonError{};
      return wrap(row(tensor, position));
    }
    return wrap(as_subscript([&] { return Plan(tensor, read_key(key)).read(); }));
  });
}

int tensor_set(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(-1, [&] {
    if (!value) type_error("index: elements of a tensor cannot be deleted");
    const Tensor tensor = tensor_of(self);
    if (!tensor->storage->writable()) {
      value_error("index: the tensor shares the memory of a read-only array; write to a copy instead");
    }
    return as_subscript([&] {
      const Key parts = read_key(key);
      const Object whole = whole_value(tensor, value);
      if (Storage::captures.load(std::memory_order_relaxed) != 0) [[unlikely]]
        prepare_write(tensor, parts, whole.get());
      const Plan plan(tensor, parts);
      Arg written = assigned_value(tensor, whole.get());
      drop_leading_ones(written, plan.rank());
      plan.write(std::move(written));
      return 0;
    });
  });
}

PyObject* tensor_row(PyObject* self, Py_ssize_t position) {
  return guarded([&] { return wrap(row(tensor_of(self), position)); });
}

Py_ssize_t tensor_length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const TensorImpl& tensor = *tensor_of(self);
    if (tensor.rank() == 0) type_error("len: a tensor of 0 dimensions has no length");
    if (!tensor.shape[0].known()) require_data("len", tensor, BreakKind::kIterable);
    return tensor.shape[0].value();
  });
}

PyObject* tensor_iterate(PyObject* self) {
  return guarded([&] {
    if (tensor_of(self)->rank() == 0)
      type_error("iter: Cannot iterate over a scalar tensor: it has 0 dimensions, and no rows");
    if (!tensor_of(self)->shape[0].known()) require_data("iter", *tensor_of(self), BreakKind::kIterable);
    return PySeqIter_New(self);
  });
}

int tensor_contains(PyObject* self, PyObject* value) {
  return guarded(-1, [&] {
    Arg operand;
    // A list is of another kind and equal to no element.
    if (PyList_Check(value) || PyTuple_Check(value) || !operand_from(value, operand)) return 0;
    return item(*any(Value(equal(Value(tensor_of(self)), operand)))).to_bool() ? 1 : 0;
  });
}

}  // namespace dyad::python
