#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();

/// Which elements along one axis are wanted: listed ones, or those of a Python slice.
struct AxisChoice {
  bool listed = false;
  std::vector<int64_t> numbers;  ///< the listed ones, or (start, stop, step), `kAbsent` for None
};

/// As the front writes them, axis after axis: 1, how many, the listed ones; or 0, 3, start, stop, step.
std::vector<AxisChoice> choices_from(const std::vector<int64_t>& code) {
  std::vector<AxisChoice> choices;
  for (size_t i = 0; i + 1 < code.size();) {
    const auto count = static_cast<size_t>(code[i + 1]);
    DYAD_ASSERT(i + 2 + count <= code.size());
    const auto from = code.begin() + static_cast<int64_t>(i) + 2;
    choices.push_back({code[i] == 1, {from, from + static_cast<int64_t>(count)}});
    i += 2 + count;
  }
  return choices;
}

/// A bound of a slice as Python reads it, for an axis of `size`.
int64_t bound(int64_t given, int64_t size, int64_t low, int64_t high, int64_t absent) {
  if (given == kAbsent) return absent;
  return std::clamp(given < 0 ? given + size : given, low, high);
}

std::vector<int64_t> sliced(const std::vector<int64_t>& slice, int64_t size) {
  const int64_t step = slice[2] == kAbsent ? 1 : slice[2];
  const bool forward = step > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? size : size - 1;
  const int64_t start = bound(slice[0], size, low, high, forward ? low : high);
  const int64_t stop = bound(slice[1], size, low, high, forward ? high : low);
  std::vector<int64_t> chosen;
  const int64_t distance = forward ? stop - start : start - stop;
  if (distance <= 0) return chosen;
  const uint64_t stride = forward ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  const int64_t count = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) + 1;
  for (int64_t i = 0; i < count; ++i) chosen.push_back(start + i * step);
  return chosen;
}

std::vector<int64_t> chosen_along(const AxisChoice& choice, int64_t size) {
  if (!choice.listed) return sliced(choice.numbers, size);
  std::vector<int64_t> chosen = choice.numbers;
  for (int64_t& index : chosen) {
    if (index < -size || index >= size)
      runtime_error("Slice: index ", index, " is out of range for a dimension of size ", size);
    if (index < 0) index += size;
  }
  return chosen;
}

/// The places, in row-major order, of what is chosen along each axis.
std::vector<int64_t> chosen_places(const Shape& shape, const std::vector<std::vector<int64_t>>& chosen) {
  std::vector<int64_t> places{0};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<int64_t> next;
    next.reserve(places.size() * chosen[axis].size());
    for (const int64_t place : places)
      for (const int64_t index : chosen[axis]) next.push_back(place * shape[axis].value() + index);
    places = std::move(next);
  }
  return places;
}

Item gathered(const Item& item, const Shape& shape, const std::vector<int64_t>& places) {
  if (item.is_texts()) {
    const Texts& source = item.texts("Slice");
    Texts result{shape, {}, source.binary};
    for (const int64_t place : places) result.values.push_back(source.values[static_cast<size_t>(place)]);
    return result;
  }
  const Tensor source = contiguous(item.tensor("Slice"));
  Tensor result = empty(source->dtype, shape);
  visit_width(source->dtype, [&](auto typed) {
    using Word = typename decltype(typed)::type;
    for (size_t i = 0; i < places.size(); ++i) result->as<Word>()[i] = source->as<const Word>()[places[i]];
  });
  return result;
}

Item slice(const Item& item, const std::vector<AxisChoice>& choices) {
  const Shape& shape = item.shape("Slice");
  if (choices.size() > shape.size())
    runtime_error("Slice: ", choices.size(), " slices were given for ", item,
                  "; need at most one per dimension");
  Shape result;
  std::vector<std::vector<int64_t>> chosen;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const AxisChoice all{false, {kAbsent, kAbsent, kAbsent}};
    chosen.push_back(chosen_along(axis < choices.size() ? choices[axis] : all, shape[axis].value()));
    result.push_back(static_cast<int64_t>(chosen.back().size()));
  }
  return gathered(item, result, chosen_places(shape, chosen));
}

TransformRef make_slice(const Attributes& attributes) {
  return of_one("Slice", [choices = choices_from(attributes.integers("slices"))](const Item& item, Random&) {
    return slice(item, choices);
  });
}

DYAD_TRANSFORM(slice, make_slice);

}  // namespace

}  // namespace dyad::data
