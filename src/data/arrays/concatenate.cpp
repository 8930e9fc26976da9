#include <cstring>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

void require_lists(const Row& parts) {
  for (const Item& part : parts) {
    if (part.shape("Concatenate").size() != 1)
      runtime_error("Concatenate: a column is ", part, "; need arrays with one dimension");
    const bool same = part.is_texts() == parts[0].is_texts() &&
                      (part.is_texts() || part.tensor("")->dtype == parts[0].tensor("")->dtype);
    if (!same) runtime_error("Concatenate: got ", parts[0], " and ", part, "; need one dtype");
  }
}

Item joined_texts(const Row& parts) {
  Texts result = parts[0].texts("Concatenate");
  for (size_t i = 1; i < parts.size(); ++i) {
    const Texts& part = parts[i].texts("Concatenate");
    result.binary = result.binary || part.binary;
    result.values.insert(result.values.end(), part.values.begin(), part.values.end());
  }
  result.shape = {static_cast<int64_t>(result.values.size())};
  return result;
}

Item joined_numbers(const Row& parts) {
  int64_t count = 0;
  for (const Item& part : parts) count += part.tensor("")->size();
  Tensor result = empty(parts[0].tensor("")->dtype, {count});
  char* to = result->as<char>();
  for (const Item& part : parts) {
    const Tensor source = contiguous(part.tensor(""));
    const auto bytes = static_cast<size_t>(source->size() * itemsize(source->dtype));
    if (bytes) std::memcpy(to, source->data, bytes);
    to += bytes;
  }
  return result;
}

/// A constant at one end: an array or texts, or nothing.
Row constant_of(const Attributes& attributes, const std::string& name) {
  if (attributes.has(name)) return {attributes.tensor(name)};
  const std::string texts = name + "_texts";
  if (!attributes.has(texts)) return {};
  Texts values{{}, attributes.texts(texts), false};
  values.shape = {static_cast<int64_t>(values.values.size())};
  return {values};
}

TransformRef make_concatenate(const Attributes& attributes) {
  return of_row([first = constant_of(attributes, "prepend"), last = constant_of(attributes, "append")](
                    Row& columns, Random&) {
    if (columns.empty()) runtime_error("Concatenate: no column was given; it takes one or more");
    columns.insert(columns.begin(), first.begin(), first.end());
    columns.insert(columns.end(), last.begin(), last.end());
    require_lists(columns);
    columns = {columns[0].is_texts() ? joined_texts(columns) : joined_numbers(columns)};
  });
}

DYAD_TRANSFORM(concatenate, make_concatenate);

}  // namespace

}  // namespace dyad::data
