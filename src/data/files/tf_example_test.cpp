#include "data/files/tf_example.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dyad::data {
namespace {

std::string field(char number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string example(const std::string& list) { return field(1, field(1, field(1, "x") + field(2, list))); }

Feature parse(const std::string& list) {
  static std::string kept;
  kept = example(list);
  std::vector<Feature> features;
  EXPECT_TRUE(parse_example(kept, features));
  EXPECT_EQ(features.size(), 1U);
  return features.at(0);
}

TEST(TfExample, ReadsNumbersPackedAndOneByOne) {
  EXPECT_EQ(parse(field(3, field(1, "\x01\x02"))).integers, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(parse(field(3, "\x08\x01\x08\x02")).integers, (std::vector<int64_t>{1, 2}));
  const std::string one("\x00\x00\x80\x3F", 4);
  EXPECT_EQ(parse(field(2, field(1, one + one))).floats, (std::vector<float>{1, 1}));
  EXPECT_EQ(parse(field(2, "\x0D" + one)).floats, (std::vector<float>{1}));
  EXPECT_EQ(parse(field(2, field(1, ""))).floats, (std::vector<float>{}));
  EXPECT_EQ(parse("").kind, Feature::Kind::kNone);
}

TEST(TfExample, RefusesWhatIsNone) {
  std::vector<Feature> features;
  for (const std::string& broken : {example(field(2, field(1, "abc"))), example(field(3, field(1, "\x80"))),
                                    example(field(3,
                                                  "\x0D"
                                                  "abcd")),
                                    std::string("\x08\x01"),
                                    std::string("\x0A\x05"
                                                "a")})
    EXPECT_FALSE(parse_example(broken, features));
}

TEST(TfExample, MakesItemsAsTheColumnSays) {
  const Feature numbers = parse(field(3, field(1, "\x01\x02\x03\x04")));
  const Item item = feature_item(numbers, {"x", "int8", true, {2, -1}}, "here");
  EXPECT_EQ(item.tensor("test")->shape, (Shape{2, 2}));
  EXPECT_EQ(item.tensor("test")->dtype, DType::kInt8);
  EXPECT_THROW(feature_item(numbers, {"x", "int8", true, {3}}, "here"), Error);
  EXPECT_THROW(feature_item(numbers, {"x", "float32", false, {}}, "here"), Error);
  const Feature texts = parse(field(1, field(1, "ab") + field(1, "c")));
  EXPECT_EQ(feature_item(texts, {"x", "string", false, {}}, "here").texts("test").values[1], "c");
  EXPECT_EQ(feature_item(texts, {"x", "", false, {}}, "here").tensor("test")->shape, (Shape{4}));
}

TEST(TfExample, RefusesIntegersThatDoNotFit) {
  const Feature large = parse(field(3, field(1, "\x80\x02")));
  EXPECT_THROW(feature_item(large, {"x", "uint8", false, {}}, "here"), Error);
  EXPECT_NO_THROW(feature_item(large, {"x", "uint16", false, {}}, "here"));
}

}  // namespace
}  // namespace dyad::data
