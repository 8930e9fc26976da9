#include "data/pipeline/stack.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace dyad::data {
namespace {

const std::vector<std::string> no_names;

Tensor filled(const Shape& shape, float first) {
  Tensor tensor = empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor->size(); ++i) tensor->as<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

std::vector<float> values(const Item& item) {
  const TensorImpl& tensor = *item.tensor("test");
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

Row stacked(const std::vector<Item>& column, const std::vector<Padding>* padding = nullptr) {
  Stack stack("batch", column.size(), padding, no_names);
  for (const Item& item : column) stack.add({item});
  return stack.finish();
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "nothing was raised";
}

TEST(Stack, PutsRowsBesideEachOther) {
  const Row batch = stacked({filled({2}, 0), filled({2}, 10)});
  EXPECT_EQ(batch[0].tensor("test")->shape, (Shape{2, 2}));
  EXPECT_EQ(values(batch[0]), (std::vector<float>{0, 1, 10, 11}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(batch[0].tensor("test")->data) % 64, 0u);
}

TEST(Stack, ReadsRowsThatAreNotContiguous) {
  const Tensor base = filled({2, 3}, 0);
  const Tensor turned = make_view(*base, base->dtype, {3, 2}, {1, 3}, 0);
  EXPECT_EQ(values(stacked({turned})[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(Stack, ShapesAndDtypesMustAgree) {
  EXPECT_EQ(
      refusal([] { stacked({filled({2}, 0), filled({3}, 0)}); }),
      "batch: column 0 has rows of float32 (2,) and float32 (3,); rows of a batch need the same dtype and "
      "shape, padded_batch pads unequal shapes");
  EXPECT_NE(refusal([] { stacked({filled({}, 0), one_number<int64_t>(DType::kInt64, 1)}); }).find("int64 ()"),
            std::string::npos);
  EXPECT_NE(refusal([] { stacked({filled({}, 0), one_text("a")}); }).find("text ()"), std::string::npos);
  EXPECT_NE(refusal([] { stacked({one_text("a"), filled({}, 0)}); }).find("float32 ()"), std::string::npos);
  EXPECT_NE(refusal([] { stacked({one_text("a"), one_text("a", true)}); }).find("bytes ()"),
            std::string::npos);
}

TEST(Stack, ObjectsAreRefusedWithTheNameOfTheColumn) {
  const std::vector<std::string> names{"label"};
  Stack stack("batch", 1, nullptr, names);
  const Item object{std::shared_ptr<const HostObject>(std::make_shared<HostObject>())};
  EXPECT_NE(refusal([&] { stack.add({object}); }).find("column 'label'"), std::string::npos);
}

TEST(Stack, RowsNeedTheSameColumns) {
  Stack stack("batch", 2, nullptr, no_names);
  stack.add({filled({}, 0)});
  EXPECT_NE(refusal([&] { stack.add({filled({}, 0), filled({}, 0)}); }).find("2 columns"), std::string::npos);
}

TEST(Stack, TextsAreStackedAsTexts) {
  const Texts batch = stacked({one_text("a"), one_text("bc")})[0].texts("test");
  EXPECT_EQ(batch.shape, Shape{2});
  EXPECT_EQ(batch.values, (std::vector<std::string>{"a", "bc"}));
}

TEST(Padding, FillsUpToTheLargest) {
  const std::vector<Padding> open{{true, {}, 9, ""}};
  const Row batch = stacked({filled({1, 2}, 0), filled({2, 1}, 10), filled({0, 0}, 0)}, &open);
  EXPECT_EQ(batch[0].tensor("test")->shape, (Shape{3, 2, 2}));
  EXPECT_EQ(values(batch[0]), (std::vector<float>{0, 1, 9, 9, 10, 9, 11, 9, 9, 9, 9, 9}));
}

TEST(Padding, CutsWhatIsTooLong) {
  const std::vector<Padding> fixed{{true, {{2, -1}}, 0, ""}};
  const Row batch = stacked({filled({3, 1}, 0), filled({1, 2}, 10)}, &fixed);
  EXPECT_EQ(batch[0].tensor("test")->shape, (Shape{2, 2, 2}));
  EXPECT_EQ(values(batch[0]), (std::vector<float>{0, 0, 1, 0, 10, 11, 0, 0}));
}

TEST(Padding, NumbersWithoutDimensionsNeedNone) {
  const std::vector<Padding> open{{true, {}, 9, ""}};
  EXPECT_EQ(values(stacked({filled({}, 1), filled({}, 2)}, &open)[0]), (std::vector<float>{1, 2}));
}

TEST(Padding, FillsTexts) {
  const std::vector<Padding> open{{true, {}, 0, "-"}};
  const Texts a{{2, 1}, {"a", "b"}, false};
  const Texts b{{1, 2}, {"c", "d"}, false};
  const Texts batch = stacked({a, b}, &open)[0].texts("test");
  EXPECT_EQ(batch.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(batch.values, (std::vector<std::string>{"a", "-", "b", "-", "c", "d", "-", "-"}));
}

TEST(Padding, NumbersOfDimensionsMustAgree) {
  const std::vector<Padding> open{{true, {}, 0, ""}};
  EXPECT_NE(refusal([&] { stacked({filled({1}, 0), filled({1, 1}, 0)}, &open); }).find("(1,) and (1, 1)"),
            std::string::npos);
  const std::vector<Padding> fixed{{true, {{2}}, 0, ""}};
  EXPECT_NE(refusal([&] { stacked({filled({1, 1}, 0)}, &fixed); }).find("1 sizes"), std::string::npos);
}

}  // namespace
}  // namespace dyad::data
