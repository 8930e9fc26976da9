// Generated kernels against the same functions operator by operator.

#include "compile/generated_fixture.h"

namespace dyad::compile {
namespace {

constexpr DType kDTypes[] = {DType::kBool,   DType::kInt8,    DType::kInt16,    DType::kInt32,
                             DType::kInt64,  DType::kUInt8,   DType::kUInt16,   DType::kUInt32,
                             DType::kUInt64, DType::kFloat16, DType::kBFloat16, DType::kFloat32,
                             DType::kFloat64};

TEST(Generated, ChainOfOperators) {
  constexpr std::string_view text = R"(
func @main(%x: float32[37, 5], %y: float32[5]) -> (%6, %3) {
  %1: float32[37, 5] = mul(%x, other=2.0)
  %2: float32[37, 5] = add(%1, %y)
  %3: float32[37, 5] = tanh(%2)
  %4: float32[37, 5] = neg(%3)
  %5: float32[37, 5] = exp(%4)
  %6: float32[37, 5] = sigmoid(%5)
})";
  expect_same(text, {random_tensor(DType::kFloat32, {37, 5}, 1), random_tensor(DType::kFloat32, {5}, 2)});
}

TEST(Generated, EveryDTypeConvertsToEveryOther) {
  for (const DType from : kDTypes) {
    for (const DType to : kDTypes) {
      const std::string text =
          cat("func @main(%x: ", dtype_name(from), "[19]) -> (%1) {\n  %1: ", dtype_name(to),
              "[19] = cast(%x, dtype=", dtype_name(to), ")\n}");
      expect_same(text, {random_tensor(from, {19}, 3)});
    }
  }
}

TEST(Generated, EveryDTypeAddsAndCompares) {
  for (const DType dtype : kDTypes) {
    const std::string t(dtype_name(dtype));
    const std::string text =
        cat("func @main(%x: ", t, "[3, 40], %y: ", t, "[3, 1]) -> (%1, %2, %3) {\n  %1: ", t,
            "[3, 40] = add(%x, %y)\n  %2: bool_[3, 40] = less(%1, %x)\n  %3: ", t,
            "[3, 40] = where(%2, %1, %y)\n}");
    expect_same(text, {random_tensor(dtype, {3, 40}, 4), random_tensor(dtype, {3, 1}, 5)});
  }
}

}  // namespace
}  // namespace dyad::compile
