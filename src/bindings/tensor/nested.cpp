#include "bindings/tensor/nested.h"

#include <cstring>

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/known_op.h"
#include "bindings/process/error_classes.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/create.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"

namespace dyad::python {

namespace {

// NumPy's limit; it also ends the walk into a list that contains itself.
constexpr size_t kMaxDepth = 64;

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }
bool is_block(PyObject* object) { return is_tensor(object) || is_numpy_array(object); }

/// A leaf that is an array or tensor itself. NumPy's wide default floats in a list narrow like Python's
/// floats do.
Tensor block_of(PyObject* leaf) {
  Tensor block = is_tensor(leaf) ? tensor_of(leaf) : tensor_over_array("Tensor", leaf, false);
  const bool narrow = !is_tensor(leaf) && block->dtype == DType::kFloat64;
  return narrow ? converted(block, DType::kFloat32) : block;
}

KnownOp stack{"stack"};

/// A number of this kind.
Scalar some_of(Scalar::Kind kind) {
  if (kind == Scalar::Kind::kBool) return Scalar(false);
  return kind == Scalar::Kind::kInt ? Scalar(int64_t{0}) : Scalar(0.0);
}

/// Builds the tensor in two walks: the first finds shape and dtype, the second writes or stacks.
class Nested {
 public:
  explicit Nested(PyObject* data) : data_(data) {
    PyObject* first = data;
    while (is_list(first)) {
      if (shape_.size() == kMaxDepth)
        value_error("Tensor: input_data is nested deeper than ", kMaxDepth, " levels");
      const Py_ssize_t length = PySequence_Fast_GET_SIZE(first);
      shape_.push_back(length);
      if (length == 0) break;
      first = PySequence_Fast_GET_ITEM(first, 0);
    }
    levels_ = shape_.size();
    if (!is_list(first) && is_block(first)) {
      const Tensor block = block_of(first);
      for (Dim size : block->shape) shape_.push_back(size);
      blocks_ = true;
    }
  }

  Value operand(std::optional<DType> dtype) {
    stacks_ = true;
    survey(data_, 0);
    dtype_ = dtype ? *dtype : found_dtype();
    return Value(tensors_ ? stacked(data_, 0) : tensor_from_data(data_, dtype_));
  }

  Tensor make(std::optional<DType> dtype) {
    survey(data_, 0);
    dtype_ = dtype ? *dtype : found_dtype();
    if (late_) return stacked(data_, 0);
    Tensor tensor = empty(dtype_, shape_);
    next_ = tensor->as<char>();
    end_ = next_ + tensor->size() * itemsize(tensor->dtype);
    write(data_, 0);
    return tensor;
  }

 private:
  Tensor stacked(PyObject* object, size_t level) {
    if (level == levels_ && is_graph_number(object)) return tensor_of_number(object, dtype_);
    if (level == levels_) {
      return is_block(object) ? converted(block_of(object), dtype_) : tensor_from_data(object, dtype_);
    }
    ValueList members;
    for (Py_ssize_t i = 0; is_list(object) && i < PySequence_Fast_GET_SIZE(object); ++i) {
      members.push_back(Value(stacked(PySequence_Fast_GET_ITEM(object, i), level + 1)));
    }
    return stack(members);
  }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... reason) const {
    type_error("For Tensor, the input_data is ", describe(data_), " that contain unsupported element. ",
               reason...);
  }

  [[noreturn]] void refuse_lengths() const {
    refuse("its lists are of unequal length or depth; all lists of one level must be equally long");
  }

  /// Numbers alone share the widest of their kinds; beside arrays they take part as in arithmetic.
  DType found_dtype() const {
    if (!block_dtype_) return number_ ? number_->dtype() : DType::kFloat32;
    return number_ ? promote("Tensor", *block_dtype_, number_->value) : *block_dtype_;
  }

  void mix(DType dtype) { block_dtype_ = block_dtype_ ? promote("Tensor", *block_dtype_, dtype) : dtype; }

  void mix(const Number& number) {
    const bool wider = !number_ || number.value.kind() > number_->value.kind();
    const bool as_wide = number_ && number.value.kind() == number_->value.kind();
    if (wider || (as_wide && number.beyond_int64)) number_ = number;
  }

