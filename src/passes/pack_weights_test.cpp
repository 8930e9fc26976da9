#include "passes/pack_weights.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(PackWeights, PacksParametersThatStay) {
  const char* text = R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4], state %b: float32[20], state %v: float32[20, 16]) -> (%2) {
  %1: float32[3, 20] = dense(%x, %w, %b)
  %2: float32[3, 16] = matmul(%1, %v)
})";
  EXPECT_EQ(after(text, pack_weights), R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4], state %b: float32[20], state %v: float32[20, 16]) -> (%5) {
  %1: float32[4, 20] = permute(%w, axis=[1, 0])
  %2: float32[1, 4, 64] = pack_panels(%1)
  %3: float32[3, 20] = panel_product(%x, %2, columns=20, %b, steps="", (), numbers=floats[])
  %4: float32[1, 20, 64] = pack_panels(%v)
  %5: float32[3, 16] = panel_product(%3, %4, columns=16, bias=none, steps="", (), numbers=floats[])
}
)");
  EXPECT_LT(change_by(text, {waves({3, 4}, 1), waves({20, 4}, 2), waves({20}, 3), waves({20, 16}, 4)},
                      pack_weights),
            1e-5);
}

TEST(PackWeights, LeavesWhatIsWrittenOrNoParameter) {
  const char* written = R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4]) -> (%1, state %w = %w1) {
  %1: float32[3, 20] = dense(%x, %w, bias=none)
  %w1: float32[20, 4] = assign(%w, value=1.0)
})";
  EXPECT_EQ(after(written, pack_weights).find("pack_panels"), std::string::npos);
  const char* input = R"(
func @main(%x: float32[3, 4], %w: float32[20, 4], state %few: float32[3, 4]) -> (%1, %2) {
  %1: float32[3, 20] = dense(%x, %w, bias=none)
  %2: float32[3, 3] = dense(%x, %few, bias=none)
})";
  EXPECT_EQ(after(input, pack_weights).find("pack_panels"), std::string::npos);
}

TEST(PackWeights, PacksAParameterOnce) {
  EXPECT_EQ(operators_of(after(R"(
func @main(%x: float32[3, 8], state %w: float32[8, 8]) -> (%3) {
  %1: float32[3, 8] = dense(%x, %w, bias=none)
  %2: float32[3, 8] = dense(%1, %w, bias=none)
  %3: float32[3, 8] = matmul(%2, %w)
})",
                               pack_weights)),
            "permute pack_panels panel_product panel_product pack_panels panel_product");
}

TEST(PackWeights, AViewOfAParameterIsOne) {
  constexpr std::string_view text = R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4]) -> (%2) {
  %1: float32[4, 20] = permute(%w, axis=[1, 0])
  %2: float32[3, 20] = matmul(%x, %1)
})";
  EXPECT_EQ(operators_of(after(text, pack_weights)), "permute pack_panels panel_product");
  EXPECT_LT(change_by(text, {waves({3, 4}, 0.7), waves({20, 4}, 0.3)}, pack_weights), 1e-5);
}

}  // namespace
}  // namespace dyad::passes
