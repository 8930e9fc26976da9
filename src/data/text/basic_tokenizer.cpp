#include "data/text/basic_tokenizer.h"

#include <algorithm>
#include <array>

#include "data/text/utf8.h"
#include "data/text/wordpiece.h"

namespace dyad::data {

namespace {

constexpr std::array<std::string_view, 5> kSpecialTokens = {"[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"};

/// The bytes of a token that BERT's vocabularies reserve, "[CLS]" or "[unused7]", at `at`; 0 if there is
/// none.
size_t special_size(std::string_view text, size_t at) {
  if (text[at] != '[') return 0;
  const std::string_view rest = text.substr(at);
  for (const std::string_view token : kSpecialTokens)
    if (rest.starts_with(token)) return token.size();
  constexpr std::string_view kUnused = "[unused";
  if (!rest.starts_with(kUnused)) return 0;
  size_t end = kUnused.size();
  while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
  return end > kUnused.size() && end < rest.size() && rest[end] == ']' ? end + 1 : 0;
}

bool is_ascii_punctuation(uint32_t code) {
  return (code >= '!' && code <= '/') || (code >= ':' && code <= '@') || (code >= '[' && code <= '`') ||
         (code >= '{' && code <= '~');
}

}  // namespace

BasicTokenizer::BasicTokenizer(const Attributes& attributes)
    : fold_(attributes),
      lower_(attributes.flag("lower")),
      keep_white_space_(attributes.flag("keep_whitespace")),
      preserve_(attributes.flag("preserve_unused_token")),
      punctuation_(attributes.integers("punctuation")) {}

bool BasicTokenizer::is_punctuation(uint32_t code) const {
  if (code < 0x80) return is_ascii_punctuation(code);
  const auto after = std::upper_bound(punctuation_.begin(), punctuation_.end(), int64_t{code});
  const auto place = static_cast<size_t>(after - punctuation_.begin());
  return place % 2 == 1 || (place > 0 && punctuation_[place - 1] == code);
}

std::string BasicTokenizer::folded_ascii(const std::string& text) const {
  std::string result = text;
  for (size_t at = 0; at < result.size();) {
    const size_t special = preserve_ && lower_ ? special_size(text, at) : 0;
    const char c = text[at];
    if (special == 0 && (c < ' ' || c == 0x7f)) result[at] = ' ';
    if (special == 0 && lower_ && c >= 'A' && c <= 'Z') result[at] = static_cast<char>(c - 'A' + 'a');
    at += std::max<size_t>(special, 1);
  }
  return result;
}

std::string BasicTokenizer::folded(const std::string& text, bool binary) const {
  return is_ascii(text) ? folded_ascii(text) : fold_(text, binary);
}

Tokens BasicTokenizer::split(const std::string& given, bool binary, std::string_view owner) const {
  const std::string text = folded(given, binary);
  Tokens tokens;
  size_t start = 0;  // of the word, or of the white space, that is being read
  bool in_space = false;
  const auto finish = [&](size_t end) {
    if (end > start && (!in_space || keep_white_space_)) tokens.add_part(text, start, end);
    start = end;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t special = preserve_ ? special_size(text, at) : 0;
    const Character c = character_at(text, at, owner);
    const bool space = is_white_space(c.code);
    const bool alone = special > 0 || is_punctuation(c.code) || is_ideograph(c.code);
    if (alone || space != in_space) finish(at);
    in_space = space;
    at += special > 0 ? special : c.size;
    if (alone) finish(at);
  }
  finish(text.size());
  return tokens;
}

namespace {

TransformRef make_basic_tokenizer(const Attributes& attributes) {
  return of_row(
      [basic = BasicTokenizer(attributes), offsets = attributes.flag("with_offsets")](Row& columns, Random&) {
        const Texts& text = text_of(columns, "BasicTokenizer");
        columns = basic.split(text.values[0], text.binary, "BasicTokenizer").columns(offsets, text.binary);
      });
}

TransformRef make_bert_tokenizer(const Attributes& attributes) {
  return of_row([basic = BasicTokenizer(attributes), pieces = Wordpiece(attributes),
                 offsets = attributes.flag("with_offsets")](Row& columns, Random&) {
    const Texts& text = text_of(columns, "BertTokenizer");
    const Tokens words = basic.split(text.values[0], text.binary, "BertTokenizer");
    Tokens tokens;
    for (size_t i = 0; i < words.size(); ++i)
      pieces.split(words.text(i), words.start(i), tokens, "BertTokenizer");
    columns = std::move(tokens).columns(offsets, text.binary);
  });
}

DYAD_TRANSFORM(basic_tokenizer, make_basic_tokenizer);
DYAD_TRANSFORM(bert_tokenizer, make_bert_tokenizer);

}  // namespace

}  // namespace dyad::data
