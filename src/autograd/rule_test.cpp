#include "autograd/rule.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/placeholder.h"

namespace dyad {
namespace {

const Dim n = Dim::symbol("n");

class GradientRule : public testing::Test {
 protected:
  GradientRule() {
    op_.signature = parse_signature("scaled(x: Tensor, factor: Tensor, others: Tensors) -> Tensor");
    op_.name = "scaled";
    op_.grad = [](GradCall& g) {
      g.set(0, g.grad());
      g.set(2, ValueList{g.grad(), Value()});
    };
  }
  std::vector<ArgumentGradient> run(const Value& x) {
    const Value other = placeholder(DType::kFloat32, {n});
    const Arg args[] = {x, other, ValueList{other, other}};
    const Value result[] = {other};
    return run_gradient_rule(inferring_builder(), op_, args, result, result);
  }
  Op op_;
};

TEST_F(GradientRule, GivesOneEntryPerArgument) {
  const auto gradients = run(placeholder(DType::kFloat32, {n}));
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_EQ(gradients[0].value->shape, Shape{n});
  EXPECT_FALSE(gradients[1].value);
  ASSERT_EQ(gradients[2].members.size(), 2u);
  EXPECT_TRUE(gradients[2].members[0]);
  EXPECT_FALSE(gradients[2].members[1]);
}

TEST_F(GradientRule, WrongShapeIsOurFault) {
  try {
    run(placeholder(DType::kFloat32, {n, 3}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "internal error: the gradient rule of scaled gives a gradient of shape (n,) for an argument of "
              "shape (n, 3)");
  }
}

TEST_F(GradientRule, MissingRuleSaysWhy) {
  op_.grad = nullptr;
  op_.no_grad = "integer result";
  try {
    run(placeholder(DType::kFloat32, {n}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "scaled: there is no gradient rule: integer result");
  }
}

}  // namespace
}  // namespace dyad
