#include "passes/effects.h"

#include "passes/pass_fixture.h"
#include "passes/rewrite.h"

namespace dyad::passes {
namespace {

/// "drop merge" of each node of a graph: d where it may be dropped, m where it may be merged, c where it
/// checks data.
std::string effects_of(std::string_view text) {
  const auto module = read(text);
  std::string all;
  for (const auto& node : module->main().nodes) {
    all += all.empty() ? "" : " ";
    all += may_drop(*node) ? 'd' : '-';
    all += may_merge(*node) ? 'm' : '-';
    all += checks_data(*node) ? 'c' : '-';
  }
  return all;
}

TEST(Effects, OfOperatorsOnTensors) {
  EXPECT_EQ(effects_of(R"(
func @main(%x: float32[2], %i: int64[2]) -> () {
  %1: float32[2] = exp(%x)
  %2: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %3: float32[2] = gather_elements(%x, dim=0, %i)
  %4: int64[2] = add(%i, %i)
  %5: float32[2] = assign(%x, value=1.0)
  %6: float32[] = constant {1.0}
})"),
            "dm- --- -mc dm- --- dm-");
}

TEST(Effects, OfNumbersAndSymbols) {
  EXPECT_EQ(effects_of(R"(
func @main(%k: number int64, %x: float32[n]) -> () {
  %1: number int64 = number_floordiv(%k, other=2)
  %2: number bool_ = number_lt(%k, other=2)
  define_symbol(%k, name="m")
  %3: float32[n] = exp(%x)
})"),
            "-m- dm- --c -mc");
}

TEST(Effects, CallsAndTheHostAct) {
  EXPECT_EQ(effects_of(R"(
func @main(%t: token, %x: float32[2]) -> (%1) {
  %1: token = host "print"(%t, %x)
  %2: float32[2] = call @f(%x)
}
func @f(%x: float32[2]) -> (%x) {
})"),
            "--- ---");
}

}  // namespace
}  // namespace dyad::passes