  void survey(PyObject* object, size_t level) {
    if (level == levels_) return survey_leaf(object);
    if (!is_list(object) || PySequence_Fast_GET_SIZE(object) != shape_[level].value()) refuse_lengths();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      survey(PySequence_Fast_GET_ITEM(object, i), level + 1);
    }
  }

  /// Whether a leaf has the sizes of the first one, as far as both are known.
  bool fits(const Shape& sizes) const {
    if (levels_ + sizes.size() != shape_.size()) return false;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Dim expected = shape_[levels_ + i];
      if (sizes[i].known() && expected.known() && !(sizes[i] == expected)) return false;
    }
    return true;
  }

  void survey_leaf(PyObject* leaf) {
    if (is_list(leaf)) refuse_lengths();
    if (is_block(leaf)) {
      const Tensor block = block_of(leaf);
      // No gradient would reach these elements, so an integer of the graph is as good as a number.
      late_ = late_ || (block->symbolic && is_int(block->dtype));
      if (!stacks_ && !(block->symbolic && is_int(block->dtype))) require_data("Tensor", *block);
      if (!blocks_ ? block->rank() != 0 : !fits(block->shape)) refuse_lengths();
      tensors_ = tensors_ || is_tensor(leaf);
      return mix(block->dtype);
    }
    Number number;
    if (is_graph_number(leaf)) {
      tensors_ = late_ = true;
      number.value = some_of(graph_number_of(leaf).number.kind);
    } else if (!read_number(leaf, number)) {
      refuse(describe(leaf), " is one; an element must be a number, an array or a Tensor");
    }
    if (shape_.size() != levels_) refuse_lengths();
    mix(number);
  }

  void write(PyObject* object, size_t level) {
    if (level == levels_) return write_leaf(object);
    for (Py_ssize_t i = 0; is_list(object) && i < PySequence_Fast_GET_SIZE(object); ++i) {
      write(PySequence_Fast_GET_ITEM(object, i), level + 1);
    }
  }

  void write_leaf(PyObject* leaf) {
    if (is_block(leaf)) {
      Tensor block = converted(block_of(leaf), dtype_);
      if (!block->contiguous()) block = duplicated(block);
      block = readable(block);
      return write_bytes(block->data, block->size() * itemsize(dtype_));
    }
    Number number;
    char element[sizeof(std::complex<double>)];
    if (!read_number(leaf, number)) refuse_lengths();
    number.store(dtype_, element);
    write_bytes(element, itemsize(dtype_));
  }

  /// Reading a leaf may run Python code that changes the lists; what no longer fits is refused.
  void write_bytes(const void* bytes, int64_t count) {
    if (count > end_ - next_) refuse_lengths();
    std::memcpy(next_, bytes, static_cast<size_t>(count));
    next_ += count;
  }

  PyObject* data_;
  Shape shape_;
  size_t levels_ = 0;    ///< levels of lists; the dimensions behind them are those of the leaves
  bool blocks_ = false;  ///< leaves are arrays or tensors
  bool tensors_ = false;
  bool stacks_ = false;  ///< members may be known only when a graph runs
  bool late_ = false;    ///< a number among them is
  std::optional<DType> block_dtype_;
  std::optional<Number> number_;  ///< one of the widest kind among the leaves
  DType dtype_ = DType::kFloat32;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace

void Number::store(DType dtype, void* element) const {
  const bool bits = !beyond_int64 || (is_int(dtype) && itemsize(dtype) == 8);
  dyad::store(bits ? value : Scalar(static_cast<double>(static_cast<uint64_t>(value.to_int()))), dtype,
              element);
}

bool read_number(PyObject* object, Number& out) {
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow > 0) {
      const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
      if (!PyErr_Occurred()) {
        out = {Scalar(static_cast<int64_t>(wide)), true};
        return true;
      }
      PyErr_Clear();
    }
    if (overflow) raise_too_wide("Tensor", object);
    out = {Scalar(static_cast<int64_t>(value)), false};
    return true;
  }
  out.beyond_int64 = false;
  return number_from(object, out.value);
}

Tensor tensor_of_number(PyObject* number, std::optional<DType> dtype) {
  const GraphNumber& given = graph_number_of(number);
  return given.tracer->tensor_of(given.number, dtype.value_or(default_dtype(some_of(given.number.kind))));
}

Tensor tensor_from_nested(PyObject* data, std::optional<DType> dtype) { return Nested(data).make(dtype); }

Value operand_from_nested(PyObject* data, std::optional<DType> dtype) { return Nested(data).operand(dtype); }

}  // namespace dyad::python
