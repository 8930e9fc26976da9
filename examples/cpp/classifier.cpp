// A small classifier run from C++: two layers on a batch of two points, and the probabilities of three
// classes.
#include <dyad/call.h>
#include <dyad/version.h>

#include <cstdio>

using dyad::api::call;
using dyad::api::Tensor;

int main() {
  const Tensor points = Tensor::from({0.5f, -1.0f, 2.0f, 0.25f}, {2, 2});
  const Tensor hidden_weight = Tensor::from({1.0f, -1.0f, 0.5f, 2.0f, -0.5f, 0.0f, 1.0f, 1.0f}, {2, 4});
  const Tensor hidden_bias = Tensor::from({0.0f, 0.1f, 0.2f, 0.3f}, {4});
  const Tensor class_weight =
      Tensor::from({1.0f, 0.0f, -1.0f, 0.0f, 1.0f, 0.0f, 0.5f, 0.5f, 0.5f, -1.0f, 0.0f, 1.0f}, {4, 3});

  const Tensor hidden = call("relu", {call("matmul", {points, hidden_weight}) + hidden_bias});
  const Tensor classes = call("softmax", {call("matmul", {hidden, class_weight}), -1});

  const auto probabilities = classes.values<float>();
  std::printf("Dyad %s\n", dyad::api::version());
  for (int point = 0; point < 2; ++point) {
    const float* row = &probabilities[3 * point];
    std::printf("point %d: %.4f %.4f %.4f\n", point, row[0], row[1], row[2]);
  }
}
