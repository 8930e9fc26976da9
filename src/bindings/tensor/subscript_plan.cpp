#include "bindings/tensor/subscript_plan.h"

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/known_op.h"
#include "bindings/process/error_classes.h"
#include "bindings/tensor/tensor_object.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {

using Kind = KeyPart::Kind;

KnownOp select_view{"select_view"}, select_at{"select_at"}, slice_view{"slice_view"},
    expand_dims{"expand_dims"}, squeeze{"squeeze"}, index{"index"}, index_put{"index_put"},
    copy_into{"copy_into"};

Tensor number_tensor(int64_t number, Device device) {
  const Tensor tensor = empty(DType::kInt64, {});
  *tensor->as<int64_t>() = number;
  return on_device(*tensor, device);
}

/// A position that is known only when a graph runs, as an index tensor.
Value open_index(PyObject* position) {
  if (is_tensor(position)) return tensor_of(position);
  const GraphNumber& number = graph_number_of(position);
  return number.tracer->tensor_of(number.number, DType::kInt64);
}

/// The indices of a part; those of a list or an array on the device of the tensor.
Tensor placed(const KeyPart& part, Device device) {
  const bool moves = part.from_host && !part.tensor->symbolic && !(part.tensor->device == device);
  return moves ? on_device(*part.tensor, device) : part.tensor;
}

Value truth_indices(bool truth, Device device) {
  const Tensor indices = empty(DType::kInt64, {truth ? 1 : 0});
  if (truth) *indices->as<int64_t>() = 0;
  return Value(on_device(*indices, device));
}

/// The view without repetitions: along dimensions whose elements lie in one place, of which the value gives
/// all the same number, the first stands for all.
Tensor elements_apart(const Tensor& view, const Arg& value) {
  auto* given = value.get<Value>();
  if (!given || !elements_coincide(*view)) return view;
  Dims starts, stops, steps;
  const int64_t missing = view->rank() - (*given)->rank();
  for (int64_t d = 0; d < view->rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    const bool same = d < missing || (*given)->shape[static_cast<size_t>(d - missing)] == Dim(1);
    starts.push_back(0);
    stops.push_back(view->strides[at] == 0 && same ? Dim(1) : view->shape[at]);
    steps.push_back(1);
  }
  return slice_view(Value(view), starts, stops, steps);
}

}  // namespace

int64_t place_in_dimension(int64_t position, Dim size, size_t dimension) {
  if (!size.known()) return position;  // the operator looks when it runs
  const int64_t length = size.value();
  if (position < -length || position >= length) {
    index_error("index: ", position, " is out of range for dimension ", dimension, " of size ", length);
  }
  return position < 0 ? position + length : position;
}

Plan::Plan(const Tensor& tensor, const Key& key) : shape_(tensor->shape), view_(tensor) {
  for (const KeyPart& part : key) advanced_ = advanced_ || part.advanced();
  const size_t left = count_left(key);
  bool ellipsis = false;
  for (const KeyPart& part : key) {
    if (part.kind == Kind::kEllipsis) {
      if (std::exchange(ellipsis, true))
        index_error("index: a subscript has more than one ...; one is accepted");
      skip(left);
    } else {
      take(part);
    }
  }
  make_view();
}

int64_t Plan::rank() const {
  if (!advanced_) return view_->rank();
  int64_t whole = view_->rank() - (separator_ ? 1 : 0);
  for (const Value& indices : indices_) {
    if (indices) whole -= is_bool(indices->dtype) ? indices->rank() : 1;
  }
  return whole + rank_of_index_;
}

Tensor Plan::read() const {
  if (!advanced_) return view_;
  Tensor picked = index(Value(view_), indices_);
  return separator_ ? squeeze(Value(picked), Dims{separator_in_result()}) : picked;
}

void Plan::write(Arg value) const {
  if (!advanced_) {
    copy_into(Value(elements_apart(view_, value)), value);
    return;
  }
  // A value that reaches over the separating dimension needs a place for it too.
  auto* tensor = value.get<Value>();
  if (separator_ && tensor && (*tensor)->rank() > separated_after_) {
    value = Arg(Value(expand_dims(*tensor, Dims{(*tensor)->rank() - separated_after_})));
  }
  index_put(Value(view_), indices_, value, false);
}

size_t Plan::count_left(const Key& key) const {
  size_t consumed = 0;
  for (const KeyPart& part : key) consumed += part.consumes();
  if (consumed > shape_.size()) {
    index_error("index: ", consumed, " subscripts are too many for a tensor of ", shape_.size(),
                " dimensions");
  }
  return shape_.size() - consumed;
}

void Plan::take_whole() {
  starts_.push_back(0);
  stops_.push_back(shape_[dimension_]);
  steps_.push_back(1);
  ++dimension_;
}

void Plan::add_entry(Value indices) {
  rank_of_index_ = std::max(rank_of_index_, !indices ? 0 : is_bool(indices->dtype) ? 1 : indices->rank());
  indices_.push_back(std::move(indices));
}

void Plan::new_axis() {
  new_axes_.push_back(static_cast<int64_t>(axes_));
  ++axes_;
}

