#include "bindings/subscript.h"

#include <optional>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/convert.h"
#include "bindings/create.h"
#include "bindings/errors.h"
#include "bindings/known_op.h"
#include "bindings/subscript_key.h"
#include "bindings/tensor_object.h"

namespace dyad::python {

namespace {

using Kind = KeyPart::Kind;

KnownOp select_view{"select_view"}, slice_view{"slice_view"}, expand_dims{"expand_dims"}, squeeze{"squeeze"}, index{"index"},
    index_put{"index_put"}, copy_into{"copy_into"}, equal{"equal"}, any{"any"};

/// A position counted from the front.
int64_t place(int64_t position, Dim size, size_t dimension) {
  const int64_t length = size.value();
  if (position < -length || position >= length) {
    index_error("index: ", position, " is out of range for dimension ", dimension, " of size ", length);
  }
  return position < 0 ? position + length : position;
}

/// What a key does to a tensor: first views (positions, slices, new dimensions), then picking elements by `indices`,
/// an entry per remaining dimension (a mask stands for several), empty where all of it is taken.
class Plan {
 public:
  Plan(const Tensor& tensor, const Key& key) : shape_(tensor->shape), view_(tensor) {
    for (const KeyPart& part : key) advanced_ = advanced_ || part.advanced();
    const size_t left = count_left(key);
    bool ellipsis = false;
    for (const KeyPart& part : key) {
      if (part.kind == Kind::kEllipsis) {
        if (std::exchange(ellipsis, true)) index_error("index: a subscript has more than one ...; one is accepted");
        skip(left);
      } else {
        take(part);
      }
    }
    make_view();
  }

  const Tensor& view() const { return view_; }
  bool advanced() const { return advanced_; }

  Tensor read() const {
    if (!advanced_) return view_;
    Tensor picked = index(Value(view_), indices_);
    return separator_ ? squeeze(Value(picked), Dims{separator_in_result()}) : picked;
  }

  void write(Arg value) const {
    if (!advanced_) {
      copy_into(Value(view_), value);
      return;
    }
    // A value that reaches over the separating dimension needs a place for it too.
    auto* tensor = value.get<Value>();
    if (separator_ && tensor && (*tensor)->rank() > separated_after_) {
      value = Arg(Value(expand_dims(*tensor, Dims{(*tensor)->rank() - separated_after_})));
    }
    index_put(Value(view_), indices_, value, false);
  }

 private:
  size_t count_left(const Key& key) const {
    size_t consumed = 0;
    for (const KeyPart& part : key) consumed += part.consumes();
    if (consumed > shape_.size()) {
      index_error("index: ", consumed, " subscripts are too many for a tensor of ", shape_.size(), " dimensions");
    }
    return shape_.size() - consumed;
  }

  void take_whole() {
    starts_.push_back(0);
    stops_.push_back(shape_[dimension_]);
    steps_.push_back(1);
    ++dimension_;
  }

  void add_entry(Value indices) {
    rank_of_index_ = std::max(rank_of_index_, !indices ? 0 : is_bool(indices->dtype) ? 1 : indices->rank());
    indices_.push_back(std::move(indices));
  }

  void new_axis() {
    new_axes_.push_back(static_cast<int64_t>(axes_));
    ++axes_;
  }

  /// `...`: all of the next `count` dimensions. Standing for none, it still keeps the indices on its two sides apart, as
  /// it does in NumPy: a dimension of size 1 takes its place for a while.
  void skip(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      take_whole();
      add_entry({});
      ++axes_;
    }
    if (count == 0 && advanced_) {
      separator_ = static_cast<int64_t>(indices_.size());
      separator_axis_ = axes_;
      new_axis();
      add_entry({});
    }
  }

  void take(const KeyPart& part) {
    switch (part.kind) {
      case Kind::kPosition:
        return take_position(part.position);
      case Kind::kSlice:
        return take_slice(part);
      case Kind::kNewAxis:
        new_axis();
        return add_entry({});
      case Kind::kTruth:
        new_axis();
        return add_entry(truth_indices(part.truth));
      case Kind::kIndices:
        take_whole();
        ++axes_;
        return add_entry(part.tensor);
      case Kind::kMask:
        check_mask(*part.tensor);
        for (size_t i = 0; i < part.consumes(); ++i) take_whole();
        axes_ += part.consumes();
        return add_entry(part.tensor);
      case Kind::kEllipsis:
        return;
    }
  }

  void take_position(int64_t position) {
    const int64_t at = place(position, shape_[dimension_], dimension_);
    if (advanced_) {  // beside picked elements an integer is an index like theirs
      take_whole();
      ++axes_;
      Tensor number = empty(DType::kInt64, {});
      *number->as<int64_t>() = at;
      return add_entry(number);
    }
    selected_axes_.push_back(static_cast<int64_t>(dimension_ - selected_axes_.size()));
    selected_places_.push_back(at);
    ++dimension_;
  }

  void take_slice(const KeyPart& part) {
    Py_ssize_t start = part.start;
    Py_ssize_t stop = part.stop;
    const Py_ssize_t length = PySlice_AdjustIndices(shape_[dimension_].value(), &start, &stop, part.step);
    const bool whole = length == shape_[dimension_].value() && part.step == 1;
    sliced_ = sliced_ || !whole;
    starts_.push_back(length == 0 ? 0 : start);
    stops_.push_back(length == 0 ? 0 : stop);
    steps_.push_back(length == 0 ? 1 : part.step);
    ++dimension_;
    ++axes_;
    add_entry({});
  }

