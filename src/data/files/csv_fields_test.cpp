#include "data/files/csv_fields.h"

#include <gtest/gtest.h>

namespace dyad::data {
namespace {

using Fields = std::vector<std::string>;

Fields split(std::string_view record, char delimiter = ',') {
  Fields fields;
  EXPECT_EQ(split_csv_record(record, delimiter, fields), "") << record;
  return fields;
}

std::string fault(std::string_view record) {
  Fields fields;
  return split_csv_record(record, ',', fields);
}

TEST(CsvFields, SplitsPlainAndQuotedFields) {
  EXPECT_EQ(split("a,b"), (Fields{"a", "b"}));
  EXPECT_EQ(split(""), (Fields{""}));
  EXPECT_EQ(split(",a,"), (Fields{"", "a", ""}));
  EXPECT_EQ(split("\"a,\"\"b\"\"\n\",\"\""), (Fields{"a,\"b\"\n", ""}));
  EXPECT_EQ(split("a;b,c", ';'), (Fields{"a", "b,c"}));
}

TEST(CsvFields, SaysWhatIsWrong) {
  EXPECT_EQ(fault("a,\"b"), "the quote that opens field 2 is not closed");
  EXPECT_EQ(fault("\"a\"b,c"),
            "field 1 goes on after its closing quote; a quote in a field is written twice");
  EXPECT_EQ(fault("a\"b"), "field 1 has a quote inside; such a field is written in quotes");
}

TEST(CsvFields, EndsRecordsAtLineEndsOutsideOfQuotes) {
  const std::string_view text = "a,\"x\ny\"\r\nb";
  EXPECT_EQ(csv_record_end(text, 0), 7U);
  EXPECT_EQ(csv_record_end(text, 9), text.size());
  EXPECT_EQ(csv_record_end("\"never closed\n", 0), 14U);
}

}  // namespace
}  // namespace dyad::data
