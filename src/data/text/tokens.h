#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/rows/item.h"

namespace dyad::data {

/// Parts of a text with the bytes from which and up to which each stands in it.
class Tokens {
 public:
  void add(std::string token, size_t start, size_t end) {
    texts_.push_back(std::move(token));
    starts_.push_back(static_cast<uint32_t>(start));
    ends_.push_back(static_cast<uint32_t>(end));
  }
  /// The bytes from `start` to `end` of the text.
  void add_part(std::string_view text, size_t start, size_t end) {
    add(std::string(text.substr(start, end - start)), start, end);
  }
  /// Makes room for about as many tokens as a text of that many bytes has.
  void expect(size_t bytes) {
    constexpr size_t kBytesPerToken = 6;
    const size_t count = bytes / kBytesPerToken + 1;
    texts_.reserve(count);
    starts_.reserve(count);
    ends_.reserve(count);
  }
  size_t size() const { return texts_.size(); }
  const std::string& text(size_t i) const { return texts_[i]; }
  size_t start(size_t i) const { return starts_[i]; }
  size_t end(size_t i) const { return ends_[i]; }
  /// The columns of a tokenizer: the tokens, and with offsets the starts and the ends as uint32. A text
  /// without tokens has one empty token.
  Row columns(bool with_offsets, bool binary) &&;

 private:
  std::vector<std::string> texts_;
  std::vector<uint32_t> starts_;
  std::vector<uint32_t> ends_;
};

/// The one text of the one column that a tokenizer takes; anything else is a RuntimeError or a TypeError in
/// the name of `owner`.
const Texts& text_of(const Row& columns, std::string_view owner);

}  // namespace dyad::data
