#include "ops/placeholder.h"

#include <gtest/gtest.h>

#include "ops/call.h"

namespace dyad {
namespace {

DYAD_USE(add, neg);

const Dim n = Dim::symbol("n");

TEST(Placeholder, OperatorsInferAndDoNotRun) {
  const Value x = placeholder(DType::kFloat16, {n, 1});
  const Value y = placeholder(DType::kFloat32, {3});
  const Value sum = add(x, y);
  EXPECT_EQ(sum->dtype, DType::kFloat32);
  EXPECT_EQ(sum->shape, (Shape{n, 3}));
  EXPECT_EQ(sum->data, nullptr);
}

TEST(Placeholder, BodiesAreInferredThroughTheirOperators) {
  Op doubled_negative;
  doubled_negative.signature = parse_signature("doubled_negative(x: Tensor) -> Tensor");
  doubled_negative.name = doubled_negative.signature.name;
  doubled_negative.body = [](const Call& call, ValueList& results) {
    results.push_back(neg(call.value(0) + call.value(0)));
  };
  const Arg args[] = {placeholder(DType::kInt8, {n})};
  const Value result = inferring_builder().apply_one(doubled_negative, args);
  EXPECT_EQ(result->dtype, DType::kInt8);
  EXPECT_EQ(result->shape, Shape{n});
}

}  // namespace
}  // namespace dyad
