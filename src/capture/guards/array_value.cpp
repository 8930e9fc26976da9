#include "capture/guards/array_value.h"

#include <cstring>

#include "base/error.h"

namespace dyad::guards {

namespace {

/// Access to the memory of an object while it lives; empty if there is none to have.
class Memory {
 public:
  explicit Memory(PyObject* object) {
    held_ = PyObject_CheckBuffer(object) && PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) == 0;
    if (!held_) PyErr_Clear();
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (held_) PyBuffer_Release(&view_);
  }
  explicit operator bool() const { return held_; }
  const Py_buffer& view() const { return view_; }

  std::string row_major() const {
    std::string bytes(static_cast<size_t>(view_.len), '\0');
    if (PyBuffer_ToContiguous(bytes.data(), &view_, view_.len, 'C') < 0) PyErr_Clear();
    return bytes;
  }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

bool is_of_numpy(PyTypeObject* type) { return std::strncmp(type->tp_name, "numpy.", 6) == 0; }

std::string form_text(const char* type, const std::string& format, const std::vector<Py_ssize_t>& shape) {
  std::string text = cat(type, " of ", format, " and shape (");
  for (size_t i = 0; i < shape.size(); ++i) text += cat(i ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

const char* format_of(const Py_buffer& view) { return view.format ? view.format : "B"; }
std::vector<Py_ssize_t> shape_of(const Py_buffer& view) { return {view.shape, view.shape + view.ndim}; }

}  // namespace

ArrayValue::ArrayValue(PyObject* array) : type_(Py_TYPE(array)) {
  const Memory memory(array);
  if (!memory) {
    type_error("check_array: got an object of type ", Py_TYPE(array)->tp_name,
               " whose elements cannot be read; need a NumPy array of numbers");
  }
  format_ = format_of(memory.view());
  if (format_.find('O') != std::string::npos) {
    type_error("check_array: the elements of the array are Python objects; need an array of numbers");
  }
  shape_ = shape_of(memory.view());
  bytes_ = memory.row_major();
}

bool ArrayValue::has_form(const Py_buffer& view) const {
  return format_ == format_of(view) && static_cast<size_t>(view.ndim) == shape_.size() &&
         std::equal(shape_.begin(), shape_.end(), view.shape);
}

bool ArrayValue::has_type(PyTypeObject* type) const {
  return type == type_ || (shape_.empty() && is_of_numpy(type) && is_of_numpy(type_));
}

bool ArrayValue::same_form(PyObject* object) const {
  if (!has_type(Py_TYPE(object))) return false;
  const Memory memory(object);
  return memory && has_form(memory.view());
}

bool ArrayValue::matches(PyObject* object) const {
  if (!has_type(Py_TYPE(object))) return false;
  const Memory memory(object);
  if (!memory || !has_form(memory.view())) return false;
  if (PyBuffer_IsContiguous(&memory.view(), 'C'))
    return std::memcmp(memory.view().buf, bytes_.data(), bytes_.size()) == 0;
  return memory.row_major() == bytes_;
}

std::string ArrayValue::text() const { return form_text(type_->tp_name, format_, shape_); }

std::string ArrayValue::text_of(PyObject* object) {
  const Memory memory(object);
  if (!memory) return cat("an object of type ", Py_TYPE(object)->tp_name);
  return form_text(Py_TYPE(object)->tp_name, format_of(memory.view()), shape_of(memory.view()));
}

}  // namespace dyad::guards
