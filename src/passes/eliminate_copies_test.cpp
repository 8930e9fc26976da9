#include "passes/eliminate.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string without_copies(std::string_view text) { return after(text, eliminate_copies); }

TEST(EliminateCopies, GoWhereNoUserCanTell) {
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

TEST(EliminateCopies, StayWhereSomethingIsWrittenShownOrGiven) {
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

}  // namespace
}  // namespace dyad::passes
