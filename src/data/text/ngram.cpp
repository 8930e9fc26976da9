#include <algorithm>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

struct Padding {
  std::string token;
  int64_t width;
};

struct Ngram {
  std::vector<int64_t> lengths;
  Padding left;
  Padding right;
  std::string separator;

  std::string joined(const std::vector<std::string>& words, size_t from, size_t length) const {
    std::string text = words[from];
    for (size_t i = 1; i < length; ++i) text.append(separator).append(words[from + i]);
    return text;
  }

  /// A side gets at most one word less than a gram has, so that every gram holds a word of the text.
  std::vector<std::string> padded(const std::vector<std::string>& words, int64_t length) const {
    std::vector<std::string> result(static_cast<size_t>(std::min(left.width, length - 1)), left.token);
    result.insert(result.end(), words.begin(), words.end());
    result.insert(result.end(), static_cast<size_t>(std::min(right.width, length - 1)), right.token);
    return result;
  }

  Item operator()(const Item& item, Random&) const {
    const Texts& source = item.texts("Ngram");
    if (source.shape.size() != 1) runtime_error("Ngram: got ", item, "; it takes a list of texts");
    Texts result{{}, {}, source.binary};
    for (const int64_t length : lengths) {
      const std::vector<std::string> words = padded(source.values, length);
      const auto count = static_cast<size_t>(length);
      if (words.size() < count) result.values.emplace_back();
      for (size_t from = 0; from + count <= words.size(); ++from)
        result.values.push_back(joined(words, from, count));
    }
    result.shape = {static_cast<int64_t>(result.values.size())};
    return result;
  }
};

TransformRef make_ngram(const Attributes& attributes) {
  return of_one("Ngram", Ngram{attributes.integers("lengths"),
                               {attributes.text("left_token"), attributes.integer("left_width")},
                               {attributes.text("right_token"), attributes.integer("right_width")},
                               attributes.text("separator")});
}

DYAD_TRANSFORM(ngram, make_ngram);

}  // namespace

}  // namespace dyad::data
