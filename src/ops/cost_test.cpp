#include "ops/cost.h"

#include <gtest/gtest.h>

#include "ops/placeholder.h"

namespace dyad {
namespace {

Value of_shape(std::initializer_list<Dim> shape) { return placeholder(DType::kFloat32, Shape(shape)); }

double flop(std::string_view name, const ValueList& operands, const Value& result) {
  const std::vector<Arg> args(operands.begin(), operands.end());
  const ValueImpl* results[] = {result.get()};
  return cost_of(OpTable::instance().get(name), args, results).flops;
}

TEST(Cost, ProductsCountEachMultiplyAddTwice) {
  EXPECT_EQ(flop("matmul", {of_shape({2, 3, 4}), of_shape({2, 4, 5})}, of_shape({2, 3, 5})),
            2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(flop("dense", {of_shape({3, 4}), of_shape({5, 4}), Value()}, of_shape({3, 5})), 2 * 3 * 4 * 5);
}

TEST(Cost, ConvolutionsAndTheirGradientsTakeAsMuch) {
  const Value image = of_shape({1, 3, 8, 8}), weight = of_shape({6, 3, 3, 3}), made = of_shape({1, 6, 6, 6});
  const double expected = 2.0 * 6 * 6 * 6 * 3 * 3 * 3;
  EXPECT_EQ(flop("convolution", {image, weight}, made), expected);
  EXPECT_EQ(flop("convolution_input_gradient", {made, weight}, image), expected);
  EXPECT_EQ(flop("convolution_weight_gradient", {made, image}, weight), expected);
}

TEST(Cost, ElementwiseOperatorsTakeOneForEachElement) {
  EXPECT_EQ(flop("add", {of_shape({4, 1}), of_shape({5})}, of_shape({4, 5})), 20);
}

TEST(Cost, BytesAreThoseOfWhatIsReadAndOfResults) {
  const Value x = of_shape({4, 5});
  const std::vector<Arg> args{x, x};
  const ValueImpl* results[] = {x.get()};
  EXPECT_EQ(cost_of(OpTable::instance().get("add"), args, results).bytes, 3 * 4 * 5 * 4);
}

TEST(Cost, EveryEntryTellsIt) {
  for (const Op* op : OpTable::instance().all()) EXPECT_NE(cost_origin(*op), "") << op->name;
}

TEST(Cost, MovingDataTakesNone) { EXPECT_EQ(flop("copy", {of_shape({4})}, of_shape({4})), 0); }

}  // namespace
}  // namespace dyad
