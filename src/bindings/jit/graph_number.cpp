#include "bindings/jit/graph_number.h"

#include "base/error.h"
#include "bindings/jit/module.h"
#include "bindings/op/arguments.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "ops/infer.h"
#include "ops/number_operator.h"
#include "ops/placeholder.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace dyad::python {

namespace {

using tracing::Item;
using tracing::Number;

PyTypeObject* number_type = nullptr;

/// What keeps a number in the place of a tensor until its dtype is known.
struct Unsettled final : RefCounted {
  GraphNumber number;
};

std::string_view kind_name(Scalar::Kind kind) {
  return kind == Scalar::Kind::kBool ? "bool" : kind == Scalar::Kind::kInt ? "int" : "float";
}

[[noreturn]] void refuse_value(std::string_view what) {
  capture_error(BreakKind::kCondition, what, ": the value of a number is known only when the graph runs");
}

bool is_real(const Item& item) {
  auto* known = std::get_if<Scalar>(&item);
  return !known || known->kind() != Scalar::Kind::kComplex;
}

/// A number operand; false for what a number does not meet in Python's operators.
bool operand(nb::handle object, Item& out) {
  return !is_tensor(object.ptr()) && item_from(object.ptr(), out) && is_real(out);
}

nb::object applied(const Ref<tracing::GraphTracer>& tracer, std::string_view op,
                   std::span<const Item> items) {
  return nb::steal(item_object(tracer, tracer->apply(op, items)));
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

nb::object binary(const GraphNumber& self, nb::handle other, const char* op, bool reflected) {
  Item items[2] = {self.number, Scalar()};
  if (!operand(other, items[1])) return not_implemented();
  if (reflected) std::swap(items[0], items[1]);
  return applied(self.tracer, op, items);
}

nb::object unary(const GraphNumber& self, const char* op) {
  const Item items[] = {self.number};
  return applied(self.tracer, op, items);
}

nb::object rounded(const GraphNumber& self, nb::object digits) {
  if (digits.is_none()) return unary(self, "round");
  Item items[2] = {self.number, Scalar()};
  if (!operand(digits, items[1])) {
    type_error("round: digits is ", describe(digits.ptr()), "; it must be an int or None");
  }
  return applied(self.tracer, "round", items);
}

nb::object divided(const GraphNumber& self, nb::handle other, bool reflected) {
  nb::object quotient = binary(self, other, "floordiv", reflected);
  if (quotient.ptr() == Py_NotImplemented) return quotient;
  return nb::make_tuple(quotient, binary(self, other, "mod", reflected));
}

nb::object kind_object(const GraphNumber& self) {
  switch (self.number.kind) {
    case Scalar::Kind::kBool:
      return nb::borrow(reinterpret_cast<PyObject*>(&PyBool_Type));
    case Scalar::Kind::kInt:
      return nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type));
    default:
      return nb::borrow(reinterpret_cast<PyObject*>(&PyFloat_Type));
  }
}

tracing::GraphTracer& need_current(const char* function) {
  tracing::GraphTracer* tracer = tracing::current();
  if (!tracer) runtime_error(function, ": no graph is active in this thread");
  return *tracer;
}

nb::object number_of(nb::handle object) {
  if (is_graph_number(object.ptr())) return nb::borrow(object);
  if (!is_tensor(object.ptr())) type_error("number: got ", describe(object.ptr()), "; need a Tensor");
  tracing::GraphTracer& tracer = need_current("number");
  const Ref<tracing::GraphTracer> owner(&tracer);
  return nb::steal(item_object(owner, tracer.number_of(tensor_of(object.ptr()))));
}

DType default_dtype_of(const Item& item) {
  if (auto* known = std::get_if<Scalar>(&item)) return default_dtype(*known);
  const Scalar::Kind kind = std::get<Number>(item).kind;
  return kind == Scalar::Kind::kFloat ? DType::kFloat32 : number_dtype(kind);
}

nb::object as_tensor_object(nb::handle object, nb::object dtype) {
  Item item;
  if (is_tensor(object.ptr()) || !item_from(object.ptr(), item)) {
    type_error("as_tensor: got ", describe(object.ptr()), "; need a number");
  }
  DType chosen = default_dtype_of(item);
  if (!dtype.is_none() && !dtype_from(dtype.ptr(), chosen)) {
    type_error("as_tensor: dtype is ", describe(dtype.ptr()), "; need a dtype or None");
  }
  return nb::steal(wrap(need_current("as_tensor").tensor_of(item, chosen)));
}

