#include "ops/call.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/placeholder.h"

namespace dyad {
namespace {

DYAD_USE(expand_dims, nothing_of_this_name);

const Dim n = Dim::symbol("n");

TEST(OpName, OneNumberStandsForAListOfOne) {
  const Value x = placeholder(DType::kFloat32, {n});
  EXPECT_EQ(expand_dims(x, 0)->shape, (Shape{1, n}));
  EXPECT_EQ(expand_dims(x, Dims{0})->shape, (Shape{1, n}));
}

TEST(OpName, ArithmeticReadsAsWritten) {
  const Value x = placeholder(DType::kFloat16, {n, 1});
  const Value y = placeholder(DType::kFloat16, {3});
  EXPECT_EQ((x * y + 1 - 2.0 * y)->shape, (Shape{n, 3}));
}

TEST(OpName, MissingOperatorIsOurFault) {
  try {
    nothing_of_this_name(placeholder(DType::kFloat32, {}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "internal error: there is no operator 'nothing_of_this_name'");
  }
}

}  // namespace
}  // namespace dyad
