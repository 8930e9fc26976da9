// Each pass on the text of a graph: what goes in, what comes out.

#include "compile/program_fixture.h"
#include "passes/eliminate_common_subexpressions.h"
#include "passes/eliminate_copies.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fold_constants.h"
#include "passes/inline_calls.h"
#include "passes/insert_copies.h"

namespace dyad::compile {
namespace {

template <class Pass>
std::string after(std::string_view text, const Pass& pass) {
  const auto module = read(text);
  pass(*module);
  ir::verify(*module);
  return "\n" + ir::print(*module);
}
std::string dropped(std::string_view text) { return after(text, passes::eliminate_dead_code); }
std::string without_copies(std::string_view text) { return after(text, passes::eliminate_copies); }
std::string merged(std::string_view text) { return after(text, passes::eliminate_common_subexpressions); }
std::string inlined(std::string_view text) { return after(text, passes::inline_calls); }
std::string kept(std::string_view text) { return after(text, passes::insert_copies); }
std::string folded(std::string_view text) {
  return after(text, [](ir::Module& module) { passes::fold_constants(module, eager::builder()); });
}

TEST(DropUnused, KeepsWhatActs) {
  EXPECT_EQ(dropped(R"(
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

TEST(DropUnused, ReachesIntoArms) {
  EXPECT_EQ(dropped(R"(
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
func @nobody() -> () {
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

TEST(MergeEqual, ComputesOnce) {
  EXPECT_EQ(merged(R"(
func @main(%x: float32[2]) -> (%5) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = exp(%x)
  %3: float32[2] = add(%1, other=1)
  %4: float32[2] = add(%2, other=1)
  %6: float32[2] = add(%2, other=1.0)
  %7: float32[2] = mul(%3, %4)
  %5: float32[2] = mul(%7, %6)
})"),
            R"(
func @main(%x: float32[2]) -> (%5) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = add(%1, other=1)
  %3: float32[2] = add(%1, other=1.0)
  %4: float32[2] = mul(%2, %2)
  %5: float32[2] = mul(%4, %3)
}
)");
}

TEST(MergeEqual, KeepsApartWhatIsWrittenOrGiven) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %t: token) -> (%1, %2, %r, %7) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = exp(%x)
  %3: float32[2] = neg(%x)
  %4: float32[2] = neg(%x)
  %5: float32[2] = assign(%4, value=1.0)
  %6: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %r: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %7: float32[2] = add(%3, %6)
}
)";
  EXPECT_EQ(merged(text), text);
}

TEST(DropCopies, GoWhereNobodyCanTell) {
  EXPECT_EQ(without_copies(R"(
func @main(%x: float32[2], %y: float32[2]) -> (%5, %6) {
  %1: float32[2] = copy(%x)
  %2: float32[2] = exp(%1)
  %3: float32[2] = copy(%2)
  %4: float32[2] = exp(%3)
  %5: float32[2] = copy(%4)
  %6: float32[2] = copy(%4)
})"),
            R"(
func @main(%x: float32[2], %y: float32[2]) -> (%2, %3) {
  %1: float32[2] = exp(%x)
  %2: float32[2] = exp(%1)
  %3: float32[2] = copy(%2)
}
)");
}

TEST(DropCopies, StayWhereSomethingIsWrittenShownOrGiven) {
  const std::string text = R"(
func @main(%x: float32[2], %y: float32[2], %t: token) -> (%1, %4, %8) {
  %1: float32[2] = copy(%x)
  %2: float32[2] = exp(%x)
  %3: float32[2] = copy(%2)
  %4: float32[2] = assign(%3, %x)
  %5: float32[2] = copy(%y)
  %6: token = host "print"(%t, %5)
  %7: float32[1] = slice_view(%2, starts=[0], stops=[1], steps=[1])
  %8: float32[1] = copy(%7)
}
)";
  EXPECT_EQ(without_copies(text), text);
}

TEST(FoldConstants, ComputesNumbersSizesAndTensors) {
  EXPECT_EQ(folded(R"(
func @main(%x: float32[2]) -> (%3, %4, %6) {
  %1: number int64 = constant 6
  %2: number int64 = dim(size=[7])
  %3: number int64 = number_mul(%1, %2)
  %4: number int64 = number_floordiv(%1, other=0)
  %5: float32[2] = constant {1.0, 2.0}
  %6: float32[2] = add(%5, %5)
})"),
            R"(
func @main(%x: float32[2]) -> (%3, %4, %6) {
  %1: number int64 = constant 6
  %2: number int64 = constant 7
  %3: number int64 = constant 42
  %4: number int64 = number_floordiv(%1, other=0)
  %5: float32[2] = constant {1.0, 2.0}
  %6: float32[2] = constant {2.0, 4.0}
}
)");
}

TEST(InlineCalls, WritesOutCallsAndKnownArms) {
  EXPECT_EQ(inlined(R"(
func @main(%x: float32[2]) -> (%3) {
  %1: float32[2] = call @twice(%x) at "net.py":1:1
  %2: number bool_ = constant false
  %3: float32[2] = if %2 then @main else @twice(%1)
}
func @twice(%a: float32[2]) -> (%2) {
  %1: float32[2] = add(%a, %a)
  %2: float32[2] = call @same(%1)
}
func @same(%a: float32[2]) -> (%a) {
})"),
            R"(
func @main(%x: float32[2]) -> (%3) {
  %1: float32[2] = add(%x, %x) at "net.py":1:1
  %2: number bool_ = constant false
  %3: float32[2] = add(%1, %1)
}
func @twice(%a: float32[2]) -> (%1) {
  %1: float32[2] = add(%a, %a)
}
func @same(%a: float32[2]) -> (%a) {
}
)");
}

TEST(InlineCalls, LeavesRecursionAlone) {
  constexpr std::string_view text = R"(
func @main(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%b, %x)
}
func @f(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = if %b then @g else @h(%b, %x)
}
func @g(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%b, %x)
}
func @h(%b: bool_[], %x: float32[2]) -> (%x) {
}
)";
  EXPECT_EQ(inlined(text), text);
}

