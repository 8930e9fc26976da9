#include "passes/eliminate.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string after_elimination(std::string_view text) { return after(text, eliminate_dead_code); }

TEST(EliminateDeadCode, KeepsWhatActs) {
  EXPECT_EQ(after_elimination(R"(
func @main(%x: float32[2], %i: int64[2], %k: number int64, %t: token) -> (%x1) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = add(%1, other=1)
  %3: float32[2] = gather_elements(%x, dim=0, index=%i)
  %4: number int64 = number_floordiv(%k, other=2)
  %5: number int64 = number_and(%k, other=2)
  %6: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %c: float32[1] = constant {1.0}
  %7: token = host "print"(%t, %x)
  %x1: float32[2] = assign(%x, value=1.0)
})"),
            R"(
func @main(%x: float32[2], %i: int64[2], %k: number int64, %t: token) -> (%x1) {
  %1: float32[2] = gather_elements(%x, dim=0, %i)
  %2: number int64 = number_floordiv(%k, other=2)
  %3: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %4: token = host "print"(%t, %x)
  %x1: float32[2] = assign(%x, value=1.0)
}
)");
}

TEST(EliminateDeadCode, ReachesIntoArms) {
  EXPECT_EQ(after_elimination(R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1) {
  %e: float32[2] = exp(%y)
  %1: float32[2], %2: float32[2] = if %b then @yes else @no(%x, %e)
  %3: float32[2] = if %b then @no_2 else @no_3(%x)
}
func @yes(%x: float32[2], %e: float32[2]) -> (%x, %2) {
  %2: float32[2] = add(%x, %e)
}
func @no(%x: float32[2], %e: float32[2]) -> (%2, %x) {
  %2: float32[2] = add(%x, %x)
}
func @no_2(%x: float32[2]) -> (%x) {
}
func @no_3(%x: float32[2]) -> (%x) {
}
func @unused() -> () {
})"),
            R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1) {
  %1: float32[2] = if %b then @yes else @no(%x)
}
func @yes(%x: float32[2]) -> (%x) {
}
func @no(%x: float32[2]) -> (%1) {
  %1: float32[2] = add(%x, %x)
}
)");
}

TEST(EliminateDeadCode, ReachesThroughArmsInArms) {
  EXPECT_EQ(after_elimination(R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1) {
  %e: float32[2] = exp(%y)
  %1: float32[2], %2: float32[2] = if %b then @outer_yes else @outer_no(%b, %x, %e)
}
func @outer_yes(%b: bool_[], %x: float32[2], %e: float32[2]) -> (%1, %2) {
  %n: float32[2] = neg(%e)
  %1: float32[2], %2: float32[2] = if %b then @inner_yes else @inner_no(%x, %n)
}
func @inner_yes(%x: float32[2], %n: float32[2]) -> (%x, %n) {
}
func @inner_no(%x: float32[2], %n: float32[2]) -> (%1, %2) {
  %1: float32[2] = add(%x, %x)
  %2: float32[2] = add(%x, %n)
}
func @outer_no(%b: bool_[], %x: float32[2], %e: float32[2]) -> (%x, %e) {
})"),
            R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1) {
  %1: float32[2] = if %b then @outer_yes else @outer_no(%b, %x)
}
func @outer_yes(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = if %b then @inner_yes else @inner_no(%x)
}
func @inner_yes(%x: float32[2]) -> (%x) {
}
func @inner_no(%x: float32[2]) -> (%1) {
  %1: float32[2] = add(%x, %x)
}
func @outer_no(%b: bool_[], %x: float32[2]) -> (%x) {
}
)");
}

TEST(EliminateDeadCode, KeepsAnIfThatMakesASizeKnown) {
  EXPECT_EQ(after_elimination(R"(
func @main(%b: bool_[], %x: float32[4]) -> (%3) {
  %1: float32[rows], %2: float32[4] = if %b then @yes else @no(%x)
  %3: number int64 = dim(size=[rows])
}
func @yes(%x: float32[4]) -> (%1, %x) {
  %1: float32[1] = slice_view(%x, starts=[0], stops=[1], steps=[1])
}
func @no(%x: float32[4]) -> (%x, %x) {
})"),
            R"(
func @main(%b: bool_[], %x: float32[4]) -> (%2) {
  %1: float32[rows] = if %b then @yes else @no(%x)
  %2: number int64 = dim(size=[rows])
}
func @yes(%x: float32[4]) -> (%1) {
  %1: float32[1] = slice_view(%x, starts=[0], stops=[1], steps=[1])
}
func @no(%x: float32[4]) -> (%x) {
}
)");
}

TEST(EliminateDeadCode, LeavesWhatALoopCarriesAndDropsWhatStays) {
  EXPECT_EQ(after_elimination(R"(
func @main(%x: float32[2], %w: float32[2], %v: float32[2]) -> (%2) {
  %0: number int64 = constant 0
  %1: number int64, %2: float32[2], %3: float32[2] = while @below do @turn(%0, %x, %x) with (%w, %v)
}
func @below(%i: number int64, %a: float32[2], %b: float32[2], %w: float32[2], %v: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %a: float32[2], %b: float32[2], %w: float32[2], %v: float32[2]) -> (%1, %2, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = add(%a, %w)
  %3: float32[2] = neg(%b)
  %4: float32[2] = exp(%v)
})"),
            R"(
func @main(%x: float32[2], %w: float32[2], %v: float32[2]) -> (%3) {
  %1: number int64 = constant 0
  %2: number int64, %3: float32[2], %4: float32[2] = while @below do @turn(%1, %x, %x) with (%w)
}
func @below(%i: number int64, %a: float32[2], %b: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %a: float32[2], %b: float32[2], %w: float32[2]) -> (%1, %2, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = add(%a, %w)
  %3: float32[2] = neg(%b)
}
)");
}

TEST(EliminateDeadCode, LeavesTheResultsOfAFunctionThatIsRunTwice) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2]) -> (%1, %4) {
  %1: float32[2], %2: float32[2] = call @f(%x)
  %3: float32[2], %4: float32[2] = call @f(%x)
}
func @f(%x: float32[2]) -> (%1, %2) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = neg(%x)
}
)";
  EXPECT_EQ(after_elimination(text), text);
}

}  // namespace
namespace {

TEST(EliminateDeadFunctions, KeepsWhatMainComesTo) {
  EXPECT_EQ(after(R"(
func @main(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%x) gradient @g
}
func @dead(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @dead(%x)
}
func @f(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @h(%x)
}
func @h(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
})",
                  eliminate_dead_functions),
            R"(
func @main(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%x) gradient @g
}
func @f(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @h(%x)
}
func @h(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
}
)");
}

}  // namespace

}  // namespace dyad::passes
