#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/arrays/fill.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Visits the lines along the last axis that both shapes have: `line(from, to)` gets their first elements.
template <class Line>
void each_common_line(const Shape& from, const Shape& to, size_t axis, int64_t from_at, int64_t to_at,
                      const Line& line) {
  if (axis + 1 >= from.size()) return line(from_at, to_at);
  int64_t from_step = 1;
  int64_t to_step = 1;
  for (size_t i = axis + 1; i < from.size(); ++i) {
    from_step *= from[i].value();
    to_step *= to[i].value();
  }
  for (int64_t i = 0; i < std::min(from[axis].value(), to[axis].value()); ++i)
    each_common_line(from, to, axis + 1, from_at + i * from_step, to_at + i * to_step, line);
}

/// The shape after padding, with -1 for a size that stays.
Shape padded_shape(const Shape& from, const std::vector<int64_t>& wanted) {
  if (from.size() != wanted.size())
    runtime_error("PadEnd: the column has shape ", from, " and pad_shape ", wanted.size(),
                  " sizes; need as many as the column has dimensions");
  Shape to;
  for (size_t i = 0; i < wanted.size(); ++i) to.push_back(wanted[i] < 0 ? from[i] : Dim(wanted[i]));
  return to;
}

int64_t common_length(const Shape& from, const Shape& to) {
  return from.empty() ? 1 : std::min(from.back().value(), to.back().value());
}

Item padded_texts(const Texts& source, const Shape& shape, const Filling& filling) {
  constexpr int64_t kMostTexts = int64_t{1} << 31;
  if (numel(shape) > kMostTexts)
    runtime_error("PadEnd: pad_shape is ", shape, "; need at most ", kMostTexts, " texts");
  Texts result{shape, {}, source.binary};
  result.values.assign(static_cast<size_t>(numel(shape)), filling.of_texts());
  const int64_t length = common_length(source.shape, shape);
  if (result.values.empty() || source.values.empty()) return result;
  each_common_line(source.shape, shape, 0, 0, 0, [&](int64_t from, int64_t to) {
    std::copy_n(source.values.begin() + from, length, result.values.begin() + to);
  });
  return result;
}

Item padded_numbers(const Tensor& given, const Shape& shape, const Filling& filling) {
  const Tensor source = contiguous(given);
  Tensor result = empty(source->dtype, shape);
  fill_with(filling.of_dtype(source->dtype, "PadEnd"), result->as<char>(), result->size());
  if (result->size() == 0 || source->size() == 0) return result;
  const int64_t bytes = itemsize(source->dtype);
  const auto length = static_cast<size_t>(common_length(source->shape, shape) * bytes);
  each_common_line(source->shape, shape, 0, 0, 0, [&](int64_t from, int64_t to) {
    std::memcpy(result->as<char>() + to * bytes, source->as<const char>() + from * bytes, length);
  });
  return result;
}

TransformRef make_pad_end(const Attributes& attributes) {
  return of_one("PadEnd", [wanted = attributes.integers("shape"), filling = Filling::from(attributes)](
                              const Item& item, Random&) {
    filling.require_kind_of(item, "PadEnd");
    const Shape shape = padded_shape(item.shape("PadEnd"), wanted);
    return item.is_texts() ? padded_texts(item.texts("PadEnd"), shape, filling)
                           : padded_numbers(item.tensor("PadEnd"), shape, filling);
  });
}

DYAD_TRANSFORM(pad_end, make_pad_end);

}  // namespace

}  // namespace dyad::data
