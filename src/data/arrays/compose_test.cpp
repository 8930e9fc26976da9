#include <gtest/gtest.h>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {
namespace {

TransformRef add_number(double (*draw)(Random&)) {
  return of_one("add", [draw](const Item&, Random& random) -> Item {
    return one_number(DType::kFloat64, draw(random));
  });
}

TransformRef composed(const std::string& name, std::vector<TransformRef> steps) {
  Attributes attributes;
  attributes.set("transforms", std::move(steps));
  attributes.set("probability", 1.0);
  return TransformTable::instance().make(name, attributes);
}

double applied(const TransformRef& transform, uint64_t key) {
  Row row{one_number(DType::kFloat64, 0.0)};
  Random random(key);
  transform->apply(row, random);
  return *row.at(0).tensor("test")->as<double>();
}

TEST(Compose, PartsHaveStreamsOfTheirOwn) {
  const TransformRef one = add_number([](Random& random) { return random.uniform(); });
  const TransformRef wasteful = add_number([](Random& random) {
    for (int i = 0; i < 5; ++i) random.uniform();
    return 0.0;
  });
  EXPECT_EQ(applied(composed("compose", {wasteful, one}), 7), applied(composed("compose", {one, one}), 7));
  EXPECT_NE(applied(composed("compose", {one}), 7), applied(composed("compose", {one, one}), 7));
  EXPECT_EQ(applied(composed("random_apply", {one, one}), 7), applied(composed("compose", {one, one}), 7));
}

TEST(Compose, DuplicateSharesTheColumn) {
  Row row{one_number(DType::kFloat64, 3.0)};
  Random random(0);
  TransformTable::instance().make("duplicate", {})->apply(row, random);
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0].tensor("test").get(), row[1].tensor("test").get());
  EXPECT_THROW(TransformTable::instance().make("duplicate", {})->apply(row, random), Error);
}

}  // namespace
}  // namespace dyad::data
