#include "transforms/derivative.h"

#include <gtest/gtest.h>

#include "autograd/tape.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/number_operator.h"

namespace dyad::transforms {
namespace {

std::unique_ptr<ir::Module> read(std::string_view text) {
  eager::initialise();
  autograd::initialise();
  return ir::parse(text, {[](std::string_view name) { return find_graph_operator(name); }, {}});
}

/// Differentiates a module by its first parameter; both halves are sound and are printed.
struct Halves {
  explicit Halves(std::string_view text) {
    const std::unique_ptr<ir::Module> module = read(text);
    std::vector<bool> by(module->main().params.size(), false);
    by[0] = true;
    std::vector<bool> of(module->main().results.size(), false);
    of[0] = true;
    const Derivative made = differentiate(*module, by, of);
    ir::verify(*made.forward);
    ir::verify(*made.backward);
    forward = ir::print(*made.forward);
    backward = ir::print(*made.backward);
    residuals = made.residuals;
    EXPECT_EQ(ir::print(*module), ir::print(*read(text)));  // it stays as it is
  }
  std::string forward;
  std::string backward;
  size_t residuals = 0;
};

TEST(Derivative, WhatTheGradientNeedsIsAFurtherResult) {
  const Halves made(R"(func @f(%x: float32[2], %y: float32[2]) -> (%2) {
  %1: float32[2] = mul(%x, %y)
  %2: float32[2] = tanh(%1)
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2], %y: float32[2]) -> (%2, %2, %y) {
  %1: float32[2] = mul(%x, %y)
  %2: float32[2] = tanh(%1)
}
)");
  EXPECT_EQ(made.backward, R"(func @f_backward(%1: float32[2], %y: float32[2], %2: float32[2]) -> (%4) {
  %3: float32[2] = tanh_grad(%2, %1)
  %4: float32[2] = mul(%3, %y)
}
)");
}

TEST(Derivative, ViewsAndConstantsAreMadeAgain) {
  const Halves made(R"(func @f(%x: float32[2, 3]) -> (%3) {
  %1: float32[3, 2] = permute(%x, axis=[1, 0])
  %2: float32[3, 2] = sin(%1)
  %3: float32[3, 2] = mul(%2, %1)
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2, 3]) -> (%3, %x, %2) {
  %1: float32[3, 2] = permute(%x, axis=[1, 0])
  %2: float32[3, 2] = sin(%1)
  %3: float32[3, 2] = mul(%2, %1)
}
)");
  EXPECT_EQ(made.backward,
            R"(func @f_backward(%x: float32[2, 3], %1: float32[3, 2], %2: float32[3, 2]) -> (%9) {
  %3: float32[3, 2] = permute(%x, axis=[1, 0])
  %4: float32[3, 2] = mul(%2, %3)
  %5: float32[3, 2] = mul(%2, %1)
  %6: float32[3, 2] = cos(%3)
  %7: float32[3, 2] = mul(%4, %6)
  %8: float32[3, 2] = add(%5, %7)
  %9: float32[2, 3] = permute(%8, axis=[1, 0])
}
)");
}

TEST(Derivative, EachArmGivesItsOwnResiduals) {
  const Halves made(R"(func @f(%x: float32[2], %c: number bool_) -> (%1) {
  %1: float32[2] = if %c then @yes else @no(%x)
}
func @yes(%x: float32[2]) -> (%1) {
  %1: float32[2] = tanh(%x)
}
func @no(%x: float32[2]) -> (%1) {
  %1: float32[2] = mul(%x, %x)
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2], %c: number bool_) -> (%1, %c, %2, %x) {
  %1: float32[2], %2: float32[2] = if %c then @yes_forward else @no_forward(%x)
}
func @yes_forward(%1: float32[2]) -> (%2, %2) {
  %2: float32[2] = tanh(%1)
}
func @no_forward(%1: float32[2]) -> (%2, %3) {
  %2: float32[2] = mul(%1, %1)
  %3: float32[2] = zeros(shape=[2], dtype=float32)
}
)");
  EXPECT_EQ(made.backward,
            R"(func @f_backward(%c: number bool_, %1: float32[2], %x: float32[2], %2: float32[2]) -> (%3) {
  %3: float32[2] = if %c then @yes_backward_1 else @no_backward_1(%2, %1, %x)
}
func @yes_backward_1(%1: float32[2], %2: float32[2], %3: float32[2]) -> (%4) {
  %4: float32[2] = tanh_grad(%1, %2)
}
func @no_backward_1(%1: float32[2], %2: float32[2], %3: float32[2]) -> (%6) {
  %4: float32[2] = mul(%1, %3)
  %5: float32[2] = mul(%1, %3)
  %6: float32[2] = add(%4, %5)
}
)");
}

