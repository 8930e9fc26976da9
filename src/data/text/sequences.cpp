#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Parts of a column, each a run of `length` elements from one of the places on, in a new shape.
Item runs_of(const Item& item, const std::vector<int64_t>& places, int64_t length, const Shape& shape,
             std::string_view owner) {
  if (item.is_texts()) {
    const Texts& source = item.texts(owner);
    Texts result{shape, {}, source.binary};
    for (const int64_t place : places)
      result.values.insert(result.values.end(), source.values.begin() + place,
                           source.values.begin() + place + length);
    return result;
  }
  const Tensor source = contiguous(item.tensor(owner));
  Tensor result = empty(source->dtype, shape);
  const int64_t bytes = itemsize(source->dtype);
  char* to = result->as<char>();
  for (const int64_t place : places) {
    std::memcpy(to, source->as<const char>() + place * bytes, static_cast<size_t>(length * bytes));
    to += length * bytes;
  }
  return result;
}

/// The first `length` elements along the last axis.
Item truncated(const Item& item, int64_t length, std::string_view owner) {
  Shape shape = item.shape(owner);
  const int64_t whole = shape.back().value();
  const int64_t kept = std::min(length, whole);
  if (kept == whole) return item;
  std::vector<int64_t> places;
  for (int64_t at = 0; at < numel(shape); at += whole) places.push_back(at);
  shape.back() = kept;
  return runs_of(item, places, kept, shape, owner);
}

TransformRef make_truncate(const Attributes& attributes) {
  return of_one("Truncate", [length = attributes.integer("length")](const Item& item, Random&) {
    const size_t rank = item.shape("Truncate").size();
    if (rank != 1 && rank != 2) runtime_error("Truncate: got ", item, "; it takes one or two dimensions");
    return truncated(item, length, "Truncate");
  });
}

int64_t length_of(const Item& item) {
  const Shape& shape = item.shape("TruncateSequencePair");
  if (shape.size() != 1)
    runtime_error("TruncateSequencePair: got ", item, "; it takes lists with one dimension");
  return shape[0].value();
}

TransformRef make_truncate_sequence_pair(const Attributes& attributes) {
  return of_row([length = attributes.integer("length")](Row& columns, Random&) {
    if (columns.size() != 2)
      runtime_error("TruncateSequencePair: ", columns.size(), " columns were given; it takes two columns");
    int64_t first = length_of(columns[0]);
    int64_t second = length_of(columns[1]);
    if (first + second <= length) return;
    // The longer one loses until both are as long; then they lose in turns, the second first.
    const int64_t surplus = std::min(first + second - length, std::abs(first - second));
    (first > second ? first : second) -= surplus;
    const int64_t left = first + second - length;
    second -= (left + 1) / 2;
    first -= left / 2;
    columns[0] = truncated(columns[0], first, "TruncateSequencePair");
    columns[1] = truncated(columns[1], second, "TruncateSequencePair");
  });
}

TransformRef make_sliding_window(const Attributes& attributes) {
  return of_one("SlidingWindow", [width = attributes.integer("width")](const Item& item, Random&) {
    const Shape& shape = item.shape("SlidingWindow");
    if (shape.size() != 1) runtime_error("SlidingWindow: got ", item, "; it takes one dimension");
    const int64_t windows = shape[0].value() - width + 1;
    if (windows <= 0) return runs_of(item, {}, 0, {0}, "SlidingWindow");
    std::vector<int64_t> places;
    for (int64_t at = 0; at < windows; ++at) places.push_back(at);
    return runs_of(item, places, width, {windows, width}, "SlidingWindow");
  });
}

TransformRef make_add_token(const Attributes& attributes) {
  return of_one("AddToken",
                [token = attributes.text("token"), begin = attributes.flag("begin")](const Item& item,
                                                                                     Random&) -> Item {
                  const Texts& source = item.texts("AddToken");
                  if (source.shape.size() != 1 && source.shape.size() != 2)
                    runtime_error("AddToken: got ", item, "; it takes one or two dimensions");
                  const int64_t length = source.shape.back().value();
                  const int64_t lines = source.shape.size() == 1 ? 1 : source.shape[0].value();
                  Texts result{source.shape, {}, source.binary};
                  result.shape.back() = length + 1;
                  for (int64_t line = 0; line < lines; ++line) {
                    const auto from = source.values.begin() + line * length;
                    if (begin) result.values.push_back(token);
                    result.values.insert(result.values.end(), from, from + length);
                    if (!begin) result.values.push_back(token);
                  }
                  return result;
                });
}

DYAD_TRANSFORM(truncate, make_truncate);
DYAD_TRANSFORM(truncate_sequence_pair, make_truncate_sequence_pair);
DYAD_TRANSFORM(sliding_window, make_sliding_window);
DYAD_TRANSFORM(add_token, make_add_token);

}  // namespace

}  // namespace dyad::data
