#include "ir/graph.h"

#include "ir/graph_fixture.h"
#include "ir/printer.h"

namespace dyad::ir {
namespace {

TEST(Graph, NamesAndNumbersOfValues) {
  Module module;
  Function& function = module.add_function("f");
  EXPECT_EQ(module.add_function("f").name, "f_1");
  GraphValue& x = function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, {2}, "x");
  GraphValue& y = function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, {2}, "x");
  function.results = {GraphValueRef(&x), GraphValueRef(&y)};
  EXPECT_EQ(print(function), "func @f(%x: float32[2], %x_1: float32[2]) -> (%x, %x_1) {\n}\n");
  function.replace_uses(y, GraphValueRef(&x));
  EXPECT_EQ(print(function), "func @f(%x: float32[2], %x_1: float32[2]) -> (%x, %x) {\n}\n");
}

}  // namespace
}  // namespace dyad::ir
