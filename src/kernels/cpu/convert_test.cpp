#include "kernels/cpu/convert.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "types/scalar.h"

namespace dyad::kernels {
namespace {

// Enough for whole vectors of every instruction set and a rest.
constexpr int64_t kCount = 77;

TEST(Convert, EveryPairOfDtypesKeepsSmallNumbers) {
  for (int from = 0; from < kDTypeCount; ++from) {
    for (int to = 0; to < kDTypeCount; ++to) {
      const auto source = static_cast<DType>(from);
      const auto target = static_cast<DType>(to);
      std::vector<char> in(static_cast<size_t>(kCount * itemsize(source)));
      std::vector<char> out(static_cast<size_t>(kCount * itemsize(target)));
      for (int64_t i = 0; i < kCount; ++i) store(Scalar(i % 5), source, in.data() + i * itemsize(source));
      converter(source, target)(kCount, in.data(), out.data());
      for (int64_t i = 0; i < kCount; ++i) {
        const bool truth = is_bool(source) || is_bool(target);
        const double wanted = truth ? (i % 5 != 0) : static_cast<double>(i % 5);
        ASSERT_EQ(load(target, out.data() + i * itemsize(target)).to_double(), wanted)
            << dtype_name(source) << " to " << dtype_name(target) << " at " << i;
      }
    }
  }
}

TEST(Convert, FloatsBecomeIntegersByTruncation) {
  const float in[] = {1.9f, -1.9f, 0.5f, -0.5f};
  int32_t out[4];
  converter(DType::kFloat32, DType::kInt32)(4, in, out);
  EXPECT_EQ(std::vector<int32_t>(out, out + 4), (std::vector<int32_t>{1, -1, 0, 0}));
}

TEST(Convert, AnythingButZeroIsTrue) {
  const float in[] = {0.0f, -0.0f, 0.25f, -3.0f};
  bool out[4];
  converter(DType::kFloat32, DType::kBool)(4, in, out);
  EXPECT_EQ(std::vector<bool>(out, out + 4), (std::vector<bool>{false, false, true, true}));
}

TEST(Convert, GatherAndScatterAreInverse) {
  for (int64_t bytes : {1, 2, 4, 8, 16}) {
    std::vector<char> source(static_cast<size_t>(bytes * 10 * 3));
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i);
    std::vector<char> packed(static_cast<size_t>(bytes * 10));
    gather(bytes, 10, source.data(), 3, packed.data());
    for (int64_t i = 0; i < 10; ++i) {
      ASSERT_EQ(std::memcmp(&packed[static_cast<size_t>(i * bytes)],
                            &source[static_cast<size_t>(3 * i * bytes)], static_cast<size_t>(bytes)),
                0);
    }
    std::vector<char> spread(source.size());
    scatter(bytes, 10, packed.data(), spread.data(), 3);
    std::vector<char> again(packed.size());
    gather(bytes, 10, spread.data(), 3, again.data());
    EXPECT_EQ(again, packed);
  }
}

}  // namespace
}  // namespace dyad::kernels
