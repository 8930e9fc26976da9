#include "base/error.h"
#include "data/rows/transform.h"
#include "data/text/vocabulary.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

template <class T>
T element_from(int64_t number) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(number);
  } else {
    return T(static_cast<float>(number));
  }
}

struct Lookup {
  Vocabulary words;
  int64_t unknown;  ///< -1 where a word that is not there is an error
  DType dtype;

  int64_t number(const std::string& word) const {
    const int64_t found = words.number(word);
    if (found >= 0) return found;
    if (unknown < 0)
      runtime_error("Lookup: the word '", word, "' is not in the vocabulary; give an unknown_token");
    return unknown;
  }

  Item operator()(const Item& item, Random&) const {
    const Texts& texts = item.texts("Lookup");
    Tensor result = empty(dtype, texts.shape);
    visit_dtype(dtype, [&](auto typed) {
      using T = typename decltype(typed)::type;
      for (size_t i = 0; i < texts.values.size(); ++i)
        result->as<T>()[i] = element_from<T>(number(texts.values[i]));
    });
    return result;
  }
};

TransformRef make_lookup(const Attributes& attributes) {
  return of_one("Lookup", Lookup{Vocabulary(attributes.numbered_texts("words")),
                                 attributes.integer("unknown"), attributes.dtype("dtype")});
}

DYAD_TRANSFORM(lookup, make_lookup);

}  // namespace

}  // namespace dyad::data
