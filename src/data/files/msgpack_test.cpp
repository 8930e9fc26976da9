#include "data/files/msgpack.h"

#include <gtest/gtest.h>

#include <string>

namespace dyad::data {
namespace {

using Kind = PackedValue::Kind;

PackedValue find(const std::string& value) {
  static std::string map;
  map = "\x82\xA1z\xC0\xA1k" + value;
  PackedValue found;
  EXPECT_TRUE(find_packed(map, "k", found));
  return found;
}

TEST(Msgpack, ReadsIntegersOfEveryWidth) {
  using namespace std::string_literals;
  EXPECT_EQ(find("\x7F"s).integer, 127);
  EXPECT_EQ(find("\xE0"s).integer, -32);
  EXPECT_EQ(find("\xCC\xFF"s).integer, 255);
  EXPECT_EQ(find("\xCD\x01\x00"s).integer, 256);
  EXPECT_EQ(find("\xD0\x80"s).integer, -128);
  EXPECT_EQ(find("\xD2\xFF\xFF\xFF\xFE"s).integer, -2);
  EXPECT_EQ(find("\xD3\x80\x00\x00\x00\x00\x00\x00\x00"s).integer, INT64_MIN);
  EXPECT_EQ(find("\xCF\x80\x00\x00\x00\x00\x00\x00\x00"s).kind, Kind::kUnsigned);
}

TEST(Msgpack, ReadsTheRest) {
  using namespace std::string_literals;
  EXPECT_EQ(find("\xCA\x3F\x80\x00\x00"s).number, 1.0);
  EXPECT_EQ(find("\xCB\x3F\xE0\x00\x00\x00\x00\x00\x00"s).number, 0.5);
  EXPECT_EQ(find("\xA2hi").text, "hi");
  EXPECT_EQ(find("\xD9\x02hi").text, "hi");
  EXPECT_EQ(find("\xC3").kind, Kind::kBool);
  EXPECT_EQ(find("\x92\x01\x81\xA1q\x90").kind, Kind::kOther);
  PackedValue missing;
  ASSERT_TRUE(find_packed("\x81\xA1q\x01", "k", missing));
  EXPECT_EQ(missing.kind, Kind::kNone);
}

TEST(Msgpack, RefusesWhatIsNoMap) {
  PackedValue found;
  for (const std::string& broken :
       {std::string(), std::string("\x01"), std::string("\x81"), std::string("\x81\xA1k"),
        std::string("\x81\xA5k"), std::string("\xDF\xFF\xFF\xFF\xFF\x01"), std::string("\x81\xA1k\xC1"),
        "\x81\xA1k" + std::string(100, '\x91')})
    EXPECT_FALSE(find_packed(broken, "k", found));
}

}  // namespace
}  // namespace dyad::data