/// `w` does not change: its gradient is summed up, and it is not put aside.
TEST(Derivative, ALoopPutsItsResidualsOnStacks) {
  const std::string_view text = R"(func @f(%w: float32[2], %x: float32[2], %n: number int64) -> (%2) {
  %1: number int64, %2: float32[2] = while @condition do @body(%n, %x) with (%w)
}
func @condition(%i: number int64, %y: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_gt(%i, other=0)
}
func @body(%i: number int64, %y: float32[2], %w: float32[2]) -> (%1, %3) {
  %1: number int64 = number_sub(%i, other=1)
  %2: float32[2] = mul(%y, %w)
  %3: float32[2] = tanh(%2)
}
)";
  const Halves made(text);
  EXPECT_EQ(made.forward,
            R"(func @f(%w: float32[2], %x: float32[2], %n: number int64) -> (%5, %6, %7, %8, %w) {
  %1: number int64 = constant 0
  %2: residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])
  %3: residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])
  %4: number int64, %5: float32[2], %6: number int64, %7: residual_stack float32[2], %8: residual_stack float32[2] = while @condition_with_residuals do @body_with_residuals(%n, %x, %1, %2, %3) with (%w)
}
func @condition(%1: number int64, %2: float32[2], %3: float32[2]) -> (%4) {
  %4: number bool_ = number_gt(%1, other=0)
}
func @body_forward(%1: number int64, %2: float32[2], %3: float32[2]) -> (%4, %6, %6) {
  %4: number int64 = number_sub(%1, other=1)
  %5: float32[2] = mul(%2, %3)
  %6: float32[2] = tanh(%5)
}
func @body_with_residuals(%1: number int64, %2: float32[2], %rounds: number int64, %3: residual_stack float32[2], %4: residual_stack float32[2], %5: float32[2]) -> (%6, %7, %9, %10, %11) {
  %6: number int64, %7: float32[2], %8: float32[2] = call @body_forward(%1, %2, %5)
  %9: number int64 = number_add(%rounds, other=1)
  %10: residual_stack float32[2] = push(%3, %8)
  %11: residual_stack float32[2] = push(%4, %2)
}
func @condition_with_residuals(%1: number int64, %2: float32[2], %rounds: number int64, %3: residual_stack float32[2], %4: residual_stack float32[2], %5: float32[2]) -> (%6) {
  %6: number bool_ = call @condition(%1, %2, %5)
}
)");
  EXPECT_EQ(
      made.backward,
      R"(func @f_backward(%1: number int64, %2: residual_stack float32[2], %3: residual_stack float32[2], %w: float32[2], %4: float32[2]) -> (%9) {
  %5: float32[2] = constant {0.0, 0.0}
  %6: float32[2] = copy(%5)
  %7: number int64, %8: float32[2], %9: float32[2], %10: residual_stack float32[2], %11: residual_stack float32[2] = while @loop_backward_condition do @loop_backward(%1, %4, %6, %2, %3) with (%w)
}
func @loop_backward_condition(%1: number int64, %2: float32[2], %3: float32[2], %4: residual_stack float32[2], %5: residual_stack float32[2], %6: float32[2]) -> (%7) {
  %7: number bool_ = number_gt(%1, other=0)
}
func @loop_backward(%1: number int64, %2: float32[2], %3: float32[2], %4: residual_stack float32[2], %5: residual_stack float32[2], %6: float32[2]) -> (%7, %13, %15, %8, %10) {
  %7: number int64 = number_sub(%1, other=1)
  %8: residual_stack float32[2], %9: float32[2] = pop(%4)
  %10: residual_stack float32[2], %11: float32[2] = pop(%5)
  %12: float32[2] = tanh_grad(%2, %9)
  %13: float32[2] = mul(%12, %6)
  %14: float32[2] = mul(%12, %11)
  %15: float32[2] = add(%3, %14)
}
)");
}

