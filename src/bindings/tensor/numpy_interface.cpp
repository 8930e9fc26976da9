#include "bindings/tensor/numpy_interface.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "bindings/tensor/convert.h"

namespace dyad::python {

namespace {

/// A class of NumPy, looked up when NumPy is loaded; while it is not, nothing can be an instance.
class NumpyClass {
 public:
  explicit constexpr NumpyClass(const char* name) : name_(name) {}

  bool holds(PyObject* object) {
    PyTypeObject* type = find();
    return type && (Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type));
  }

  PyTypeObject* find() {
    if (type_) return type_;
    Object name = check(PyUnicode_FromString("numpy"));
    Object numpy = Object::take(PyImport_GetModule(name.get()));
    Object type = numpy ? Object::take(PyObject_GetAttrString(numpy.get(), name_)) : Object();
    PyErr_Clear();  // a NumPy that is only half loaded has no such class yet
    if (type && PyType_Check(type.get())) type_ = reinterpret_cast<PyTypeObject*>(type.release());
    return type_;
  }

 private:
  const char* name_;
  PyTypeObject* type_ = nullptr;
};

NumpyClass array_class{"ndarray"}, scalar_class{"generic"}, dtype_class{"dtype"};
// Scalars that are no numbers: dates, spans (NumPy files them under signed integers), text, bytes and
// records.
NumpyClass date_class{"datetime64"}, span_class{"timedelta64"}, flexible_class{"flexible"};

/// A view of an object's memory; released with its last owner, which may be a thread without the
/// interpreter's lock.
struct BufferView {
  Py_buffer view{};
  BufferView() = default;
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  ~BufferView() {
    if (!view.obj || !Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(&view);
    PyGILState_Release(state);
  }
};

bool dtype_of_kind(char kind, Py_ssize_t bytes, DType& out) {
  for (int i = 0; i < kDTypeCount; ++i) {
    out = static_cast<DType>(i);
    if (itemsize(out) != bytes || out == DType::kBFloat16) continue;
    if (kind == 'b' && is_bool(out)) return true;
    if (kind == 'i' && is_signed_int(out)) return true;
    if (kind == 'u' && is_unsigned_int(out)) return true;
    if (kind == 'f' && is_float(out)) return true;
    if (kind == 'c' && is_complex(out)) return true;
  }
  return false;
}

/// Reads an element's format as the buffer protocol writes it ("f", "<q", "Zd").
bool dtype_of_format(std::string_view format, Py_ssize_t bytes, DType& out) {
  if (!format.empty() && std::string_view("@=<").find(format[0]) != std::string_view::npos)
    format.remove_prefix(1);
  if (format.size() == 2 && format[0] == 'Z') return dtype_of_kind('c', bytes, out);
  if (format.size() != 1) return false;
  const char code = format[0];
  if (code == '?') return dtype_of_kind('b', bytes, out);
  if (std::string_view("bhilqn").find(code) != std::string_view::npos) return dtype_of_kind('i', bytes, out);
  if (std::string_view("BHILQN").find(code) != std::string_view::npos) return dtype_of_kind('u', bytes, out);
  if (std::string_view("efd").find(code) != std::string_view::npos) return dtype_of_kind('f', bytes, out);
  return false;
}

std::string dtype_text(PyObject* array) {
  Object dtype = check(PyObject_GetAttrString(array, "dtype"));
  Object text = check(PyObject_Str(dtype.get()));
  const char* utf8 = PyUnicode_AsUTF8(text.get());
  if (!utf8) throw PythonError{};
  return utf8;
}

/// What Python calls an element.
std::string element_class(PyObject* array) {
  Object dtype = check(PyObject_GetAttrString(array, "dtype"));
  Object type = check(PyObject_GetAttrString(dtype.get(), "type"));
  Object text = check(PyObject_Repr(type.get()));
  const char* utf8 = PyUnicode_AsUTF8(text.get());
  if (!utf8) throw PythonError{};
  return utf8;
}

[[noreturn]] void refuse_dtype(const char* op, PyObject* array) {
  type_error(op, ": a NumPy ", is_numpy_array(array) ? "array" : "scalar", " of dtype ", dtype_text(array),
             " cannot become a tensor (initializing tensor by numpy array failed, its elements are ",
             element_class(array), "); need bools, integers, floats or complex numbers");
}

/// The array with its bytes in the machine's order, as a copy.
Object native_order(PyObject* array) {
  Object dtype = check(PyObject_GetAttrString(array, "dtype"));
  Object native = check(PyObject_CallMethod(dtype.get(), "newbyteorder", "s", "="));
  return check(PyObject_CallMethod(array, "astype", "O", native.get()));
}

bool swapped(const Py_buffer& view) {
  return view.format && (view.format[0] == '>' || view.format[0] == '!');
}

bool strides_fit(const Py_buffer& view) {
  if (view.itemsize == 0 ||
      reinterpret_cast<uintptr_t>(view.buf) % static_cast<size_t>(view.itemsize > 8 ? 8 : view.itemsize)) {
    return false;
  }
  for (int i = 0; i < view.ndim; ++i) {
    if (view.strides[i] % view.itemsize != 0) return false;
  }
  return true;
}

Tensor over_view(std::shared_ptr<BufferView> owner, DType dtype) {
  const Py_buffer& view = owner->view;
  Shape shape;
  Strides strides;
  for (int i = 0; i < view.ndim; ++i) {
    shape.push_back(view.shape[i]);
    strides.push_back(view.strides[i] / view.itemsize);
  }
  return with_plain_bools(borrow(view.buf, static_cast<size_t>(view.len), !view.readonly, dtype, shape,
                                 strides, [owner]() mutable { owner.reset(); }));
}

/// An array of bfloat16 as other packages define it has no format in the buffer protocol: it is read as
/// 16-bit words.
bool read_bfloat16(PyObject* array, BufferView& owner) {
  if (dtype_text(array) != "bfloat16") return false;
  Object words = check(PyObject_CallMethod(array, "view", "s", "uint16"));
  if (PyObject_GetBuffer(words.get(), &owner.view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) throw PythonError{};
  return true;
}

/// Calls `visit` with the address of each byte from dimension `d` on, in row-major order.
template <class Visit>
void for_each_byte(const TensorImpl& tensor, size_t d, uint8_t* at, const Visit& visit) {
  if (d == tensor.shape.size()) return visit(at);
  for (int64_t i = 0; i < tensor.shape[d].value(); ++i)
    for_each_byte(tensor, d + 1, at + i * tensor.strides[d], visit);
}

template <class Visit>
void for_each_byte(const TensorImpl& tensor, const Visit& visit) {
  auto* first = static_cast<uint8_t*>(tensor.data);
  if (!tensor.contiguous()) return for_each_byte(tensor, 0, first, visit);
  std::for_each(first, first + tensor.size(), [&](uint8_t& byte) { visit(&byte); });
}

}  // namespace

bool is_numpy_array(PyObject* object) { return array_class.holds(object); }
bool is_numpy_scalar(PyObject* object) { return scalar_class.holds(object); }
bool is_numpy_number(PyObject* object) {
  return scalar_class.holds(object) && !date_class.holds(object) && !span_class.holds(object) &&
         !flexible_class.holds(object);
}

bool numpy_dtype_from(PyObject* object, DType& out) {
  Object dtype = Object::share(object);
  if (PyType_Check(object)) {
    PyTypeObject* number = scalar_class.find();
    if (!number || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), number)) return false;
    dtype = Object::take(PyObject_CallOneArg(reinterpret_cast<PyObject*>(dtype_class.find()), object));
  } else if (!dtype_class.holds(object)) {
    return false;
  }
  Object name = dtype ? Object::take(PyObject_GetAttrString(dtype.get(), "name")) : Object();
  const char* text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (!text) {
    PyErr_Clear();
    return false;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    out = static_cast<DType>(i);
    const char* known = out == DType::kBFloat16 ? "bfloat16" : numpy_dtype_name(out);
    if (std::string_view(text) == known) return true;
  }
  return false;
}

