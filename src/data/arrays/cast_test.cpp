#include "data/arrays/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dyad::data {
namespace {

template <class T>
Tensor list(DType dtype, std::initializer_list<T> values) {
  Tensor tensor = empty(dtype, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor->as<T>());
  return tensor;
}

TEST(Cast, EveryPairOfDtypesKeepsSmallNumbers) {
  for (int from = 0; from < kDTypeCount; ++from) {
    for (int to = 0; to < kDTypeCount; ++to) {
      Tensor source = empty(DType::kInt64, {67});  // two blocks and a rest
      for (int64_t i = 0; i < 67; ++i) source->as<int64_t>()[i] = i % 2;
      const Tensor there = cast_to(cast_to(source, static_cast<DType>(from)), static_cast<DType>(to));
      const Tensor back = cast_to(there, DType::kInt64);
      for (int64_t i = 0; i < 67; ++i) ASSERT_EQ(back->as<int64_t>()[i], i % 2) << from << " " << to;
    }
  }
}

TEST(Cast, SameDtypeIsTheSameTensor) {
  const Tensor source = list<float>(DType::kFloat32, {1, 2});
  EXPECT_EQ(cast_to(source, DType::kFloat32).get(), source.get());
}

TEST(Cast, FloatsThatNoIntegerStandsFor) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor source = list<float>(DType::kFloat32, {nan, 1e20f, -1e20f, 2147483648.0f, -2147483648.0f});
  const Tensor whole = cast_to(source, DType::kInt32);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(whole->as<int32_t>()[i], std::numeric_limits<int32_t>::min());
  const Tensor wide = cast_to(source, DType::kUInt32);
  EXPECT_EQ(wide->as<uint32_t>()[3], 2147483648u);
}

TEST(Cast, NonContiguousSource) {
  const Tensor base = list<int16_t>(DType::kInt16, {0, 1, 2, 3, 4, 5});
  const Tensor transposed = make_view(*base, DType::kInt16, {3, 2}, {1, 3}, 0);
  const Tensor result = cast_to(transposed, DType::kFloat64);
  EXPECT_EQ(result->as<double>()[1], 3.0);
  EXPECT_EQ(result->as<double>()[4], 2.0);
}

}  // namespace
}  // namespace dyad::data
