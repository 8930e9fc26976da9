#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/arrays/cast.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

/// One label gives a line of classes; a list of labels, with further dimensions of size 1, a line for each.
Shape one_hot_shape(const Shape& labels, int64_t classes) {
  if (numel(labels) == 1) return {classes};
  if (std::ranges::count_if(labels, [](const Dim& size) { return size != 1; }) != 1)
    runtime_error("OneHot: the labels have shape ", labels, "; need one label or a list of them");
  return {numel(labels), classes};
}

Item one_hot(const Tensor& labels, int64_t classes, double smoothing) {
  if (!is_int(labels->dtype))
    runtime_error("OneHot: the labels are ", dtype_name(labels->dtype), "; need an integer dtype");
  const Tensor chosen = contiguous(cast_to(labels, DType::kInt64));
  const DType dtype = smoothing == 0 ? labels->dtype : DType::kFloat64;
  Tensor result = empty(dtype, one_hot_shape(labels->shape, classes));
  const double off = smoothing / static_cast<double>(classes);
  visit_dtype(dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    if constexpr (std::is_arithmetic_v<T>) {
      std::fill_n(result->as<T>(), result->size(), static_cast<T>(off));
      for (int64_t i = 0; i < chosen->size(); ++i) {
        const int64_t label = chosen->as<const int64_t>()[i];
        if (label < 0 || label >= classes)
          runtime_error("OneHot: a label is ", label, "; need labels from 0 to ", classes - 1);
        result->as<T>()[i * classes + label] = static_cast<T>(1 - smoothing + off);
      }
    }
  });
  return result;
}

TransformRef make_one_hot(const Attributes& attributes) {
  return of_one("OneHot", [classes = attributes.integer("classes"),
                           smoothing = attributes.number("smoothing")](const Item& item, Random&) {
    return one_hot(item.tensor("OneHot"), classes, smoothing);
  });
}

DYAD_TRANSFORM(one_hot, make_one_hot);

}  // namespace

}  // namespace dyad::data
