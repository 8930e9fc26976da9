#include "data/image/normalize.h"

#include <gtest/gtest.h>

#include "data/image/image.h"

namespace dyad::data {
namespace {

Attributes statistics(bool is_hwc) {
  Attributes attributes;
  attributes.set("mean", std::vector<double>{0.5});
  attributes.set("std", std::vector<double>{0.25});
  attributes.set("is_hwc", is_hwc);
  return attributes;
}

TransformRef rescale() {
  Attributes attributes;
  attributes.set("rescale", 1.0 / 255);
  attributes.set("shift", 0.0);
  return TransformTable::instance().make("rescale", attributes);
}

TransformRef named(std::string_view name, const Attributes& attributes = {}) {
  return TransformTable::instance().make(name, attributes);
}

TEST(PixelMap, AChainBecomesOnePass) {
  const std::vector<TransformRef> chain{rescale(), named("normalize", statistics(true)), named("hwc2chw")};
  EXPECT_EQ(in_fewer_passes(chain).size(), 1U);
  EXPECT_EQ(in_fewer_passes({named("to_tensor"), named("normalize", statistics(false))}).size(), 1U);
}

TEST(PixelMap, WhatOnePassCannotDoStaysTwo) {
  EXPECT_EQ(in_fewer_passes({named("normalize", statistics(true)), rescale()}).size(), 2U);
  EXPECT_EQ(in_fewer_passes({named("hwc2chw"), named("normalize", statistics(true))}).size(), 2U);
  EXPECT_EQ(in_fewer_passes({rescale(), named("horizontal_flip"), named("hwc2chw")}).size(), 3U);
}

TEST(PixelMap, OnePassMakesWhatTheChainMakes) {
  const Tensor image = empty(DType::kUInt8, {5, 7, 3});
  for (int64_t i = 0; i < image->size(); ++i) image->as<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  const std::vector<TransformRef> chain{rescale(), named("normalize", statistics(true)), named("hwc2chw")};
  Row apart{image};
  Row together{image};
  Random random(1);
  for (const TransformRef& step : chain) step->apply(apart, random);
  for (const TransformRef& step : in_fewer_passes(chain)) step->apply(together, random);
  const Tensor& a = apart[0].tensor("");
  const Tensor& b = together[0].tensor("");
  ASSERT_EQ(a->shape.size(), 3U);
  ASSERT_EQ(a->size(), b->size());
  for (int64_t i = 0; i < a->size(); ++i) EXPECT_NEAR(a->as<float>()[i], b->as<float>()[i], 1e-5);
}

}  // namespace
}  // namespace dyad::data