TEST(InlineCalls, SizesOfEachPlaceAreItsOwn) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[n], %y: float32[m]) -> (%1, %2, %3, %4) {
  %1: int64[a] = call @positive(%x)
  %2: int64[b] = call @positive(%y)
  %3: number int64 = dim(size=[a])
  %4: number int64 = dim(size=[(b + n)])
}
func @positive(%v: float32[k]) -> (%2) {
  %0: bool_[k] = greater(%v, other=0)
  %1: int64[s, 1] = nonzero(%0)
  %2: int64[s] = reshape(%1, shape=[s])
})");
  EXPECT_EQ(run(*program, {vector({1, -1}), vector({2, 3, -4, 5})}), "[0] [0, 1, 3] 1 5");
}

TEST(KeepVersions, IsNeededWhereTheVerifierFindsAnOldVersion) {
  const auto module = read(R"(
func @main(%x: float32[2]) -> (%x1, %y) {
  %x1: float32[2] = assign(%x, value=5.0)
  %y: float32[2] = neg(%x)
})");
  ir::verify(*module, ir::OldVersions::kUsed);
  const std::string fault = failure_of([&] { ir::verify(*module); });
  EXPECT_EQ(fault.substr(0, fault.find('\n')),
            "internal error: the graph @main is malformed: a value is used after it was consumed (node 1)");
  passes::insert_copies(*module);
  ir::verify(*module);
}

TEST(KeepVersions, CopiesWhatIsReadAfterTheWrite) {
  EXPECT_EQ(kept(R"(
func @main(%x: float32[2]) -> (%x1, %3) {
  %1: float32[1, 2] = reshape(%x, shape=[1, 2])
  %x1: float32[2] = assign(%x, value=5.0)
  %3: float32[1, 2] = neg(%1)
})"),
            R"(
func @main(%x: float32[2]) -> (%x1, %3) {
  %1: float32[1, 2] = reshape(%x, shape=[1, 2])
  %2: float32[1, 2] = copy(%1)
  %x1: float32[2] = assign(%x, value=5.0)
  %3: float32[1, 2] = neg(%2)
}
)");
}

TEST(KeepVersions, LeavesWritesThroughViewsInPlace) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2]) -> (%x1) {
  %w: float32[1, 2] = reshape(%x, shape=[1, 2])
  %w1: float32[1, 2] = assign(%w, value=5.0)
  %x1: float32[2] = write_view(%x, %w1, %w)
}
)";
  EXPECT_EQ(kept(text), text);
}

TEST(KeepVersions, AViewWrittenForItselfGetsMemory) {
  EXPECT_EQ(kept(R"(
func @main(%x: float32[2]) -> (%w1) {
  %w: float32[1, 2] = reshape(%x, shape=[1, 2])
  %w1: float32[1, 2] = assign(%w, value=5.0)
})"),
            R"(
func @main(%x: float32[2]) -> (%w1) {
  %w: float32[1, 2] = reshape(%x, shape=[1, 2])
  %1: float32[1, 2] = copy(%w)
  %w1: float32[1, 2] = assign(%1, value=5.0)
}
)");
}

TEST(KeepVersions, ConstantsAreNeitherWrittenNorGivenAway) {
  EXPECT_EQ(kept(R"(
func @main(%x: float32[2]) -> (%2, %3) {
  %1: float32[2] = constant {1.0, 2.0}
  %2: float32[2] = assign(%1, %x)
  %3: float32[2] = constant {3.0, 4.0}
})"),
            R"(
func @main(%x: float32[2]) -> (%3, %5) {
  %1: float32[2] = constant {1.0, 2.0}
  %2: float32[2] = copy(%1)
  %3: float32[2] = assign(%2, %x)
  %4: float32[2] = constant {3.0, 4.0}
  %5: float32[2] = copy(%4)
}
)");
}

TEST(KeepVersions, LooksIntoArmsAndLoops) {
  EXPECT_EQ(kept(R"(
func @main(%b: bool_[], %x: float32[2]) -> (%1, %3) {
  %1: float32[2] = if %b then @write else @leave(%x)
  %2: float32[2] = while @test do @write(%1) with ()
  %3: float32[2] = add(%1, %x)
}
func @write(%x: float32[2]) -> (%1) {
  %1: float32[2] = assign(%x, value=0.0)
}
func @leave(%x: float32[2]) -> (%x) {
}
func @test(%x: float32[2]) -> (%1) {
  %1: bool_[] = constant {false}
})"),
            R"(
func @main(%b: bool_[], %x: float32[2]) -> (%3, %5) {
  %1: float32[2] = copy(%x)
  %2: float32[2] = if %b then @write else @leave(%x)
  %3: float32[2] = copy(%2)
  %4: float32[2] = while @test do @write(%2) with ()
  %5: float32[2] = add(%3, %1)
}
func @write(%x: float32[2]) -> (%1) {
  %1: float32[2] = assign(%x, value=0.0)
}
func @leave(%x: float32[2]) -> (%x) {
}
func @test(%x: float32[2]) -> (%1) {
  %1: bool_[] = constant {false}
}
)");
}

}  // namespace
}  // namespace dyad::compile
