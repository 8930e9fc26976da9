#include <algorithm>
#include <array>

#include "base/error.h"
#include "data/rows/transform.h"
#include "data/text/tokens.h"
#include "data/text/utf8.h"

namespace dyad::data {

namespace {

Tokens split_at_white_space(std::string_view text) {
  Tokens tokens;
  tokens.expect(text.size());
  size_t start = 0;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at, "WhitespaceTokenizer");
    if (is_white_space(c.code)) {
      if (at > start) tokens.add_part(text, start, at);
      start = at + c.size;
    }
    at += c.size;
  }
  if (text.size() > start) tokens.add_part(text, start, text.size());
  return tokens;
}

Tokens split_characters(std::string_view text) {
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    const size_t next = at + character_at(text, at, "UnicodeCharTokenizer").size;
    tokens.add_part(text, at, next);
    at = next;
  }
  return tokens;
}

/// Which script a character is of: `starts` are the first codes of runs with the same script, `scripts`
/// theirs.
class Scripts {
 public:
  Scripts(std::vector<int64_t> starts, std::vector<int64_t> scripts)
      : starts_(std::move(starts)), scripts_(std::move(scripts)) {
    DYAD_ASSERT(!starts_.empty() && starts_[0] == 0 && starts_.size() == scripts_.size());
    for (uint32_t code = 0; code < ascii_.size(); ++code) ascii_[code] = search(code);
  }
  /// White space counts as a script of its own.
  int64_t of(uint32_t code) const {
    if (is_white_space(code)) return kWhiteSpace;
    return code < ascii_.size() ? ascii_[code] : search(code);
  }
  static constexpr int64_t kWhiteSpace = -1;

 private:
  int64_t search(uint32_t code) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), int64_t{code});
    return scripts_[static_cast<size_t>(after - starts_.begin()) - 1];
  }
  std::vector<int64_t> starts_;
  std::vector<int64_t> scripts_;
  std::array<int64_t, 128> ascii_{};
};

Tokens split_scripts(std::string_view text, const Scripts& scripts, bool keep_white_space) {
  Tokens tokens;
  size_t start = 0;
  int64_t current = Scripts::kWhiteSpace;
  const auto finish = [&](size_t end) {
    if (end > start && (keep_white_space || current != Scripts::kWhiteSpace))
      tokens.add_part(text, start, end);
    start = end;
  };
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at, "UnicodeScriptTokenizer");
    const int64_t script = scripts.of(c.code);
    if (script != current) finish(at);
    current = script;
    at += c.size;
  }
  finish(text.size());
  return tokens;
}

TransformRef make_whitespace_tokenizer(const Attributes& attributes) {
  return of_row([offsets = attributes.flag("with_offsets")](Row& columns, Random&) {
    const Texts& text = text_of(columns, "WhitespaceTokenizer");
    columns = split_at_white_space(text.values[0]).columns(offsets, text.binary);
  });
}

TransformRef make_unicode_char_tokenizer(const Attributes& attributes) {
  return of_row([offsets = attributes.flag("with_offsets")](Row& columns, Random&) {
    const Texts& text = text_of(columns, "UnicodeCharTokenizer");
    columns = split_characters(text.values[0]).columns(offsets, text.binary);
  });
}

TransformRef make_unicode_script_tokenizer(const Attributes& attributes) {
  return of_row([offsets = attributes.flag("with_offsets"), keep = attributes.flag("keep_whitespace"),
                 scripts = Scripts(attributes.integers("starts"), attributes.integers("scripts"))](
                    Row& columns, Random&) {
    const Texts& text = text_of(columns, "UnicodeScriptTokenizer");
    columns = split_scripts(text.values[0], scripts, keep).columns(offsets, text.binary);
  });
}

DYAD_TRANSFORM(whitespace_tokenizer, make_whitespace_tokenizer);
DYAD_TRANSFORM(unicode_char_tokenizer, make_unicode_char_tokenizer);
DYAD_TRANSFORM(unicode_script_tokenizer, make_unicode_script_tokenizer);

}  // namespace

}  // namespace dyad::data