nb::object number_op(std::string_view op, nb::args operands) {
  tracing::GraphTracer& tracer = need_current("number_op");
  std::vector<Item> items;
  for (nb::handle object : operands) {
    items.emplace_back(Scalar());
    if (!item_from(object.ptr(), items.back())) {
      type_error("number_op: got ", describe(object.ptr()), "; need a number");
    }
  }
  return applied(Ref<tracing::GraphTracer>(&tracer), op, items);
}

const Unsettled* unsettled(const Value& value) {
  if (!value || !value->symbolic) return nullptr;
  const TensorImpl& tensor = as_tensor(value);
  return tensor.storage ? nullptr : static_cast<const Unsettled*>(tensor.window.get());
}

Scalar example(Scalar::Kind kind) {
  if (kind == Scalar::Kind::kBool) return {true};
  return kind == Scalar::Kind::kInt ? Scalar(1) : Scalar(1.0);
}

/// The arguments as the rules see them: numbers are numbers, tensors have a dtype and a shape.
std::vector<Arg> described(std::span<const Arg> args) {
  std::vector<Arg> seen;
  for (const Arg& arg : args) {
    auto* value = arg.get<Value>();
    if (!value) {
      seen.push_back(arg);
    } else if (const Unsettled* number = unsettled(*value)) {
      seen.emplace_back(example(number->number.number.kind));
    } else {
      seen.emplace_back(placeholder((*value)->dtype, (*value)->shape));
    }
  }
  return seen;
}

/// The dtype in which numbers meet the tensors of a call.
DType compute_dtype_of(const Op& op, std::span<const Arg> args) {
  const std::vector<Arg> seen = described(args);
  const Arguments arguments(op.name, seen);
  if (op.writes >= 0) return arguments.in(static_cast<size_t>(op.writes)).dtype;
  const DType result = op.infer_results(seen)[0].dtype;
  if (!is_bool(result)) return result;
  const DType common = operand_dtype(arguments, infer::operands(arguments));
  return is_int(common) ? DType::kInt64 : common;  // the number may be more than the tensor's dtype holds
}

}  // namespace

bool is_graph_number(PyObject* object) { return Py_TYPE(object) == number_type; }
const GraphNumber& graph_number_of(PyObject* object) { return nb::cast<GraphNumber&>(nb::handle(object)); }

PyObject* item_object(const Ref<tracing::GraphTracer>& tracer, const Item& item) {
  if (auto* tensor = std::get_if<Tensor>(&item)) return wrap(*tensor);
  if (auto* known = std::get_if<Scalar>(&item)) return number_object(*known);
  return nb::cast(GraphNumber{tracer, std::get<Number>(item)}).release().ptr();
}

bool item_from(PyObject* object, Item& out) {
  if (is_tensor(object)) {
    out = tensor_of(object);
  } else if (is_graph_number(object)) {
    out = graph_number_of(object).number;
  } else {
    Scalar number;
    if (!number_from(object, number)) return false;
    out = number;
  }
  return true;
}

PyObject* size_object(Dim size) {
  if (size.known()) return PyLong_FromLongLong(size.value());
  tracing::GraphTracer* tracer = tracing::current();
  if (!tracer) return PyLong_FromLong(-1);
  return item_object(Ref<tracing::GraphTracer>(tracer), tracer->size_number(size));
}

bool symbolic_dim_from(PyObject* object, Dim& out) {
  if (is_graph_number(object)) {
    const GraphNumber& number = graph_number_of(object);
    if (number.number.kind != Scalar::Kind::kInt) return false;
    out = number.tracer->size_of(number.number);
    return true;
  }
  if (!is_tensor(object)) return false;
  const Tensor& tensor = tensor_of(object);
  tracing::GraphTracer* tracer = tracing::current();
  if (!tensor->symbolic || !tracer || !is_int(tensor->dtype) || tensor->rank() > 0) return false;
  out = tracer->size_of(tracer->number_of(tensor));
  return true;
}

