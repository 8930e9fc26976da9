#include "dyad/call.h"

#include <gtest/gtest.h>

#include <functional>

namespace dyad::api {
namespace {

using Floats = std::vector<float>;
using Sizes = std::vector<int64_t>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Call, AddsWithBroadcast) {
  const Tensor a = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  const Tensor b = Tensor::from({10.0f, 20.0f}, {2});
  const Tensor sum = a + b;
  EXPECT_EQ(sum.shape(), (Sizes{2, 2}));
  EXPECT_EQ(sum.dtype(), "float32");
  EXPECT_EQ(sum.values<float>(), (Floats{11, 22, 13, 24}));
}

TEST(Call, NumberTakesTheTensorsDtype) {
  const Tensor halves = Tensor::from({1.0f, 2.0f}, {2}) / 2;
  EXPECT_EQ(halves.values<float>(), (Floats{0.5f, 1.0f}));
}

TEST(Call, LeftOutArgumentsTakeDefaults) {
  EXPECT_EQ(call("exp", {Tensor::from({0.0f}, {1})}).values<float>(), Floats{1.0f});
}

TEST(Call, ErrorsNameTheOperatorAndTheValues) {
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  EXPECT_EQ(message_of([&] { call("nothing", {x}); }),
            "call: there is no operator 'nothing'; the op table lists those there are");
  EXPECT_EQ(message_of([&] { call("exp", {x, x}); }), "exp: got 2 arguments; takes at most 1");
  EXPECT_EQ(message_of([&] { call("exp", {"text"}); }), "exp: input is text; need a Tensor");
  EXPECT_EQ(message_of([&] { call("exp", {}); }), "exp: input is missing");
  EXPECT_EQ(message_of([&] { call("exp", {Tensor()}); }),
            "exp: the tensor is an empty handle; need one with elements");
}

TEST(Tensor, ChecksCountAndType) {
  EXPECT_EQ(message_of([] { Tensor::from({1.0f, 2.0f}, {3}); }),
            "Tensor::from: 2 values do not fill the shape (3,); need 3");
  EXPECT_EQ(message_of([] { Tensor::from({1.0f}, {1}).values<int32_t>(); }),
            "Tensor::values: elements are Float32, asked for int32; cast the tensor first");
}

}  // namespace
}  // namespace dyad::api
