#include <nanobind/nanobind.h>

#include <algorithm>

#include "base/text.h"
#include "capture/guards/check.h"
#include "capture/guards/show.h"
#include "capture/guards/tensor_access.h"

namespace nb = nanobind;

namespace dyad::guards {

namespace {

class TensorCheck final : public Check {
 public:
  explicit TensorCheck(TensorDemand demand)
      : demand_(std::move(demand)), type_(nb::borrow(reinterpret_cast<PyObject*>(demand_.type))) {}

  GuardKind kind() const override { return GuardKind::kTensor; }
  bool matches(PyObject* subject, PyObject* const*) const override {
    if (demand_.type && Py_TYPE(subject) != demand_.type) return false;
    TensorForm form;
    if (!tensor_access().form(subject, form) || form.dtype != demand_.dtype) return false;
    if (form.shape->size() != demand_.shape.size()) return false;
    for (size_t d = 0; d < demand_.shape.size(); ++d) {
      if (demand_.shape[d] && (*form.shape)[d] != Dim(*demand_.shape[d])) return false;
    }
    return !demand_.contiguous || is_contiguous(form) == *demand_.contiguous;
  }
  std::string expected() const override {
    std::string shape;
    for (const auto& size : demand_.shape) {
      shape += cat(shape.empty() ? "" : ", ", size ? cat(*size) : std::string("any"));
    }
    if (demand_.shape.size() == 1) shape += ",";
    const std::string type = demand_.type ? cat(" ", demand_.type->tp_name) : " tensor";
    return cat(layout(demand_.contiguous), demand_.dtype, type, " of shape (", shape, ")");
  }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    TensorForm form;
    if (!tensor_access().form(subject, form)) return show(subject);
    const bool named = demand_.contiguous.has_value();
    return cat(layout(named ? std::optional(is_contiguous(form)) : std::nullopt), show(subject));
  }
  Difference difference(PyObject* subject, PyObject* const*) const override {
    TensorForm form;
    if (!tensor_access().form(subject, form)) return Difference::kUnknown;
    const bool same_layout = !demand_.contiguous || is_contiguous(form) == *demand_.contiguous;
    const bool same_type = !demand_.type || Py_TYPE(subject) == demand_.type;
    return same_layout && same_type && form.dtype == demand_.dtype ? Difference::kShape : Difference::kForm;
  }
  int traverse(visitproc visit, void* arg) const override {
    Py_VISIT(type_.ptr());
    return 0;
  }

 private:
  /// What an initialiser will fill is laid out in row-major order.
  static bool is_contiguous(const TensorForm& form) { return !form.tensor || form.tensor->contiguous(); }
  static std::string layout(std::optional<bool> contiguous) {
    if (!contiguous) return "";
    return *contiguous ? "contiguous " : "non-contiguous ";
  }

  TensorDemand demand_;
  nb::object type_;
};

class Alias final : public Check {
 public:
  Alias(uint32_t other, std::string path) : other_(other), path_(std::move(path)) {}
  GuardKind kind() const override { return GuardKind::kIdentity; }
  bool matches(PyObject* subject, PyObject* const* found) const override { return subject == found[other_]; }
  std::string expected() const override { return cat("the same object as ", path_); }
  std::string actual(PyObject*, PyObject* const*) const override { return "another object"; }

 private:
  uint32_t other_;
  std::string path_;
};

class DisjointMemory final : public Check {
 public:
  explicit DisjointMemory(std::vector<uint32_t> ids) : ids_(std::move(ids)) {}
  GuardKind kind() const override { return GuardKind::kMemory; }
  std::span<const uint32_t> objects() const override { return ids_; }
  bool matches(PyObject*, PyObject* const* found) const override {
    std::vector<Extent> extents;
    extents.reserve(ids_.size());
    for (const uint32_t id : ids_) {
      TensorForm form;
      if (tensor_access().form(found[id], form) && form.tensor) extents.emplace_back(*form.tensor);
    }
    return !overlap(extents);
  }
  std::string expected() const override { return cat("no memory shared among ", ids_.size(), " tensors"); }
  std::string actual(PyObject*, PyObject* const*) const override { return "two of them share memory"; }

 private:
  std::vector<uint32_t> ids_;
};

class DistinctObjects final : public Check {
 public:
  explicit DistinctObjects(std::vector<uint32_t> ids) : ids_(std::move(ids)) {}
  GuardKind kind() const override { return GuardKind::kObjects; }
  std::span<const uint32_t> objects() const override { return ids_; }
  bool matches(PyObject*, PyObject* const* found) const override {
    std::vector<PyObject*> objects;
    objects.reserve(ids_.size());
    for (const uint32_t id : ids_) objects.push_back(found[id]);
    std::ranges::sort(objects);
    return std::ranges::adjacent_find(objects) == objects.end();
  }
  std::string expected() const override { return cat(ids_.size(), " different objects"); }
  std::string actual(PyObject*, PyObject* const*) const override { return "two of them are one"; }

 private:
  std::vector<uint32_t> ids_;
};

class StateCheck final : public Check {
 public:
  StateCheck(const State& state, int64_t value) : state_(state), value_(value) {}
  GuardKind kind() const override { return GuardKind::kState; }
  bool matches(PyObject*, PyObject* const*) const override { return state_.read() == value_; }
  std::string expected() const override { return show_state(state_, value_); }
  std::string actual(PyObject*, PyObject* const*) const override { return show_state(state_, state_.read()); }
  Difference difference(PyObject*, PyObject* const*) const override {
    return state_.form == State::Form::kDType ? Difference::kUnknown : Difference::kNumber;
  }

 private:
  State state_;
  int64_t value_;
};

}  // namespace

std::string show_state(const State& state, int64_t value) {
  switch (state.form) {
    case State::Form::kFlag:
      return cat(value != 0);
    case State::Form::kNumber:
      return cat(value);
    case State::Form::kDType:
      return value == kNoDType ? std::string("None") : cat(static_cast<DType>(value));
  }
  return {};
}

CheckPointer check_tensor(TensorDemand demand) { return std::make_unique<TensorCheck>(std::move(demand)); }
CheckPointer check_alias(uint32_t other, std::string path) {
  return std::make_unique<Alias>(other, std::move(path));
}
CheckPointer check_disjoint_memory(std::vector<uint32_t> ids) {
  return std::make_unique<DisjointMemory>(std::move(ids));
}
CheckPointer check_distinct_objects(std::vector<uint32_t> ids) {
  return std::make_unique<DistinctObjects>(std::move(ids));
}
CheckPointer check_state(const State& state, int64_t value) {
  return std::make_unique<StateCheck>(state, value);
}

}  // namespace dyad::guards
