#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace dyad {
namespace {

TEST(Text, WritesValuesAsPythonDoes) {
  EXPECT_EQ(cat("a", 'b', std::string("c"), 1, -2L, 3u), "abc1-23");
  EXPECT_EQ(cat(true, " ", false), "True False");
  EXPECT_EQ(cat(1.0, " ", 0.5, " ", 1e30, " ", -2.0f), "1.0 0.5 1e+30 -2.0");
  EXPECT_EQ(cat(std::numeric_limits<double>::infinity(), " ", -std::numeric_limits<double>::infinity()),
            "inf -inf");
  EXPECT_EQ(cat(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(cat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(cat(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(cat(), "");
}

TEST(Error, KeepsKindAndMessage) {
  try {
    value_error("add: ", 3, " is wrong");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kValue);
    EXPECT_STREQ(error.what(), "add: 3 is wrong");
  }
}

TEST(Error, KeepsOwnerAndTextApart) {
  const Error error(ErrorKind::kValue, "add: x: 3 is wrong");
  EXPECT_EQ(error.owner(), "add");
  EXPECT_EQ(error.text(), "x: 3 is wrong");
  EXPECT_EQ(error.message_of("sub"), "sub: x: 3 is wrong");
  const Error call(ErrorKind::kType, "add() takes 2 arguments");
  EXPECT_TRUE(call.about_call());
  EXPECT_EQ(call.owner(), "add");
  EXPECT_EQ(call.message_of("sub"), "sub() takes 2 arguments");
  for (const char* message : {"the size n: 3", "add:3", "'add': 3", "", "add"}) {
    const Error unowned(ErrorKind::kValue, message);
    EXPECT_EQ(unowned.owner(), "");
    EXPECT_EQ(unowned.text(), message);
    EXPECT_EQ(unowned.message(), message);
  }
}

TEST(Error, ReversedMessageKeepsFields) {
  reverse_messages(true);
  const Error error(ErrorKind::kCapture, "add", "x is wrong", BreakKind::kCondition);
  reverse_messages(false);
  EXPECT_EQ(error.message(), "gnorw si x :dda");
  EXPECT_EQ(error.owner(), "add");
  EXPECT_EQ(error.text(), "x is wrong");
  EXPECT_EQ(error.break_kind(), BreakKind::kCondition);
}

TEST(Error, AssertNamesConditionAndPlace) {
  try {
    DYAD_ASSERT(1 + 1 == 3);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_NE(error.message().find("1 + 1 == 3 does not hold at src/base/text_test.cpp:"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace dyad
