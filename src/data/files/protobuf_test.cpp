#include "data/files/protobuf.h"

#include <gtest/gtest.h>

#include <string>

namespace dyad::data {
namespace {

TEST(WireReader, WalksOverFieldsOfEveryKind) {
  const std::string message(
      "\x08\x96\x01\x12\x03"
      "abc"
      "\x1D\x01\x00\x00\x00\x21\x02\x00\x00\x00\x00\x00\x00\x00",
      22);
  WireReader reader(message);
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 1U);
  EXPECT_EQ(field.value, 150U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.bytes, "abc");
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.kind, WireField::Kind::kFixed32);
  EXPECT_EQ(field.value, 1U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.kind, WireField::Kind::kFixed64);
  EXPECT_EQ(field.value, 2U);
  EXPECT_FALSE(reader.next(field));
  EXPECT_FALSE(reader.broken());
}

TEST(WireReader, StopsAtBytesThatAreNoField) {
  for (const std::string& message : {std::string("\x08"),
                                     std::string("\x12\x05"
                                                 "ab"),
                                     std::string("\x0B"), std::string(11, '\xFF'), std::string("\x1D\x01"),
                                     std::string("\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")}) {
    WireReader reader(message);
    WireField field;
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.broken());
    EXPECT_FALSE(reader.next(field));
  }
}

}  // namespace
}  // namespace dyad::data
