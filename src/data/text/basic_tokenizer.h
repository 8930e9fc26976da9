#pragma once

#include <vector>

#include "data/text/fold.h"
#include "data/text/tokens.h"

namespace dyad::data {

/// Splits a text at white space, punctuation and Chinese characters, the latter two being tokens themselves,
/// after it was folded. Offsets are those in the folded text.
class BasicTokenizer {
 public:
  explicit BasicTokenizer(const Attributes& attributes);
  Tokens split(const std::string& text, bool binary, std::string_view owner) const;

 private:
  std::string folded(const std::string& text, bool binary) const;
  std::string folded_ascii(const std::string& text) const;
  bool is_punctuation(uint32_t code) const;

  Fold fold_;
  bool lower_;
  bool keep_white_space_;
  bool preserve_;
  std::vector<int64_t> punctuation_;  ///< first and last code of each run of punctuation
};

}  // namespace dyad::data
