#include "passes/decompose_operators.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string decomposed(std::string_view text) { return after(text, decompose_operators); }

TEST(DecomposeOperators, WhereANeighbourIsFused) {
  EXPECT_EQ(decomposed(R"(
func @main(%x: float32[4, 8], %w: float32[8, 8]) -> (%2, %4) {
  %1: float32[4, 8] = mul(%x, other=2.0)
  %2: float32[4, 8] = softmax(%1, axis=-1, dtype=none)
  %3: float32[4, 8] = matmul(%x, %w)
  %4: float32[4, 8] = softmax(%3, axis=-1, dtype=none)
})"),
            R"(
func @main(%x: float32[4, 8], %w: float32[8, 8]) -> (%7, %9) {
  %1: float32[4, 8] = mul(%x, other=2.0)
  %2: float32[4, 1] = amax(%1, axis=[-1], keepdims=true)
  %3: float32[4, 8] = sub(%1, %2)
  %4: float32[4, 8] = exp(%3)
  %5: float32[4, 1] = sum(%4, axis=[-1], keepdims=true, dtype=none)
  %6: float32[4, 1] = reciprocal(%5)
  %7: float32[4, 8] = mul(%4, %6)
  %8: float32[4, 8] = matmul(%x, %w)
  %9: float32[4, 8] = softmax(%8, axis=-1, dtype=none)
}
)");
}

TEST(DecomposeOperators, NotForAHandfulOfElements) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 3]) -> (%2) {
  %1: float32[2, 3] = mul(%x, other=2.0)
  %2: float32[2, 3] = softmax(%1, axis=-1, dtype=none)
}
)";
  EXPECT_EQ(decomposed(text), text);
}

TEST(DecomposeOperators, NotWhereTheNeighbourNeedsTheResultInMemory) {
  EXPECT_EQ(operators_of(decomposed(R"(
func @main(%x: float32[8, 8]) -> (%3) {
  %1: float32[8, 8] = softmax(%x, axis=-1, dtype=none)
  %2: float32[8, 8] = matmul(%1, %x)
  %3: float32[8, 8] = add(%2, %1)
})")),
            "softmax matmul add");
}

}  // namespace
}  // namespace dyad::passes
