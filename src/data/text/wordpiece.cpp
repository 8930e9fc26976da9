#include "data/text/wordpiece.h"

#include "base/error.h"
#include "data/rows/transform.h"
#include "data/text/utf8.h"

namespace dyad::data {

Wordpiece::Wordpiece(const Attributes& attributes)
    : first_(attributes.numbered_texts("words")),
      mark_(attributes.text("suffix_indicator")),
      unknown_(attributes.text("unknown_token")),
      longest_(static_cast<size_t>(attributes.integer("max_bytes_per_token"))) {
  for (const auto& [word, number] : attributes.numbered_texts("words"))
    if (word.starts_with(mark_)) later_.add(word.substr(mark_.size()), number);
}

size_t Wordpiece::piece_end(std::string_view word, size_t start, std::string_view owner) const {
  size_t longest = start;
  const Vocabulary& words = start == 0 ? first_ : later_;
  for (size_t end = start; end < word.size();) {
    end += character_at(word, end, owner).size;
    if (words.has(word.substr(start, end - start))) longest = end;
  }
  return longest;
}

void Wordpiece::split(std::string_view word, size_t offset, Tokens& tokens, std::string_view owner) const {
  std::vector<size_t> ends;
  bool known = word.size() <= longest_;
  for (size_t at = 0; known && at < word.size(); at = ends.back()) {
    ends.push_back(piece_end(word, at, owner));
    known = ends.back() > at;
  }
  if (!known) {
    tokens.add(unknown_.empty() ? std::string(word) : unknown_, offset, offset + word.size());
    return;
  }
  size_t start = 0;
  for (const size_t end : ends) {
    const std::string_view piece = word.substr(start, end - start);
    tokens.add(start == 0 ? std::string(piece) : cat(mark_, piece), offset + start, offset + end);
    start = end;
  }
}

namespace {

constexpr std::string_view kOwner = "WordpieceTokenizer";

TransformRef make_wordpiece_tokenizer(const Attributes& attributes) {
  return of_row(
      [pieces = Wordpiece(attributes), offsets = attributes.flag("with_offsets")](Row& columns, Random&) {
        if (columns.size() != 1)
          runtime_error(kOwner, ": ", columns.size(), " columns were given; it takes one column");
        const Texts& words = columns[0].texts(kOwner);
        if (words.shape.size() > 1)
          runtime_error(kOwner, ": got ", columns[0], "; it takes a text or a list of texts");
        Tokens tokens;
        for (const std::string& word : words.values) pieces.split(word, 0, tokens, kOwner);
        columns = std::move(tokens).columns(offsets, words.binary);
      });
}

DYAD_TRANSFORM(wordpiece_tokenizer, make_wordpiece_tokenizer);

}  // namespace

}  // namespace dyad::data
