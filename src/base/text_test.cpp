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
