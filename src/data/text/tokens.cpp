#include "data/text/tokens.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::data {

namespace {

Tensor offsets_of(const std::vector<uint32_t>& numbers) {
  Tensor tensor = empty(DType::kUInt32, {static_cast<int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), tensor->as<uint32_t>());
  return tensor;
}

}  // namespace

Row Tokens::columns(bool with_offsets, bool binary) && {
  if (texts_.empty()) add("", 0, 0);
  Texts texts{{static_cast<int64_t>(texts_.size())}, std::move(texts_), binary};
  if (!with_offsets) return {std::move(texts)};
  return {std::move(texts), offsets_of(starts_), offsets_of(ends_)};
}

const Texts& text_of(const Row& columns, std::string_view owner) {
  if (columns.size() != 1)
    runtime_error(owner, ": ", columns.size(), " columns were given; it takes one column");
  const Texts& texts = columns[0].texts(owner);
  if (!texts.shape.empty())
    runtime_error(owner, ": got ", columns[0], "; it takes one text without dimensions");
  return texts;
}

}  // namespace dyad::data
