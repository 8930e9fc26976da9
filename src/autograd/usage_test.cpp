#include "autograd/usage.h"

#include <gtest/gtest.h>

#include "ops/placeholder.h"

namespace dyad::autograd {
namespace {

Usage usage(const char* name, std::vector<Arg> args, Shape result, ArgumentMask needed) {
  const Op& op = OpTable::instance().get(name);
  while (args.size() < op.signature.params.size())
    args.push_back(op.signature.params[args.size()].default_value);
  const Value results[] = {placeholder(DType::kFloat32, std::move(result))};
  return usage_of(op, args, results, needed);
}

const Value wide = placeholder(DType::kFloat32, {2, 3});
const Value narrow = placeholder(DType::kFloat32, {3});

TEST(Usage, SumsReadNothing) {
  EXPECT_EQ(usage("add", {wide, narrow}, {2, 3}, 3).args, 0u);
  EXPECT_EQ(usage("add", {wide, narrow}, {2, 3}, 3).results, 0u);
}

TEST(Usage, ProductsReadTheOtherFactor) {
  EXPECT_EQ(usage("mul", {wide, narrow}, {2, 3}, 1).args, 2u);
  EXPECT_EQ(usage("mul", {wide, narrow}, {2, 3}, 2).args, 1u);
  EXPECT_EQ(usage("mul", {wide, narrow}, {2, 3}, 3).args, 3u);
}

TEST(Usage, SomeRulesReadTheResult) {
  const Usage found = usage("exp", {wide}, {2, 3}, 1);
  EXPECT_EQ(found.args, 0u);
  EXPECT_EQ(found.results, 1u);
}

}  // namespace
}  // namespace dyad::autograd
