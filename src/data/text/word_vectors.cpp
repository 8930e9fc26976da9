#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/rows/transform.h"
#include "data/text/fold.h"
#include "data/text/utf8.h"
#include "data/text/vocabulary.h"

namespace dyad::data {

namespace {

constexpr std::string_view kOwner = "ToVectors";

/// Vectors by word: line i of `table` is that of the word with number i.
struct WordVectors {
  Vocabulary words;
  Tensor table;
  Tensor unknown;
  bool lower_too;   ///< a word that is not there is looked for in lower case
  bool from_grams;  ///< a vector is the mean of those of the word's character n-grams

  int64_t width() const { return table->shape[1].value(); }
  const float* line(int64_t number) const { return table->as<const float>() + number * width(); }

  /// Whether the word has a vector, which is then in `out`.
  bool find(const std::string& word, float* out) const {
    if (from_grams) return mean_of_grams(word, out);
    const int64_t number = words.number(word);
    if (number >= 0) std::copy_n(line(number), width(), out);
    return number >= 0;
  }

  bool mean_of_grams(const std::string& word, float* out) const;
  void put(const std::string& word, float* out) const {
    if (find(word, out) || (lower_too && find(lower_ascii(word), out))) return;
    std::copy_n(unknown->as<const float>(), width(), out);
  }
};

/// The characters of a word between marks of its beginning and its end.
std::vector<std::string> marked_characters(const std::string& word) {
  std::vector<std::string> characters{"#BEGIN#"};
  for (size_t at = 0; at < word.size();) {
    const size_t size = character_at(word, at, kOwner).size;
    characters.push_back(word.substr(at, size));
    at += size;
  }
  characters.emplace_back("#END#");
  return characters;
}

bool WordVectors::mean_of_grams(const std::string& word, float* out) const {
  const std::vector<std::string> characters = marked_characters(word);
  std::vector<double> sum(static_cast<size_t>(width()));
  int64_t found = 0;
  for (size_t length = 2; length <= 4; ++length) {
    for (size_t from = 0; from + length <= characters.size(); ++from) {
      std::string gram = cat(length, "gram-");
      for (size_t i = 0; i < length; ++i) gram += characters[from + i];
      const int64_t number = words.number(gram);
      if (number < 0) continue;
      ++found;
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += line(number)[i];
    }
  }
  if (found == 0) return false;
  for (size_t i = 0; i < sum.size(); ++i) out[i] = static_cast<float>(sum[i] / static_cast<double>(found));
  return true;
}

TransformRef make_to_vectors(const Attributes& attributes) {
  WordVectors vectors{Vocabulary(attributes.numbered_texts("words")), contiguous(attributes.tensor("table")),
                      contiguous(attributes.tensor("unknown")), attributes.flag("lower_too"),
                      attributes.flag("from_grams")};
  return of_one(std::string(kOwner), [vectors = std::move(vectors)](const Item& item, Random&) -> Item {
    const Texts& texts = item.texts(kOwner);
    Shape shape = texts.shape;
    shape.push_back(vectors.width());
    Tensor result = empty(DType::kFloat32, shape);
    for (size_t i = 0; i < texts.values.size(); ++i)
      vectors.put(texts.values[i], result->as<float>() + static_cast<int64_t>(i) * vectors.width());
    return result;
  });
}

DYAD_TRANSFORM(to_vectors, make_to_vectors);

}  // namespace

}  // namespace dyad::data
