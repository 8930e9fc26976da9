// Graphs with symbolic dimensions, compiled anew for the sizes of a run.

#include "compile/program_fixture.h"

namespace dyad::compile {
namespace {

TEST(ShapeSpecializations, RunAsTheGraphDoes) {
  constexpr std::string_view text = R"(
func @main(%x: float32[n], %t: token) -> (%3) {
  %1: number int64 = dim(size=[n])
  %2: float32[n] = mul(%x, %1)
  %3: float32[(n * 2)] = concat((%2, %x), axis=0)
})";
  EXPECT_EQ(run(text, {vector({1, 2})}), "[2, 4, 1, 2]");
  const Ref<Program> program = compiled(text);
  const Ref<Program> stepwise = compiled(text, false);
  for (int64_t round = 0; round < 3; ++round) {
    for (int64_t size = 2; size < 14; ++size) {  // more sizes than are kept
      Tensor x = empty(DType::kFloat32, {size});
      for (int64_t i = 0; i < size; ++i) x->as<float>()[i] = static_cast<float>(i + round);
      EXPECT_EQ(run(*program, {Value(x)}), run(*stepwise, {Value(x)}));
    }
  }
}

TEST(ShapeSpecializations, RaiseWhatTheGraphRaises) {
  constexpr std::string_view text = R"(
func @main(%x: float32[n], %y: float32[m]) -> (%1) {
  %1: float32[n] = add(%x, %y)
})";
  const Ref<Program> program = compiled(text);
  EXPECT_EQ(run(*program, {vector({1, 2}), vector({3, 4})}), "[4, 6]");
  const std::string failure = failure_of([&] { run(*program, {vector({1, 2}), vector({1, 2, 3})}); });
  EXPECT_EQ(failure, failure_of([&] { run(*compiled(text, false), {vector({1, 2}), vector({1, 2, 3})}); }));
  EXPECT_NE(failure, "no error");
}

}  // namespace
}  // namespace dyad::compile
