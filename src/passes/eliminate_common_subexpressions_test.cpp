#include "passes/eliminate.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string merged(std::string_view text) { return after(text, eliminate_common_subexpressions); }

TEST(EliminateCommonSubexpressions, ComputesOnce) {
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

TEST(EliminateCommonSubexpressions, KeepsApartWhatIsWrittenOrGiven) {
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

TEST(EliminateCommonSubexpressions, TellsAttributesDtypesAndZerosApart) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 2]) -> (%9) {
  %1: float32[2, 2] = mul(%x, other=0.0)
  %2: float32[2, 2] = mul(%x, other=-0.0)
  %3: float32[2, 1] = sum(%x, axis=[1], keepdims=true, dtype=none)
  %4: float32[1, 2] = sum(%x, axis=[0], keepdims=true, dtype=none)
  %5: float32[2, 2] = add(%1, %2)
  %6: float32[2, 2] = add(%2, %1)
  %7: float32[2, 2] = add(%3, %4)
  %8: float32[2, 2] = add(%5, %6)
  %9: float32[2, 2] = add(%7, %8)
}
)";
  EXPECT_EQ(merged(text), text);
}

}  // namespace
}  // namespace dyad::passes
