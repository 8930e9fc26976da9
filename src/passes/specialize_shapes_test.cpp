#include "passes/specialize_shapes.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string specialized(std::string_view text, const std::vector<Shape>& params) {
  const auto module = read(text);
  if (!specialize_shapes(*module, params)) return "refused";
  ir::verify(*module);
  return "\n" + ir::print(*module);
}

TEST(SpecializeShapes, WritesSizesAndNumbers) {
  EXPECT_EQ(specialized(R"(
func @main(%x: float32[n, 2], %y: float32[m]) -> (%5, %6) {
  %1: float32[(n * 2)] = reshape(%x, shape=[(n * 2)])
  %2: number int64 = dim(size=[n])
  %3: number int64 = number_add(%2, other=1)
  %4: float32[(n * 2)] = mul(%1, %3)
  %5: float32[(m + (n * 2))] = concat((%4, %y), axis=0)
  %c: number bool_ = number_lt(%3, other=3)
  %6: float32[k] = if %c then @yes else @no(%y)
}
func @yes(%y: float32[k]) -> (%1) {
  %1: float32[k] = exp(%y)
}
func @no(%y: float32[k]) -> (%y) {
})",
                        {{3, 2}, {4}}),
            R"(
func @main(%x: float32[3, 2], %y: float32[4]) -> (%5, %6) {
  %1: float32[6] = reshape(%x, shape=[6])
  %2: number int64 = constant 3
  %3: number int64 = constant 4
  %4: float32[6] = mul(%1, %3)
  %5: float32[10] = concat((%4, %y), axis=0)
  %c: number bool_ = constant false
  %6: float32[4] = call @no(%y)
}
func @yes(%y: float32[k]) -> (%1) {
  %1: float32[k] = exp(%y)
}
func @no(%y: float32[4]) -> (%y) {
}
)");
}

TEST(SpecializeShapes, AnArmThatIsNotTakenMayHaveOtherSizes) {
  EXPECT_EQ(specialized(R"(
func @main(%x: float32[n]) -> (%2) {
  %1: number int64 = dim(size=[n])
  %c: number bool_ = number_eq(%1, other=0)
  %2: float32[n] = if %c then @empty else @full(%x)
}
func @empty(%y: float32[n]) -> (%1) {
  %1: float32[0] = full(shape=[0], value=1, dtype=float32)
}
func @full(%y: float32[n]) -> (%1) {
  %1: float32[n] = exp(%y)
})",
                        {{6}}),
            R"(
func @main(%x: float32[6]) -> (%2) {
  %1: number int64 = constant 6
  %c: number bool_ = constant false
  %2: float32[6] = call @full(%x)
}
func @empty(%y: float32[n]) -> (%1) {
  %1: float32[0] = full(shape=[0], value=1, dtype=float32)
}
func @full(%y: float32[6]) -> (%1) {
  %1: float32[6] = exp(%y)
}
)");
}

TEST(SpecializeShapes, RefusesWhatDataDecides) {
  constexpr std::string_view text = R"(
func @main(%x: float32[n]) -> (%1) {
  %1: int64[k, 1] = nonzero(%x)
})";
  EXPECT_EQ(specialized(text, {{3}}), "refused");
}

TEST(SpecializeShapes, RefusesWhatAnOperatorRefuses) {
  constexpr std::string_view text = R"(
func @main(%x: float32[n], %y: float32[m]) -> (%1) {
  %1: float32[n] = add(%x, %y)
})";
  EXPECT_EQ(specialized(text, {{3}, {3}}), R"(
func @main(%x: float32[3], %y: float32[3]) -> (%1) {
  %1: float32[3] = add(%x, %y)
}
)");
  EXPECT_EQ(specialized(text, {{3}, {4}}), "refused");
}

TEST(SpecializeShapes, FollowsALoop) {
  EXPECT_EQ(specialized(R"(
func @main(%x: float32[n]) -> (%2) {
  %1: number int64 = constant 0
  %i: number int64, %2: float32[m] = while @below do @turn(%1, %x) with ()
}
func @below(%i: number int64, %v: float32[m]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[m]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[m] = add(%v, %v)
})",
                        {{5}}),
            R"(
func @main(%x: float32[5]) -> (%2) {
  %1: number int64 = constant 0
  %i: number int64, %2: float32[5] = while @below do @turn(%1, %x) with ()
}
func @below(%i: number int64, %v: float32[5]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[5]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[5] = add(%v, %v)
}
)");
}

TEST(SpecializeShapes, RefusesAFunctionThatIsRunTwice) {
  constexpr std::string_view text = R"(
func @main(%x: float32[n]) -> (%2) {
  %1: float32[n] = call @f(%x)
  %2: float32[n] = call @f(%1)
}
func @f(%x: float32[k]) -> (%1) {
  %1: float32[k] = exp(%x)
})";
  EXPECT_EQ(specialized(text, {{3}}), "refused");
}

TEST(SpecializeShapes, RefusesALoopThatGrowsWhatItCarries) {
  constexpr std::string_view text = R"(
func @main(%b: bool_[], %x: float32[n]) -> (%1) {
  %1: float32[m] = while @test do @turn(%x) with (%b)
}
func @test(%x: float32[k], %b: bool_[]) -> (%b) {
}
func @turn(%x: float32[k], %b: bool_[]) -> (%1) {
  %1: float32[(k * 2)] = concat((%x, %x), axis=0)
})";
  EXPECT_EQ(specialized(text, {{}, {3}}), "refused");
}

}  // namespace
}  // namespace dyad::passes
