#include "data/rows/transform.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dyad::data {
namespace {

Item number(int64_t value) { return one_number<int64_t>(DType::kInt64, value); }
int64_t value_of(const Item& item) { return *item.tensor("test")->as<int64_t>(); }

/// Adds a number; two of them in a row are one.
class Add final : public Transform {
 public:
  explicit Add(int64_t by) : by(by) {}
  void apply(Row& columns, Random&) const override { columns[0] = number(value_of(columns[0]) + by); }
  std::shared_ptr<const Transform> followed_by(const Transform& next) const override {
    const auto* other = dynamic_cast<const Add*>(&next);
    return other ? std::make_shared<Add>(by + other->by) : nullptr;
  }
  const int64_t by;
};

TEST(Transform, NeighborsThatJoinTakeOnePass) {
  const TransformRef twice =
      of_one("Twice", [](const Item& item, Random&) { return number(2 * value_of(item)); });
  const auto fewer =
      in_fewer_passes({std::make_shared<Add>(1), std::make_shared<Add>(2), twice, std::make_shared<Add>(3)});
  ASSERT_EQ(fewer.size(), 3u);
  Row row{number(10)};
  Random random(1);
  for (const TransformRef& transform : fewer) transform->apply(row, random);
  EXPECT_EQ(value_of(row[0]), 29);
  EXPECT_TRUE(in_fewer_passes({}).empty());
}

TEST(Transform, OfOneRefusesOtherNumbersOfColumns) {
  const TransformRef same = of_one("Same", [](const Item& item, Random&) { return item; });
  Random random(1);
  for (Row row : {Row{}, Row{number(1), number(2)}}) {
    try {
      same->apply(row, random);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
    }
  }
}

TEST(Transform, OfEachDrawsTheSameForAllColumns) {
  const TransformRef draw = of_each(
      "Draw", [](const Item&, Random& random) { return number(static_cast<int64_t>(random.bits())); });
  Random random(1);
  Row row{number(0), number(0)};
  draw->apply(row, random);
  EXPECT_EQ(value_of(row[0]), value_of(row[1]));
  const int64_t first = value_of(row[0]);
  draw->apply(row, random);
  EXPECT_NE(value_of(row[0]), first);
  Row none;
  EXPECT_THROW(draw->apply(none, random), Error);
}

TEST(TransformTable, DoesNotKnowOtherNames) {
  EXPECT_THROW(TransformTable::instance().make("no such transform", {}), Error);
}

TEST(Item, TellsWhatItIsWhereAnotherKindIsMeant) {
  const Item text = one_text("a");
  EXPECT_EQ(text.texts("test").values, std::vector<std::string>{"a"});
  EXPECT_EQ(text.shape("test"), Shape{});
  try {
    text.tensor("Resize");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kType);
    EXPECT_EQ(std::string(error.what()).rfind("Resize: ", 0), 0u);
  }
  EXPECT_THROW(number(1).texts("test"), Error);
}

TEST(Item, ContiguousCopiesOnlyOtherLayouts) {
  const Tensor rows = empty(DType::kInt64, Shape{2, 3});
  for (int64_t i = 0; i < 6; ++i) rows->as<int64_t>()[i] = i;
  EXPECT_EQ(contiguous(rows)->data, rows->data);
  const Tensor turned = contiguous(make_view(*rows, rows->dtype, Shape{3, 2}, Strides{1, 3}, 0));
  const std::vector<int64_t> elements(turned->as<int64_t>(), turned->as<int64_t>() + 6);
  EXPECT_EQ(elements, (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Attributes, ReadWholeNumbersAsFloatsAndEmptyListsAsAnyKind) {
  Attributes attributes;
  attributes.set("size", int64_t{3});
  attributes.set("none", std::monostate{});
  attributes.set("list", std::vector<int64_t>{});
  attributes.set("sizes", std::vector<int64_t>{1, 2});
  attributes.set("dtype", std::string("float16"));
  EXPECT_EQ(attributes.number("size"), 3.0);
  EXPECT_EQ(attributes.numbers("sizes"), (std::vector<double>{1, 2}));
  EXPECT_TRUE(attributes.texts("list").empty());
  EXPECT_EQ(attributes.dtype("dtype"), DType::kFloat16);
  EXPECT_TRUE(attributes.has("size"));
  EXPECT_FALSE(attributes.has("none"));
  EXPECT_FALSE(attributes.has("missing"));
}

TEST(Attributes, OfAnotherKindAreAFaultOfOurs) {
  Attributes attributes;
  attributes.set("size", int64_t{3});
  for (const char* name : {"size", "missing"}) {
    try {
      attributes.text(name);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    }
  }
  EXPECT_THROW(attributes.texts("size"), Error);
}

}  // namespace
}  // namespace dyad::data
