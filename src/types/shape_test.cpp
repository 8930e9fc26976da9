#include "types/shape.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace dyad {
namespace {

const Dim n = Dim::symbol("n");
const Dim m = Dim::symbol("m");

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(Dim, KnownDimsCompute) {
  EXPECT_EQ(Dim(7) + Dim(3), Dim(10));
  EXPECT_EQ(Dim(7) - Dim(3), Dim(4));
  EXPECT_EQ(Dim(7) * Dim(3), Dim(21));
  EXPECT_EQ(floor_div(Dim(7), Dim(3)), Dim(2));
  EXPECT_EQ(floor_div(Dim(-7), Dim(3)), Dim(-3));
  EXPECT_EQ(floor_div(Dim(-6), Dim(3)), Dim(-2));
  EXPECT_EQ(max(Dim(2), Dim(5)), Dim(5));
  EXPECT_EQ(min(Dim(2), Dim(5)), Dim(2));
}

TEST(Dim, EqualExpressionsAreOneSymbol) {
  EXPECT_EQ(Dim::symbol("n"), n);
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ(n * m, m * n);
  EXPECT_EQ(max(n, m), max(m, n));
  EXPECT_FALSE(floor_div(n, m) == floor_div(m, n));
  EXPECT_FALSE(n == m);
  EXPECT_FALSE(n == Dim(3));
}

TEST(Dim, NeutralElementsVanish) {
  EXPECT_EQ(n + 0, n);
  EXPECT_EQ(Dim(0) + n, n);
  EXPECT_EQ(n - n, Dim(0));
  EXPECT_EQ(n * 1, n);
  EXPECT_EQ(n * 0, Dim(0));
  EXPECT_EQ(floor_div(n, 1), n);
  EXPECT_EQ(floor_div(n, n), Dim(1));
  EXPECT_EQ(max(n, n), n);
}

TEST(Dim, TextReadsAsAnExpression) {
  EXPECT_EQ(to_text(n), "n");
  EXPECT_EQ(to_text(floor_div(n + 1, 2)), "((n + 1) // 2)");
  EXPECT_EQ(to_text(Shape{n, 3}), "(n, 3)");
}

TEST(Dim, FreshSymbolsDiffer) { EXPECT_FALSE(Dim::fresh("count") == Dim::fresh("count")); }

TEST(Dim, AskingASymbolForItsValueIsRefused) {
  EXPECT_EQ(message_of([] { n.value(); }), "the size n is known only when the graph runs");
}

TEST(Dim, OnlyNamedSymbolsAreSymbolicDimsOfArguments) {
  EXPECT_TRUE(n.open());
  EXPECT_FALSE(Dim(3).open());
  EXPECT_FALSE((n + 1).open());
  EXPECT_FALSE(Dim::fresh("count").open());
}

TEST(Dim, NoIntegerIsTakenForASymbol) {
  for (int64_t value : {std::numeric_limits<int64_t>::min(), -(int64_t{1} << 62), -(int64_t{1} << 62) - 5}) {
    EXPECT_TRUE(Dim(value).known()) << value;
    EXPECT_LT(Dim(value).value(), -(int64_t{1} << 61));
  }
}

TEST(Shape, Text) {
  EXPECT_EQ(to_text(Shape{}), "()");
  EXPECT_EQ(to_text(Shape{4}), "(4,)");
  EXPECT_EQ(to_text(Shape{2, 3}), "(2, 3)");
}

TEST(Shape, Sizes) {
  EXPECT_EQ(numel({}), 1);
  EXPECT_EQ(numel({2, 0, 3}), 0);
  EXPECT_EQ(size_of({n, 2}), n * 2);
  EXPECT_FALSE(all_known({n, 2}));
}

TEST(Shape, Contiguity) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_TRUE(is_contiguous({2, 3}, {3, 1}));
  EXPECT_TRUE(is_contiguous({2, 1}, {1, 77}));
  EXPECT_TRUE(is_contiguous({0, 5}, {1, 9}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(is_contiguous({3}, {-1}));
}

TEST(Broadcast, Sizes) {
  EXPECT_EQ(broadcast("op", {2, 1}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("op", {}, {2, 2}), (Shape{2, 2}));
  EXPECT_EQ(broadcast("op", {0, 3}, {1, 3}), (Shape{0, 3}));
  EXPECT_EQ(message_of([] { broadcast("add", {2, 3}, {4}); }),
            "add: shapes (2, 3) and (4,) do not broadcast: dimension 3 meets 4, sizes must be equal or one "
            "of them 1");
}

TEST(Broadcast, Symbols) {
  EXPECT_EQ(broadcast("op", {n, 1}, {m}), (Shape{n, m}));
  EXPECT_EQ(broadcast("op", {n}, {n}), Shape{n});
  EXPECT_EQ(broadcast("op", {n}, {1}), Shape{n});
  EXPECT_EQ(broadcast("op", {n}, {5}), Shape{5});
  EXPECT_EQ(broadcast("op", {n}, {m}), Shape{n});
}

TEST(Broadcast, ASizeThatMayBeOneDoesNotDecide) {
  EXPECT_EQ(broadcast("op", {n - 1}, {n}), Shape{n});
  EXPECT_EQ(broadcast("op", {n}, {n - 1}), Shape{n});
  const Dim a = n - 1;
  const Dim b = m - 1;
  EXPECT_EQ(broadcast("op", {a}, {b}), Shape{max(a, b) * min(min(a, b), 1)});
}

TEST(Broadcast, StridesStandStillAlongRepeatedDimensions) {
  EXPECT_EQ(broadcast_strides({3, 1}, {1, 1}, {2, 3, 4}), (Strides{0, 1, 0}));
  EXPECT_TRUE(broadcasts_to({3, 1}, {2, 3, 4}));
  EXPECT_FALSE(broadcasts_to({2, 3, 4}, {3, 4}));
  EXPECT_FALSE(broadcasts_to({2}, {3}));
}

TEST(Dim, SumsAndProductsStayAtTheLargestInteger) {
  const Dim huge = int64_t{1} << 62;
  EXPECT_EQ(huge + huge, Dim(INT64_MAX));
  EXPECT_EQ(huge * huge, Dim(INT64_MAX));
  EXPECT_EQ(numel({huge, 4}), INT64_MAX);
  EXPECT_EQ(numel({huge, 4, 0}), 0);
  EXPECT_EQ(contiguous_strides({2, huge, 4}), (Strides{INT64_MAX, 4, 1}));
}

TEST(NormalizeAxis, CountsFromTheFront) {
  EXPECT_EQ(normalize_axis("op", -1, 3), 2);
  EXPECT_EQ(normalize_axis("op", 2, 3), 2);
  EXPECT_EQ(normalize_axis("op", -1, 0), 0);
  EXPECT_EQ(message_of([] { normalize_axis("sum", 3, 2); }),
            "sum: axis 3 is out of range for a tensor of 2 dimensions; accepted are -2 to 1");
}

}  // namespace
}  // namespace dyad