Value number_operand(const GraphNumber& number) {
  Ref<Unsettled> window(new Unsettled);
  window->number = number;
  Tensor tensor(new TensorImpl);
  tensor->dtype = default_dtype_of(number.number);
  tensor->symbolic = true;
  tensor->window = window;
  return tensor;
}

void settle_numbers(const Op& op, std::span<Arg> args) {
  for (Arg& arg : args) {
    auto* value = arg.get<Value>();
    const Unsettled* number = value ? unsettled(*value) : nullptr;
    if (!number) continue;
    Tensor settled = number->number.tracer->tensor_of(number->number.number, compute_dtype_of(op, args));
    arg = Arg(Value(settled));
  }
}

void add_graph_number(nb::module_& module) {
  auto type = nb::class_<GraphNumber>(
      module, "GraphNumber", "A number that is known when the graph runs; operators on it are recorded.");
  number_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("kind", kind_object, "bool, int or float.");
  struct Named {
    const char* method;
    const char* reflected;
    const char* op;
  };
  static constexpr Named arithmetic[] = {
      {"__add__", "__radd__", "add"},          {"__sub__", "__rsub__", "sub"},
      {"__mul__", "__rmul__", "mul"},          {"__truediv__", "__rtruediv__", "truediv"},
      {"__mod__", "__rmod__", "mod"},          {"__floordiv__", "__rfloordiv__", "floordiv"},
      {"__lshift__", "__rlshift__", "lshift"}, {"__rshift__", "__rrshift__", "rshift"},
      {"__and__", "__rand__", "and"},          {"__or__", "__ror__", "or"},
      {"__xor__", "__rxor__", "xor"},
  };
  for (const Named& named : arithmetic) {
    type.def(named.method, [op = named.op](const GraphNumber& self, nb::handle other) {
      return binary(self, other, op, false);
    });
    type.def(named.reflected, [op = named.op](const GraphNumber& self, nb::handle other) {
      return binary(self, other, op, true);
    });
  }
  static constexpr std::pair<const char*, const char*> comparisons[] = {
      {"__lt__", "lt"}, {"__le__", "le"}, {"__gt__", "gt"},
      {"__ge__", "ge"}, {"__eq__", "eq"}, {"__ne__", "ne"},
  };
  for (const auto& [method, op] : comparisons) {
    type.def(
        method, [op](const GraphNumber& self, nb::handle other) { return binary(self, other, op, false); },
        nb::arg("other").none());
  }
  static constexpr std::pair<const char*, const char*> single[] = {
      {"__neg__", "neg"}, {"__pos__", "pos"}, {"__abs__", "abs"}, {"__invert__", "invert"}};
  for (const auto& [method, op] : single) {
    type.def(method, [op](const GraphNumber& self) { return unary(self, op); });
  }
  type.def("__pow__",
           [](const GraphNumber& self, nb::handle other) { return binary(self, other, "pow", false); });
  type.def("__rpow__",
           [](const GraphNumber& self, nb::handle other) { return binary(self, other, "pow", true); });
  type.def("__divmod__",
           [](const GraphNumber& self, nb::handle other) { return divided(self, other, false); });
  type.def("__rdivmod__",
           [](const GraphNumber& self, nb::handle other) { return divided(self, other, true); });
  type.def("__round__", rounded, nb::arg("digits") = nb::none());
  type.def("__bool__", [](const GraphNumber&) -> bool { refuse_value("bool"); });
  type.def("__int__", [](const GraphNumber&) -> int { refuse_value("int"); });
  type.def("__float__", [](const GraphNumber&) -> double { refuse_value("float"); });
  type.def("__index__", [](const GraphNumber&) -> int { refuse_value("index"); });
  type.def("__hash__", [](const GraphNumber&) -> Py_hash_t { refuse_value("hash"); });
  type.def("__repr__", [](const GraphNumber& self) {
    return cat("GraphNumber(", kind_name(self.number.kind), ", value=<known when the graph runs>)");
  });
  module.def("number", number_of, "The only element of a Tensor as a number of the graph.");
  module.def("as_tensor", as_tensor_object, nb::arg("number"), nb::arg("dtype") = nb::none(),
             "A Tensor without dimensions from a number.");
  module.def("number_op", number_op,
             "An operation on numbers by its name: 'int', 'float', 'bool', 'not', 'min', 'max', 'add', …");
}

}  // namespace dyad::python
