#include <algorithm>

#include "base/error.h"
#include "data/arrays/cast.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - …, with a[0] made 1 and both of the same length.
struct Recurrence {
  std::vector<double> a;
  std::vector<double> b;
};

Recurrence recurrence_from(const Attributes& attributes) {
  Recurrence made{attributes.numbers("a"), attributes.numbers("b")};
  const size_t length = std::max(made.a.size(), made.b.size());
  const double first = made.a.at(0);
  made.a.resize(length);
  made.b.resize(length);
  for (size_t i = 0; i < length; ++i) {
    made.a[i] /= first;
    made.b[i] /= first;
  }
  return made;
}

/// One line, as the transposed direct form II has it: `state` is what earlier samples add to later ones.
template <class T>
void filter_line(const Recurrence& filter, const T* from, T* to, int64_t count, bool clamp) {
  const size_t order = filter.a.size() - 1;
  std::vector<double> state(order + 1, 0.0);
  for (int64_t n = 0; n < count; ++n) {
    const double x = from[n];
    const double y = filter.b[0] * x + state[0];
    for (size_t k = 0; k < order; ++k) state[k] = filter.b[k + 1] * x - filter.a[k + 1] * y + state[k + 1];
    to[n] = static_cast<T>(clamp ? std::clamp(y, -1.0, 1.0) : y);
  }
}

template <class T>
void filter_lines(const Recurrence& filter, const Tensor& source, const Tensor& result, bool clamp) {
  const int64_t length = source->shape.back().value();
  if (length == 0) return;
  for (int64_t at = 0; at < source->size(); at += length)
    filter_line(filter, source->as<const T>() + at, result->as<T>() + at, length, clamp);
}

Item filtered(const std::string& name, const Recurrence& filter, const Tensor& given, bool clamp) {
  if (given->shape.empty() || is_complex(given->dtype))
    runtime_error(name, ": the waveform has dtype ", dtype_name(given->dtype), " and shape ", given->shape,
                  "; need real numbers in shape (..., time)");
  const bool wide = given->dtype == DType::kFloat64;
  const Tensor source = contiguous(cast_to(given, wide ? DType::kFloat64 : DType::kFloat32));
  Tensor result = empty(source->dtype, source->shape);
  wide ? filter_lines<double>(filter, source, result, clamp)
       : filter_lines<float>(filter, source, result, clamp);
  return result;
}

TransformRef make_linear_filter(const Attributes& attributes) {
  return of_one(attributes.text("owner"),
                [name = attributes.text("owner"), filter = recurrence_from(attributes),
                 clamp = attributes.flag("clamp")](const Item& item, Random&) {
                  return filtered(name, filter, item.tensor(name), clamp);
                });
}

DYAD_TRANSFORM(linear_filter, make_linear_filter);

}  // namespace

}  // namespace dyad::data
