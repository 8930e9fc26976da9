#include "passes/match_attention.h"

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(MatchAttention, TakesScaleAndMask) {
  const char* text = R"(
func @main(%q: float32[2, 3, 4], %k: float32[2, 4, 5], %v: float32[2, 5, 6], %m: float32[3, 5]) -> (%5) {
  %1: float32[2, 3, 5] = matmul(%q, %k)
  %2: float32[2, 3, 5] = div(%1, other=2.0)
  %3: float32[2, 3, 5] = add(%m, %2)
  %4: float32[2, 3, 5] = softmax(%3, axis=2, dtype=none)
  %5: float32[2, 3, 6] = matmul(%4, %v)
})";
  EXPECT_EQ(after(text, match_attention, eliminate_dead_code), R"(
func @main(%q: float32[2, 3, 4], %k: float32[2, 4, 5], %v: float32[2, 5, 6], %m: float32[3, 5]) -> (%2) {
  %1: float32[2, 5, 4] = permute(%k, axis=[0, 2, 1])
  %2: float32[2, 3, 6] = attention(%q, %1, %v, %m, causal=false, scale=0.5)
}
)");
  EXPECT_LT(change_by(text, {waves({2, 3, 4}, 1), waves({2, 4, 5}, 2), waves({2, 5, 6}, 3), waves({3, 5}, 4)},
                      match_attention),
            1e-5);
}

TEST(MatchAttention, LeavesWhatHasAnotherUser) {
  const char* text = R"(
func @main(%q: float32[3, 4], %k: float32[4, 5], %v: float32[5, 6]) -> (%2, %3) {
  %1: float32[3, 5] = matmul(%q, %k)
  %2: float32[3, 5] = softmax(%1, axis=-1, dtype=none)
  %3: float32[3, 6] = matmul(%2, %v)
})";
  EXPECT_EQ(after(text, match_attention).find("attention("), std::string::npos);
  const char* other_axis = R"(
func @main(%q: float32[3, 4], %k: float32[4, 5], %v: float32[5, 6]) -> (%3) {
  %1: float32[3, 5] = matmul(%q, %k)
  %2: float32[3, 5] = softmax(%1, axis=0, dtype=none)
  %3: float32[3, 6] = matmul(%2, %v)
})";
  EXPECT_EQ(after(other_axis, match_attention).find("attention("), std::string::npos);
}

TEST(MatchAttention, DoesNotMoveAReadPastAWrite) {
  constexpr std::string_view text = R"(
func @main(%q: float32[3, 4], %k: float32[4, 5], %v: float32[5, 6]) -> (%3, %q1) {
  %1: float32[3, 5] = matmul(%q, %k)
  %q1: float32[3, 4] = assign(%q, value=0.0)
  %2: float32[3, 5] = softmax(%1, axis=-1, dtype=none)
  %3: float32[3, 6] = matmul(%2, %v)
}
)";
  EXPECT_EQ(after(text, match_attention), text);
}

}  // namespace
}  // namespace dyad::passes