  void check_mask(const TensorImpl& mask) const {
    for (size_t i = 0; i < mask.shape.size(); ++i) {
      if (mask.shape[i] == shape_[dimension_ + i]) continue;
      index_error("index: a mask of shape ", mask.shape, " does not fit dimension ", dimension_ + i, " of size ",
                  shape_[dimension_ + i], "; it must have the sizes of the dimensions that it covers");
    }
  }

  static Value truth_indices(bool truth) {
    Tensor indices = empty(DType::kInt64, {truth ? 1 : 0});
    if (truth) *indices->as<int64_t>() = 0;
    return indices;
  }

  void make_view() {
    const bool changed = !selected_axes_.empty() || sliced_ || !new_axes_.empty();
    for (size_t i = 0; i < selected_axes_.size(); ++i) {
      view_ = select_view(Value(view_), selected_axes_[i], selected_places_[i]);
    }
    if (sliced_) view_ = slice_view(Value(view_), starts_, stops_, steps_);
    if (!new_axes_.empty()) view_ = expand_dims(Value(view_), new_axes_);
    // x[...] is another tensor over the same memory, not x itself.
    if (!changed && !advanced_) view_ = slice_view(Value(view_), Dims{}, Dims{}, Dims{});
    finish_separator();
  }

  /// The separator matters between two groups of indices only.
  void finish_separator() {
    if (!separator_) return;
    bool before = false;
    bool after = false;
    for (size_t i = 0; i < indices_.size(); ++i) {
      if (!indices_[i]) continue;
      (static_cast<int64_t>(i) < *separator_ ? before : after) = true;
    }
    if (!before || !after) {
      view_ = squeeze(Value(view_), Dims{static_cast<int64_t>(separator_axis_)});
      indices_.erase(indices_.begin() + *separator_);
      separator_.reset();
      return;
    }
    for (size_t i = static_cast<size_t>(*separator_) + 1; i < indices_.size(); ++i) separated_after_ += indices_[i] ? 0 : 1;
    separated_after_ += view_->rank() - static_cast<int64_t>(axes_);
  }

  /// Separated indices put their dimensions first, then follow those that are taken whole.
  int64_t separator_in_result() const {
    int64_t whole = 0;
    for (int64_t i = 0; i < *separator_; ++i) whole += indices_[static_cast<size_t>(i)] ? 0 : 1;
    return rank_of_index_ + whole;
  }

  Shape shape_;
  Tensor view_;
  bool advanced_ = false;
  bool sliced_ = false;
  size_t dimension_ = 0;  ///< next dimension of the tensor
  size_t axes_ = 0;       ///< dimensions of the view so far
  Ints selected_axes_, selected_places_;
  Dims starts_, stops_, steps_, new_axes_;
  ValueList indices_;
  int64_t rank_of_index_ = 0;
  std::optional<int64_t> separator_;  ///< entry of the dimension that stands for an empty `...`
  size_t separator_axis_ = 0;
  int64_t separated_after_ = 0;       ///< dimensions of the result behind the separator
};

/// The value of an assignment in the target's dtype. One that lies in the target's memory is copied first.
Arg assigned_value(const Tensor& target, PyObject* object) {
  Scalar number;
  if (number_from(object, number)) {
    Tensor value = empty(target->dtype, {});
    store(number, value->dtype, value->data);
    return Value(value);
  }
  Tensor value = is_tensor(object) ? converted(tensor_of(object), target->dtype) : tensor_from_data(object, target->dtype);
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

Tensor row(const Tensor& tensor, int64_t position) {
  if (tensor->rank() == 0) index_error("index: 1 subscripts are too many for a tensor of 0 dimensions");
  return select_view(Value(tensor), 0, place(position, tensor->shape[0], 0));
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
    return wrap(Plan(tensor, read_key(key)).read());
  });
}

int tensor_set(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(-1, [&] {
    if (!value) type_error("index: elements of a tensor cannot be deleted");
    const Tensor& tensor = tensor_of(self);
    if (!tensor->storage->writable()) {
      value_error("index: the tensor shares the memory of a read-only array; write to a copy instead");
    }
    const Plan plan(tensor, read_key(key));
    Arg written = assigned_value(tensor, value);
    if (!plan.advanced()) drop_leading_ones(written, plan.view()->rank());
    plan.write(std::move(written));
    return 0;
  });
}

PyObject* tensor_row(PyObject* self, Py_ssize_t position) {
  return guarded([&] { return wrap(row(tensor_of(self), position)); });
}

Py_ssize_t tensor_length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const TensorImpl& tensor = *tensor_of(self);
    if (tensor.rank() == 0) type_error("len: a tensor of 0 dimensions has no length");
    return tensor.shape[0].value();
  });
}

PyObject* tensor_iterate(PyObject* self) {
  return guarded([&] {
    if (tensor_of(self)->rank() == 0) type_error("iter: a tensor of 0 dimensions has no rows to iterate over");
    return PySeqIter_New(self);
  });
}

int tensor_contains(PyObject* self, PyObject* value) {
  return guarded(-1, [&] {
    Arg operand;
    if (!operand_from(value, operand)) return 0;
    return item(*any(Value(equal(Value(tensor_of(self)), operand)))).to_bool() ? 1 : 0;
  });
}

}  // namespace dyad::python
