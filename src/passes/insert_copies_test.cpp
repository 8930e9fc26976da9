#include "passes/insert_copies.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string copied(std::string_view text) { return after(text, insert_copies); }

TEST(InsertCopies, IsNeededWhereTheVerifierFindsAnOldVersion) {
  const auto module = read(R"(
func @main(%x: float32[2]) -> (%x1, %y) {
  %x1: float32[2] = assign(%x, value=5.0)
  %y: float32[2] = neg(%x)
})");
  ir::verify(*module, ir::OldVersions::kUsed);
  const std::string fault = failure_of([&] { ir::verify(*module); });
  EXPECT_EQ(fault.substr(0, fault.find('\n')),
            "internal error: the graph @main is malformed: a value is used after it was consumed (node 1)");
  insert_copies(*module);
  ir::verify(*module);
}

TEST(InsertCopies, CopiesWhatIsReadAfterTheWrite) {
  EXPECT_EQ(copied(R"(
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

TEST(InsertCopies, LeavesWritesThroughViewsInPlace) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2]) -> (%x1) {
  %w: float32[1, 2] = reshape(%x, shape=[1, 2])
  %w1: float32[1, 2] = assign(%w, value=5.0)
  %x1: float32[2] = write_view(%x, %w1, %w)
}
)";
  EXPECT_EQ(copied(text), text);
}

TEST(InsertCopies, AViewWrittenForItselfGetsMemory) {
  EXPECT_EQ(copied(R"(
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

TEST(InsertCopies, ConstantsAreNeitherWrittenNorGivenAway) {
  EXPECT_EQ(copied(R"(
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

TEST(InsertCopies, LooksIntoArmsAndLoops) {
  EXPECT_EQ(copied(R"(
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

TEST(InsertCopies, AFunctionFindsWhatItWritesOnlyOnce) {
  EXPECT_EQ(copied(R"(
func @main(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%x, %x)
}
func @f(%a: float32[2], %b: float32[2]) -> (%2) {
  %1: float32[2] = assign(%a, value=0.0)
  %2: float32[2] = add(%1, %b)
})"),
            R"(
func @main(%x: float32[2]) -> (%2) {
  %1: float32[2] = copy(%x)
  %2: float32[2] = call @f(%x, %1)
}
func @f(%a: float32[2], %b: float32[2]) -> (%2) {
  %1: float32[2] = assign(%a, value=0.0)
  %2: float32[2] = add(%1, %b)
}
)");
}

TEST(InsertCopies, WhatALoopWritesIsNotCarriedTwice) {
  EXPECT_EQ(copied(R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1, %2) {
  %1: float32[2], %2: float32[2] = while @test do @turn(%x, %y) with (%b)
}
func @test(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%b) {
}
func @turn(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%1, %1) {
  %1: float32[2] = assign(%a, %c)
})"),
            R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%2, %3) {
  %1: float32[2] = copy(%y)
  %2: float32[2], %3: float32[2] = while @test do @turn(%x, %1) with (%b)
}
func @test(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%b) {
}
func @turn(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%2, %1) {
  %1: float32[2] = assign(%a, %c)
  %2: float32[2] = copy(%1)
}
)");
}

TEST(InsertCopies, AConstantOfAFunctionThatWasCalledIsCopiedWhereItComesFrom) {
  EXPECT_EQ(operators_of(copied(R"(
func @main(%x: float32[2]) -> (%2) {
  %1: float32[2] = call @one()
  %2: float32[2] = assign(%1, %x)
}
func @one() -> (%1) {
  %1: float32[2] = constant {1.0, 1.0}
})")),
            "call copy assign constant");
}

TEST(InsertCopies, OneCopyServesAllWhoReadLater) {
  EXPECT_EQ(copied(R"(
func @main(%x: float32[2]) -> (%x1, %1, %2, %x) {
  %x1: float32[2] = assign(%x, value=5.0)
  %1: float32[2] = neg(%x)
  %2: float32[2] = exp(%x)
})"),
            R"(
func @main(%x: float32[2]) -> (%x1, %2, %3, %1) {
  %1: float32[2] = copy(%x)
  %x1: float32[2] = assign(%x, value=5.0)
  %2: float32[2] = neg(%1)
  %3: float32[2] = exp(%1)
}
)");
}

}  // namespace
}  // namespace dyad::passes
