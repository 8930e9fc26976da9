#include "passes/dependencies.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

using Successors = std::vector<std::vector<size_t>>;

Successors successors_in(std::string_view text) {
  const auto module = read(text);
  const ModuleMemory memory(*module);
  return successors_of(module->main(), memory);
}

TEST(Dependencies, UsersFollowAndWritesFollowReads) {
  EXPECT_EQ(successors_in(R"(
func @main(%x: float32[2], %p: float32[2]) -> (%3) {
  %1: float32[2] = exp(%p)
  %2: float32[2] = exp(%x)
  %p1: float32[2] = assign(%p, %2)
  %3: float32[2] = add(%p1, %1)
})"),
            (Successors{{2, 3}, {2}, {3}, {}}));
}

TEST(Dependencies, EffectsKeepTheirOrder) {
  EXPECT_EQ(successors_in(R"(
func @main(%x: float32[2], %t: token) -> (%1, %2, %4) {
  %1: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %2: float32[2] = exp(%x)
  %3: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %4: token = host "print"(%t, %3)
})"),
            (Successors{{2}, {}, {3, 3}, {}}));
}

}  // namespace
}  // namespace dyad::passes
