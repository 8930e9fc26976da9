#include "passes/absent_gradients.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

using Flags = std::vector<bool>;

constexpr std::string_view kBackward = R"(
func @main(%x: float32[2], %y: float32[2], %dx: float32[2], %dy: float32[2]) -> (%3, %4, %5) {
  %1: float32[2] = mul(%dx, %y)
  %2: float32[2] = mul(%dy, %x)
  %3: float32[2] = add(%1, %2)
  %4: float32[2] = neg(%2)
  %5: float32[2] = exp(%x)
})";

TEST(AbsentGradients, LeaveOutWhatComesFromThemAlone) {
  const auto module = read(kBackward);
  const ArrivedGradients left = drop_absent_gradients(*module, 2, {true, false});
  ir::verify(*module);
  EXPECT_EQ(left.takes, (Flags{true, false}));
  EXPECT_EQ(left.gives, (Flags{true, false, false}));  // the last one depends on no gradient
  EXPECT_EQ("\n" + ir::print(*module), R"(
func @main(%x: float32[2], %y: float32[2], %dx: float32[2]) -> (%1) {
  %1: float32[2] = mul(%dx, %y)
}
)");
}

TEST(AbsentGradients, AllOfThemAreThere) {
  const auto module = read(kBackward);
  const ArrivedGradients left = drop_absent_gradients(*module, 2, {true, true});
  EXPECT_EQ(left.takes, (Flags{true, true}));
  EXPECT_EQ(left.gives, (Flags{true, true, false}));
  EXPECT_EQ(operators_of(ir::print(*module)), "mul mul add neg");
}

TEST(AbsentGradients, OneThatTellsASizeStays) {
  const auto module = read(R"(
func @main(%dx: float32[n], %dy: float32[n]) -> (%1) {
  %1: float32[n] = neg(%dy)
})");
  const ArrivedGradients left = drop_absent_gradients(*module, 0, {false, true});
  EXPECT_EQ(left.takes, (Flags{true, true}));
  EXPECT_EQ(left.gives, Flags{true});
}

}  // namespace
}  // namespace dyad::passes
