#include "data/text/fold.h"

#include "base/error.h"
#include "data/text/utf8.h"

namespace dyad::data {

Fold::Fold(const Attributes& attributes) : lower_(attributes.flag("lower")) {
  const auto given = attributes.transforms("of_unicode");
  DYAD_ASSERT(given.size() == 1);
  of_unicode_ = given[0];
}

std::string Fold::operator()(const std::string& text, bool binary) const {
  if (is_ascii(text)) return lower_ ? lower_ascii(text) : text;
  Row columns{one_text(text, binary)};
  Random none(0);
  of_unicode_->apply(columns, none);
  return columns.at(0).texts("fold").values.at(0);
}

std::string lower_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

namespace {

TransformRef make_fold(const Attributes& attributes) {
  return of_one(
      attributes.text("owner"),
      [name = attributes.text("owner"), fold = Fold(attributes)](const Item& item, Random&) -> Item {
        Texts texts = item.texts(name);
        for (std::string& text : texts.values) text = fold(text, texts.binary);
        return texts;
      });
}

DYAD_TRANSFORM(fold, make_fold);

}  // namespace

}  // namespace dyad::data
