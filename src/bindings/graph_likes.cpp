#include "bindings/graph_likes.h"

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/convert.h"
#include "bindings/graph_number.h"
#include "bindings/tensor_object.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using record::Like;

Like number_like(Scalar::Kind kind) {
  Like like;
  like.number = true;
  like.kind = kind;
  return like;
}

/// (dtype, shape) with None for an open size.
bool described_like(nb::handle object, Like& out) {
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

bool type_like(nb::handle object, Like& out) {
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

Like like_from(const char* function, nb::handle object) {
  Like like;
  if (is_tensor(object.ptr())) {
    const Pending* pending = pending_of(object.ptr());
    like.dtype = pending ? pending->dtype : tensor_of(object.ptr())->dtype;
    like.shape = pending ? pending->shape : tensor_of(object.ptr())->shape;
    return like;
  }
  if (is_graph_number(object.ptr())) return number_like(graph_number_of(object.ptr()).number.kind);
  if (type_like(object, like) || described_like(object, like)) return like;
  Scalar number;
  if (number_from(object.ptr(), number) && number.kind() != Scalar::Kind::kComplex) {
    return number_like(number.kind());
  }
  type_error(function, ": got ", describe(object.ptr()),
             "; need a Tensor, a bool, int or float, one of these types, or (dtype, shape)");
}

std::vector<Like> likes_from(const char* function, nb::handle objects) {
  std::vector<Like> likes;
  for (nb::handle object : objects) likes.push_back(like_from(function, object));
  return likes;
}

void open_sizes(const char* function, nb::handle open, Shape& shape) {
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
