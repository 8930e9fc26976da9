#include <array>

#include "data/rows/transform.h"
#include "data/text/fold.h"

namespace dyad::data {

namespace {

/// Without what stands between the first '<' and the last '>' of each line.
std::string without_tags(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const size_t open = line.find('<');
    const size_t close = line.rfind('>');
    if (open < line.size() && close < line.size() && open < close) {
      result.append(line.substr(0, open)).append(" ").append(line.substr(close + 1));
    } else {
      result.append(line);
    }
    text.remove_prefix(end);
  }
  return result;
}

/// Without names of characters, "&amp;".
std::string without_entities(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t open = std::min(text.find('&'), text.size());
    result.append(text.substr(0, open));
    text.remove_prefix(open);
    const size_t close = text.find(';');
    if (text.empty()) break;
    result.push_back(' ');
    text.remove_prefix(close == std::string_view::npos ? 1 : close + 1);
  }
  return result;
}

constexpr std::array<std::string_view, 10> kDigits = {"zero", "one", "two",   "three", "four",
                                                      "five", "six", "seven", "eight", "nine"};

/// Lower-case letters in words with one space between them, digits being words.
std::string words_of(const std::string& text) {
  std::string result;
  bool apart = false;
  const auto put = [&](std::string_view letters) {
    if (apart && !result.empty()) result.push_back(' ');
    result.append(letters);
    apart = false;
  };
  for (const char& c : text) {
    if (c >= 'a' && c <= 'z') {
      put({&c, 1});
    } else if (c >= '0' && c <= '9') {
      apart = true;
      put(kDigits[static_cast<size_t>(c - '0')]);
      apart = true;
    } else {
      apart = true;
    }
  }
  return result;
}

std::string plain_text(const std::string& text) {
  if (text.find("#REDIRECT") != std::string::npos) return {};
  return words_of(lower_ascii(without_entities(without_tags(text))));
}

TransformRef make_filter_wikipedia_xml(const Attributes&) {
  return of_one("FilterWikipediaXML", [](const Item& item, Random&) -> Item {
    Texts texts = item.texts("FilterWikipediaXML");
    for (std::string& text : texts.values) text = plain_text(text);
    return texts;
  });
}

DYAD_TRANSFORM(filter_wikipedia_xml, make_filter_wikipedia_xml);

}  // namespace

}  // namespace dyad::data
