#pragma once

#include <string>

#include "data/rows/transform.h"

namespace dyad::data {

/// Changes texts as Unicode's tables say: case folding, normal forms. What that is for ASCII is done here;
/// any other text goes to `of_unicode`, a transform of the host language, which has the tables.
class Fold {
 public:
  /// From the attributes "lower" and "of_unicode".
  explicit Fold(const Attributes& attributes);
  std::string operator()(const std::string& text, bool binary) const;

 private:
  bool lower_;
  TransformRef of_unicode_;
};

/// ASCII letters in lower case, the bytes of other characters as they are.
std::string lower_ascii(std::string text);

}  // namespace dyad::data
