#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace dyad::ir {

/// Reads the words, marks and numbers of a graph's text, and says where it is when it meets something else.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { skip_space(); }

  bool at_end() const { return position_ == text_.size(); }
  bool sees(std::string_view mark) const { return text_.substr(position_).starts_with(mark); }
  /// Takes the mark if it is next.
  bool take(std::string_view mark);
  void expect(std::string_view mark);
  /// Takes the word if it is next and ends there.
  bool take_word(std::string_view word);
  /// Letters, digits and `_`, `#`, `.`; at least one.
  std::string word(std::string_view what);
  std::string quoted();
  int64_t integer();
  /// The text of a number: digits, sign, point, exponent, `inf`, `nan`.
  std::string number();
  bool sees_number() const;
  /// Passes over one character, and the space after it.
  void skip_one() {
    ++position_;
    skip_space();
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    fail_with(cat(parts...));
  }

 private:
  void skip_space();
  char next() const { return at_end() ? '\0' : text_[position_]; }
  [[noreturn]] void fail_with(const std::string& what) const;

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace dyad::ir
