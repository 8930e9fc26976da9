#include "bindings/jit/type_specs.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using tracing::TypeSpec;

TypeSpec number_like(Scalar::Kind kind) {
  TypeSpec spec;
  spec.number = true;
  spec.kind = kind;
  return spec;
}

/// (dtype, shape) with None for a symbolic dimension.
bool described_like(nb::handle object, TypeSpec& out) {
  if (!nb::isinstance<nb::tuple>(object) || nb::len(object) != 2) return false;
  if (!dtype_from(object[0].ptr(), out.dtype) || !nb::isinstance<nb::sequence>(object[1])) return false;
  for (nb::handle size : object[1]) {
    Dims known;
    if (size.is_none()) {
      out.shape.push_back(Dim::fresh("size"));
    } else if (dims_from(size.ptr(), known) && known.size() == 1) {
      out.shape.push_back(known[0]);
    } else {
      return false;
    }
  }
  return true;
}

bool type_like(nb::handle object, TypeSpec& out) {
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    out = number_like(Scalar::Kind::kBool);
  } else if (object.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    out = number_like(Scalar::Kind::kInt);
  } else if (object.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    out = number_like(Scalar::Kind::kFloat);
  } else {
    return false;
  }
  return true;
}

}  // namespace

TypeSpec type_spec_from(const char* function, nb::handle object) {
  TypeSpec spec;
  if (is_tensor(object.ptr())) {
    const Pending* pending = pending_of(object.ptr());
    spec.dtype = pending ? pending->dtype : tensor_of(object.ptr())->dtype;
    spec.shape = pending ? pending->shape : tensor_of(object.ptr())->shape;
    return spec;
  }
  if (is_graph_number(object.ptr())) return number_like(graph_number_of(object.ptr()).number.kind);
  if (type_like(object, spec) || described_like(object, spec)) return spec;
  Scalar number;
  if (number_from(object.ptr(), number) && number.kind() != Scalar::Kind::kComplex) {
    return number_like(number.kind());
  }
  type_error(function, ": got ", describe(object.ptr()),
             "; need a Tensor, a bool, int or float, one of these types, or (dtype, shape)");
}

std::vector<TypeSpec> type_specs_from(const char* function, nb::handle objects) {
  std::vector<TypeSpec> specs;
  for (nb::handle object : objects) specs.push_back(type_spec_from(function, object));
  return specs;
}

void symbolic_dims(const char* function, nb::handle open, Shape& shape) {
  const nb::object pairs = nb::isinstance<nb::dict>(open) ? open.attr("items")() : nb::borrow(open);
  for (nb::handle pair : pairs) {
    Dims axis;
    if (nb::len(pair) != 2 || !dims_from(nb::object(pair[0]).ptr(), axis) || axis.size() != 1 ||
        !nb::isinstance<nb::str>(pair[1])) {
      type_error(function, ": open is ", describe(open.ptr()), "; it must map axes to names");
    }
    const int64_t at = normalize_axis(function, axis[0].value(), static_cast<int64_t>(shape.size()));
    shape[static_cast<size_t>(at)] = Dim::symbol(nb::cast<nb::str>(pair[1]).c_str());
  }
}

}  // namespace dyad::python