TEST(Derivative, NumbersArePutAsideAsTensors) {
  const Halves made(R"(func @f(%x: float32[2], %n: number int64) -> (%2) {
  %1: number int64, %2: float32[2] = while @condition do @body(%n, %x) with ()
}
func @condition(%i: number int64, %y: float32[2]) -> (%1) {
  %1: number bool_ = number_gt(%i, other=0)
}
func @body(%i: number int64, %y: float32[2]) -> (%1, %3) {
  %1: number int64 = number_sub(%i, other=1)
  %2: int64[] = tensor_of(%i, dtype=int64)
  %3: float32[2] = mul(%y, %2)
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2], %n: number int64) -> (%4, %5, %6) {
  %1: number int64 = constant 0
  %2: residual_stack int64[] = new_residual_stack(dtype=int64, shape=[])
  %3: number int64, %4: float32[2], %5: number int64, %6: residual_stack int64[] = while @condition_with_residuals do @body_with_residuals(%n, %x, %1, %2) with ()
}
func @condition(%1: number int64, %2: float32[2]) -> (%3) {
  %3: number bool_ = number_gt(%1, other=0)
}
func @body_forward(%1: number int64, %2: float32[2]) -> (%3, %5) {
  %3: number int64 = number_sub(%1, other=1)
  %4: int64[] = tensor_of(%1, dtype=int64)
  %5: float32[2] = mul(%2, %4)
}
func @body_with_residuals(%1: number int64, %2: float32[2], %rounds: number int64, %3: residual_stack int64[]) -> (%4, %5, %6, %8) {
  %4: number int64, %5: float32[2] = call @body_forward(%1, %2)
  %6: number int64 = number_add(%rounds, other=1)
  %7: int64[] = tensor_of(%1, dtype=int64)
  %8: residual_stack int64[] = push(%3, %7)
}
func @condition_with_residuals(%1: number int64, %2: float32[2], %rounds: number int64, %3: residual_stack int64[]) -> (%4) {
  %4: number bool_ = call @condition(%1, %2)
}
)");
  EXPECT_EQ(made.backward,
            R"(func @f_backward(%1: number int64, %2: residual_stack int64[], %3: float32[2]) -> (%5) {
  %4: number int64, %5: float32[2], %6: residual_stack int64[] = while @loop_backward_condition do @loop_backward(%1, %3, %2) with ()
}
func @loop_backward_condition(%1: number int64, %2: float32[2], %3: residual_stack int64[]) -> (%4) {
  %4: number bool_ = number_gt(%1, other=0)
}
func @loop_backward(%1: number int64, %2: float32[2], %3: residual_stack int64[]) -> (%4, %9, %5) {
  %4: number int64 = number_sub(%1, other=1)
  %5: residual_stack int64[], %6: int64[] = pop(%3)
  %7: number int64 = number_of(%6)
  %8: int64[] = tensor_of(%7, dtype=int64)
  %9: float32[2] = mul(%2, %8)
}
)");
}