void Plan::skip(size_t count) {
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

void Plan::take(const KeyPart& part) {
  switch (part.kind) {
    case Kind::kPosition:
      return take_position(part);
    case Kind::kSlice:
      return take_slice(part);
    case Kind::kNewAxis:
      new_axis();
      return add_entry({});
    case Kind::kTruth:
      new_axis();
      return add_entry(truth_indices(part.truth, view_->device));
    case Kind::kIndices:
      take_whole();
      ++axes_;
      return add_entry(placed(part, view_->device));
    case Kind::kMask:
      check_mask(*part.tensor);
      for (size_t i = 0; i < part.consumes(); ++i) take_whole();
      axes_ += part.consumes();
      return add_entry(placed(part, view_->device));
    case Kind::kEllipsis:
      return;
  }
}

void Plan::take_position(const KeyPart& part) {
  PyObject* open = part.open_position.get();
  const int64_t at = open ? 0 : place_in_dimension(part.position, shape_[dimension_], dimension_);
  if (advanced_) {  // beside picked elements an integer is an index like theirs
    take_whole();
    ++axes_;
    return add_entry(open ? open_index(open) : Value(number_tensor(at, view_->device)));
  }
  Dim place = at;
  if (open && !symbolic_dim_from(open, place)) {
    capture_error(
        BreakKind::kCondition,
        "index: a subscript is known only when the graph runs, and no graph is active in this thread");
  }
  selected_axes_.push_back(static_cast<int64_t>(dimension_ - selected_axes_.size()));
  selected_dimensions_.push_back(static_cast<int64_t>(dimension_));
  selected_places_.push_back(place);
  ++dimension_;
}

namespace {

/// A bound as Python counts it, from either end and cut to what there is, where the size is open.
Dim cut(int64_t bound, Dim size) {
  if (bound >= 0) return bound == PY_SSIZE_T_MAX ? size : min(bound, size);
  return max(size + Dim(bound), 0);
}

/// The same for a bound that is known only when the graph runs.
Dim cut(PyObject* bound, Dim size) {
  tracing::GraphTracer* recording = tracing::current();
  if (!recording) runtime_error("index: no graph is active in this thread");
  tracing::Item place;
  item_from(bound, place);
  if (auto* tensor = std::get_if<Tensor>(&place)) place = recording->number_of(*tensor);
  const tracing::Item length = recording->size_item(size);
  auto apply = [&](std::string_view op, tracing::Item a, tracing::Item b) {
    const tracing::Item operands[] = {std::move(a), std::move(b)};
    return recording->apply(op, operands);
  };
  const tracing::Item negative = apply("mul", length, apply("lt", place, Scalar(0)));
  const tracing::Item counted = apply("add", place, negative);
  return recording->size_of(
      std::get<tracing::Number>(apply("max", Scalar(0), apply("min", counted, length))));
}

}  // namespace

void Plan::take_open_slice(const KeyPart& part) {
  const Dim size = shape_[dimension_];
  if (part.step <= 0) {
    capture_error("index: a slice with a step of ", part.step,
                  " needs bounds and sizes that are known now; take a positive step");
  }
  const Dim start = part.open_start ? cut(part.open_start.get(), size) : cut(part.start, size);
  const Dim stop = part.open_stop ? cut(part.open_stop.get(), size) : cut(part.stop, size);
  const bool ordered = start == Dim(0) || start == stop;
  sliced_ = sliced_ || !(start == Dim(0) && stop == size && part.step == 1);
  starts_.push_back(start);
  stops_.push_back(ordered ? stop : max(start, stop));
  steps_.push_back(part.step);
  ++dimension_;
  ++axes_;
  add_entry({});
}

void Plan::take_slice(const KeyPart& part) {
  if (part.open_start || part.open_stop || !shape_[dimension_].known()) [[unlikely]]
    return take_open_slice(part);
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

void Plan::check_mask(const TensorImpl& mask) const {
  for (size_t i = 0; i < mask.shape.size(); ++i) {
    if (mask.shape[i] == shape_[dimension_ + i]) continue;
    if (!mask.shape[i].known() || !shape_[dimension_ + i].known()) continue;
    raise_mask_mismatch(cat("index: a mask of shape ", mask.shape, " does not fit dimension ", dimension_ + i,
                            " of size ", shape_[dimension_ + i],
                            "; it must have the sizes of the dimensions that it covers"));
  }
}

void Plan::make_view() {
  const bool changed = !selected_axes_.empty() || sliced_ || !new_axes_.empty();
  for (size_t i = 0; i < selected_axes_.size(); ++i) {
    const Dim place = selected_places_[i];
    view_ = place.known() ? select_view(Value(view_), selected_axes_[i], place.value())
                          : select_at(Value(view_), selected_axes_[i], Dims{place}, selected_dimensions_[i]);
  }
  if (sliced_) view_ = slice_view(Value(view_), starts_, stops_, steps_);
  if (!new_axes_.empty()) view_ = expand_dims(Value(view_), new_axes_);
  // x[...] is another tensor over the same memory, not x itself.
  if (!changed && !advanced_) view_ = slice_view(Value(view_), Dims{}, Dims{}, Dims{});
  finish_separator();
}

void Plan::finish_separator() {
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
  for (size_t i = static_cast<size_t>(*separator_) + 1; i < indices_.size(); ++i)
    separated_after_ += indices_[i] ? 0 : 1;
  separated_after_ += view_->rank() - static_cast<int64_t>(axes_);
}

int64_t Plan::separator_in_result() const {
  int64_t whole = 0;
  for (int64_t i = 0; i < *separator_; ++i) whole += indices_[static_cast<size_t>(i)] ? 0 : 1;
  return rank_of_index_ + whole;
}

}  // namespace dyad::python