const char* numpy_dtype_name(DType dtype) {
  if (dtype == DType::kBool) return "bool";
  return dtype == DType::kBFloat16 ? nullptr : dtype_name(dtype).data();
}

Tensor tensor_over_array(const char* op, PyObject* array, bool must_share) {
  auto owner = std::make_shared<BufferView>();
  if (PyObject_GetBuffer(array, &owner->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    if (!read_bfloat16(array, *owner)) refuse_dtype(op, array);
    return over_view(std::move(owner), DType::kBFloat16);
  }
  const bool foreign_order = swapped(owner->view);
  DType dtype;
  // Dates, spans and bytes show their memory as plain bytes.
  const bool numbers = is_numpy_array(array) || is_numpy_number(array);
  if (!numbers || !owner->view.format ||
      (!foreign_order && !dtype_of_format(owner->view.format, owner->view.itemsize, dtype)))
    refuse_dtype(op, array);
  if (!foreign_order && strides_fit(owner->view)) return over_view(std::move(owner), dtype);
  if (must_share) {
    value_error(op, ": the array's memory cannot be shared, its bytes are ",
                foreign_order ? "swapped" : "not aligned", "; use Tensor(array), which copies");
  }
  // A second round that would not end the first one's reason cannot happen: NumPy's copies are native and
  // aligned.
  Object fresh = foreign_order ? native_order(array) : check(PyObject_CallMethod(array, "copy", nullptr));
  return tensor_over_array(op, fresh.get(), true);
}

Tensor with_plain_bools(Tensor tensor) {
  if (!is_bool(tensor->dtype)) return tensor;
  uint8_t most = 0;
  for_each_byte(*tensor, [&](const uint8_t* byte) { most = std::max(most, *byte); });
  if (most <= 1) return tensor;
  if (tensor->storage->writable()) {
    for_each_byte(*tensor, [](uint8_t* byte) { *byte = *byte != 0; });
    return tensor;
  }
  Tensor plain = empty(DType::kBool, tensor->shape);
  auto* next = static_cast<uint8_t*>(plain->data);
  for_each_byte(*tensor, [&](const uint8_t* byte) { *next++ = *byte != 0; });
  return plain;
}

}  // namespace dyad::python