/// Calls of such a function are ordered by the token: whether it acts is not known while it is traced.
TEST(Derivative, AFunctionThatCallsItselfHasAGradientThatDoes) {
  const Halves made(R"(func @f(%x: float32[2], %n: number int64, %t: token) -> (%1, %2) {
  %1: float32[2], %2: token = call @again(%x, %n, %t)
}
func @again(%x: float32[2], %n: number int64, %t: token) -> (%2, %3) {
  %1: number bool_ = number_gt(%n, other=0)
  %2: float32[2], %3: token = if %1 then @deeper else @done(%x, %n, %t)
}
func @deeper(%x: float32[2], %n: number int64, %t: token) -> (%3, %4) {
  %1: number int64 = number_sub(%n, other=1)
  %2: float32[2] = sin(%x)
  %3: float32[2], %4: token = call @again(%2, %1, %t)
}
func @done(%x: float32[2], %n: number int64, %t: token) -> (%x, %t) {
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2], %n: number int64, %1: token) -> (%2, %3, %x, %n) {
  %2: float32[2], %3: token = call @again(%x, %n, %1)
}
func @again(%1: float32[2], %2: number int64, %3: token) -> (%5, %6) {
  %4: number bool_ = number_gt(%2, other=0)
  %5: float32[2], %6: token = if %4 then @deeper else @done(%2, %1, %3)
}
func @deeper(%1: number int64, %2: float32[2], %3: token) -> (%6, %7) {
  %4: number int64 = number_sub(%1, other=1)
  %5: float32[2] = sin(%2)
  %6: float32[2], %7: token = call @again(%5, %4, %3)
}
func @done(%1: number int64, %2: float32[2], %3: token) -> (%2, %3) {
}
)");
  EXPECT_EQ(made.backward,
            R"(func @f_backward(%x: float32[2], %n: number int64, %1: float32[2], %2: token) -> (%3, %4) {
  %3: float32[2], %4: token = call @again_gradient(%x, %n, %1, %2)
}
func @again(%1: float32[2], %2: number int64, %3: token) -> (%5, %6) {
  %4: number bool_ = number_gt(%2, other=0)
  %5: float32[2], %6: token = if %4 then @deeper else @done(%2, %1, %3)
}
func @deeper(%1: number int64, %2: float32[2], %3: token) -> (%6, %7) {
  %4: number int64 = number_sub(%1, other=1)
  %5: float32[2] = sin(%2)
  %6: float32[2], %7: token = call @again(%5, %4, %3)
}
func @done(%1: number int64, %2: float32[2], %3: token) -> (%2, %3) {
}
func @again_gradient(%1: float32[2], %2: number int64, %3: float32[2], %4: token) -> (%12, %11) {
  %5: number bool_ = number_gt(%2, other=0)
  %6: float32[2], %7: token, %8: float32[2], %9: number int64 = if %5 then @deeper_1_forward else @done_1_forward(%2, %1, %4)
  %10: float32[2], %11: token = if %5 then @deeper_1_backward_1 else @done_1_backward_1(%8, %9, %3, %7, %1)
  %12: float32[2] = copy(%10)
}
func @deeper_1_forward(%1: number int64, %2: float32[2], %3: token) -> (%6, %7, %5, %4) {
  %4: number int64 = number_sub(%1, other=1)
  %5: float32[2] = sin(%2)
  %6: float32[2], %7: token = call @again(%5, %4, %3)
}
func @done_1_forward(%1: number int64, %2: float32[2], %3: token) -> (%2, %3, %4, %5) {
  %4: float32[2] = zeros(shape=[2], dtype=float32)
  %5: number int64 = constant 0
}
func @deeper_1_backward_1(%1: float32[2], %2: number int64, %3: float32[2], %4: token, %5: float32[2]) -> (%9, %7) {
  %6: float32[2], %7: token = call @again_gradient(%1, %2, %3, %4)
  %8: float32[2] = cos(%5)
  %9: float32[2] = mul(%6, %8)
}
func @done_1_backward_1(%1: float32[2], %2: number int64, %3: float32[2], %4: token, %5: float32[2]) -> (%3, %4) {
}
)");
}

TEST(Derivative, AGradientOfItsOwnIsUsedAsItIs) {
  const Halves made(R"(func @f(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @own(%x) gradient @own_gradient
}
func @own(%x: float32[2]) -> (%1) {
  %1: float32[2] = sin(%x)
}
func @own_gradient(%x: float32[2], %y: float32[2], %dy: float32[2]) -> (%1) {
  %1: float32[2] = mul(%dy, %y)
}
)");
  EXPECT_EQ(made.forward, R"(func @f(%x: float32[2]) -> (%1, %1) {
  %1: float32[2] = call @own(%x) gradient @own_gradient
}
func @own(%1: float32[2]) -> (%2) {
  %2: float32[2] = sin(%1)
}
func @own_gradient(%1: float32[2], %2: float32[2], %3: float32[2]) -> (%4) {
  %4: float32[2] = mul(%3, %2)
}
)");
  EXPECT_EQ(made.backward, R"(func @f_backward(%1: float32[2], %2: float32[2]) -> (%3) {
  %3: float32[2] = mul(%2, %1)
}
)");
}

TEST(Derivative, SizesThatChangeInALoopAreRefused) {
  const std::unique_ptr<ir::Module> module = read(R"(func @f(%x: float32[n]) -> (%1) {
  %1: float32[n] = while @condition do @body(%x) with ()
}
func @condition(%y: float32[n]) -> (%3) {
  %1: float32[] = sum(%y, axis=none, keepdims=false, dtype=none)
  %2: bool_[] = greater(%1, other=1)
  %3: number bool_ = number_of(%2)
}
func @body(%y: float32[n]) -> (%1) {
  %1: float32[n] = tanh(%y)
}
)");
  try {
    differentiate(*module, {true}, {true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("a loop whose variables change their size"), std::string::npos);
  }
}

}  // namespace
}  // namespace dyad::transforms
