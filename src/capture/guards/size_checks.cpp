#include "base/text.h"
#include "capture/guards/check.h"
#include "capture/guards/tensor_access.h"

namespace dyad::guards {

namespace {

/// The size of a tensor along an axis; nothing if there is no such axis, or if the size is not known.
std::optional<int64_t> size_at(PyObject* object, size_t axis) {
  TensorForm form;
  if (!tensor_access().form(object, form) || axis >= form.shape->size()) return std::nullopt;
  const Dim size = (*form.shape)[axis];
  return size.known() ? std::optional(size.value()) : std::nullopt;
}

std::string show_size(std::optional<int64_t> size) { return size ? cat(*size) : std::string("no such axis"); }

class SizeCheck final : public Check {
 public:
  SizeCheck(size_t axis, SizeDemand demand) : axis_(axis), demand_(demand) {}
  GuardKind kind() const override { return GuardKind::kSize; }
  bool matches(PyObject* subject, PyObject* const*) const override {
    const std::optional<int64_t> size = size_at(subject, axis_);
    return size && *size >= demand_.low && (!demand_.high || *size <= *demand_.high) &&
           *size % demand_.divisor == demand_.remainder;
  }
  std::string expected() const override {
    std::string text = cat("a size of at least ", demand_.low);
    if (demand_.high) text += cat(" and at most ", *demand_.high);
    if (demand_.divisor > 1)
      text += cat(", ", demand_.remainder, " more than a multiple of ", demand_.divisor);
    return cat(text, " at axis ", axis_);
  }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    return show_size(size_at(subject, axis_));
  }

 private:
  size_t axis_;
  SizeDemand demand_;
};

class SameSize final : public Check {
 public:
  SameSize(size_t axis, uint32_t other, size_t other_axis, std::string path)
      : axis_(axis), other_(other), other_axis_(other_axis), path_(std::move(path)) {}
  GuardKind kind() const override { return GuardKind::kSize; }
  bool matches(PyObject* subject, PyObject* const* found) const override {
    const std::optional<int64_t> size = size_at(subject, axis_);
    return size && size == size_at(found[other_], other_axis_);
  }
  std::string expected() const override {
    return cat("at axis ", axis_, " the size of ", path_, " at axis ", other_axis_);
  }
  std::string actual(PyObject* subject, PyObject* const* found) const override {
    return cat(show_size(size_at(subject, axis_)), " and ", show_size(size_at(found[other_], other_axis_)));
  }

 private:
  size_t axis_;
  uint32_t other_;
  size_t other_axis_;
  std::string path_;
};

}  // namespace

CheckPointer check_size(size_t axis, SizeDemand demand) { return std::make_unique<SizeCheck>(axis, demand); }
CheckPointer check_same_size(size_t axis, uint32_t other, size_t other_axis, std::string path) {
  return std::make_unique<SameSize>(axis, other, other_axis, std::move(path));
}

}  // namespace dyad::guards
