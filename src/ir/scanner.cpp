#include "ir/scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/error.h"

namespace dyad::ir {

namespace {
bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#' || c == '.';
}
}  // namespace

void Scanner::skip_space() {
  while (!at_end() && std::isspace(static_cast<unsigned char>(next()))) ++position_;
}

bool Scanner::take(std::string_view mark) {
  if (!sees(mark)) return false;
  position_ += mark.size();
  skip_space();
  return true;
}

void Scanner::expect(std::string_view mark) {
  if (!take(mark)) fail("expected '", mark, "'");
}

bool Scanner::take_word(std::string_view word) {
  const size_t end = position_ + word.size();
  if (!sees(word) || (end < text_.size() && in_word(text_[end]))) return false;
  return take(word);
}

std::string Scanner::word(std::string_view what) {
  const size_t begin = position_;
  while (in_word(next())) ++position_;
  if (position_ == begin) fail("expected ", what);
  std::string found(text_.substr(begin, position_ - begin));
  skip_space();
  return found;
}

std::string Scanner::quoted() {
  if (next() != '"') fail("expected a text in quotes");
  ++position_;
  std::string out;
  while (next() != '"') {
    if (at_end()) fail("a text in quotes does not end");
    if (next() == '\\') {
      ++position_;
      out += next() == 'n' ? '\n' : next();
    } else {
      out += next();
    }
    ++position_;
  }
  ++position_;
  skip_space();
  return out;
}

int64_t Scanner::integer() {
  const std::string text = number();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail("'", text, "' is no integer");
  return value;
}

bool Scanner::sees_number() const {
  const char c = next();
  return std::isdigit(static_cast<unsigned char>(c)) || c == '-' || sees("inf") || sees("nan");
}

std::string Scanner::number() {
  const size_t begin = position_;
  if (next() == '-') ++position_;
  while (std::isalnum(static_cast<unsigned char>(next())) || next() == '.' ||
         ((next() == '-' || next() == '+') && text_[position_ - 1] == 'e')) {
    ++position_;
  }
  if (position_ == begin) fail("expected a number");
  std::string found(text_.substr(begin, position_ - begin));
  skip_space();
  return found;
}

void Scanner::fail_with(const std::string& what) const {
  const std::string_view before = text_.substr(0, position_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  std::string_view rest = text_.substr(position_);
  rest = rest.substr(0, std::min<size_t>(rest.find('\n'), 24));
  value_error("parse: line ", line, ", column ", position_ - start + 1, ": ", what, "; found '", rest, "'");
}

}  // namespace dyad::ir
