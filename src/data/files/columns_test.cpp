#include "data/files/columns.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/error.h"

namespace dyad::data {
namespace {

Tensor counting(int64_t count) {
  Tensor numbers = empty(DType::kInt32, {count});
  for (int64_t i = 0; i < count; ++i) numbers->as<int32_t>()[i] = static_cast<int32_t>(i);
  return numbers;
}

TEST(RaggedArrayColumn, GivesMatricesListsAndSingleNumbers) {
  const ColumnRef column = ragged_array_column(counting(9), {{4, 4, 8, 9}, {2, 2, 0, -1}});
  ASSERT_EQ(column->size(), 4);
  const Tensor matrix = column->read(0).tensor("test");
  EXPECT_EQ(matrix->shape, (Shape{2, 2}));
  EXPECT_EQ(matrix->as<int32_t>()[3], 3);
  EXPECT_EQ(column->read(1).shape("test"), (Shape{0, 2}));
  const Tensor list = column->read(2).tensor("test");
  EXPECT_EQ(list->shape, (Shape{4}));
  EXPECT_EQ(list->as<int32_t>()[0], 4);
  const Tensor single = column->read(3).tensor("test");
  EXPECT_TRUE(single->shape.empty());
  EXPECT_EQ(*single->as<int32_t>(), 8);
}

TEST(RaggedArrayColumn, RefusesSpansThatDoNotFit) {
  EXPECT_THROW(ragged_array_column(counting(3), {{4}, {0}}), Error);
  EXPECT_THROW(ragged_array_column(counting(3), {{2, 1}, {0, 0}}), Error);
  EXPECT_THROW(ragged_array_column(counting(3), {{3}, {2}}), Error);
  EXPECT_THROW(ragged_array_column(counting(3), {{2}, {-1}}), Error);
  EXPECT_THROW(ragged_array_column(counting(3), {{3}, {}}), Error);
}

TEST(RaggedTextColumn, GivesListsOfTexts) {
  const ColumnRef column = ragged_text_column({"a", "b", "c"}, {{1, 3}, {-1, 1}});
  EXPECT_TRUE(column->read(0).shape("test").empty());
  EXPECT_EQ(column->read(1).shape("test"), (Shape{2, 1}));
  EXPECT_EQ(column->read(1).texts("test").values.back(), "c");
}

TEST(ColumnsSource, RefusesRowsThatAreNotThere) {
  const ColumnsSource source("Test", {"x"}, {array_column(counting(2))});
  EXPECT_EQ(*source.read(1).front().tensor("test")->as<int32_t>(), 1);
  EXPECT_THROW(source.read(2), Error);
  EXPECT_THROW(source.read(-1), Error);
}

TEST(FileColumn, ReadsAFileWithItsRowAndNamesIt) {
  const std::string path = testing::TempDir() + "dyad_file_column";
  const ColumnRef column = file_column({path}, {.owner = "Test", .decrypt = nullptr, .decode = nullptr});
  std::remove(path.c_str());
  EXPECT_EQ(column->origin(0), path);
  EXPECT_THROW(column->read(0), Error);
  std::ofstream(path) << "abc";
  EXPECT_EQ(column->read(0).shape("test"), (Shape{3}));
  std::ofstream(path).close();
  try {
    column->read(0);
    FAIL() << "an empty file was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "Test: the file " + path + " is empty");
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace dyad::data
