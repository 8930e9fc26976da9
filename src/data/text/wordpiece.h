#pragma once

#include "data/rows/attributes.h"
#include "data/text/tokens.h"
#include "data/text/vocabulary.h"

namespace dyad::data {

/// Splits words into the longest pieces that a vocabulary has, from left to right. Pieces that do not begin a
/// word carry a mark before them.
class Wordpiece {
 public:
  explicit Wordpiece(const Attributes& attributes);
  /// Adds the pieces of a word that stands at `offset`; `owner` is who asks, for errors.
  void split(std::string_view word, size_t offset, Tokens& tokens, std::string_view owner) const;

 private:
  /// The end of the longest piece from `start` on; `start` if there is none.
  size_t piece_end(std::string_view word, size_t start, std::string_view owner) const;

  Vocabulary first_;  ///< what may begin a word
  Vocabulary later_;  ///< what follows, without its mark
  std::string mark_;
  std::string unknown_;
  size_t longest_;
};

}  // namespace dyad::data
