#include "passes/region.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

/// The role of each node: p, m, r, or - for none.
std::string roles_of(std::string_view text) {
  const auto module = read(text);
  std::string all;
  for (const auto& node : module->main().nodes) all += "-pmr"[static_cast<int>(role_of(*node))];
  return all;
}

TEST(Region, RolesOfOperators) {
  EXPECT_EQ(roles_of(R"(
func @main(%x: float32[4, 8], %i: int64[8]) -> () {
  %1: float32[4, 8] = exp(%x)
  %2: float32[8, 4] = permute(%x, axis=[1, 0])
  %3: float32[4, 1, 8] = reshape(%x, shape=[4, 1, 8])
  %4: float32[32] = reshape(%x, shape=[32])
  %5: float32[4] = sum(%x, axis=[1], keepdims=false, dtype=none)
  %6: float64[4, 8] = cast(%x, dtype=float64)
  %7: float32[4, 8] = cast(%x, dtype=float32)
  %8: float32[4, 8] = full(shape=[4, 8], value=1, dtype=float32)
  %9: float32[4, 4] = matmul(%x, %2)
  %10: float32[2, 4, 8] = broadcast_to(%x, shape=[2, 4, 8])
})"),
            "pmm-rp-p-m");
}

TEST(Region, NeitherWritesNorDrawsNorComplexNumbers) {
  EXPECT_EQ(roles_of(R"(
func @main(%x: float32[4], %c: complex64[4]) -> () {
  %1: float32[4] = assign(%x, value=1.0)
  %2: float32[4] = random_uniform(shape=[4], low=0.0, high=1.0, dtype=none, seed=none)
  %3: complex64[4] = exp(%c)
})"),
            "---");
}

TEST(Region, AxesOfAReductionAreCountedFromTheFront) {
  const auto module = read(R"(
func @main(%x: float32[2, 3, 4]) -> (%1) {
  %1: float32[3] = sum(%x, axis=[-1, 0], keepdims=false, dtype=none)
})");
  EXPECT_EQ(reduced_axes(*module->main().nodes.front()), (Ints{0, 2}));
}

}  // namespace
}  // namespace dyad::passes
