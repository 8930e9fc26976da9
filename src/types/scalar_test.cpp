#include "types/scalar.h"

#include <gtest/gtest.h>

#include "types/visit.h"

namespace dyad {
namespace {

TEST(Scalar, StoresAndLoadsInEveryDtype) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    alignas(16) char element[16];
    store(Scalar(3), dtype, element);
    EXPECT_EQ(load(dtype, element).to_double(), is_bool(dtype) ? 1.0 : 3.0) << dtype_name(dtype);
  }
}

TEST(Scalar, ComplexKeepsBothParts) {
  alignas(16) char element[16];
  store(Scalar(std::complex<double>(1.5, -2)), DType::kComplex64, element);
  EXPECT_EQ(load(DType::kComplex64, element).to_complex(), std::complex<double>(1.5, -2));
}

TEST(Scalar, DefaultDtypes) {
  EXPECT_EQ(default_dtype(true), DType::kBool);
  EXPECT_EQ(default_dtype(1), DType::kInt64);
  EXPECT_EQ(default_dtype(1.0), DType::kFloat32);
}

TEST(Scalar, TruthOfANumber) {
  EXPECT_TRUE(Scalar(std::complex<double>(0, 1)).to_bool());
  EXPECT_TRUE(Scalar(0.25).to_bool());
  EXPECT_FALSE(Scalar(0).to_bool());
}

TEST(DType, ItemsizeIsThatOfTheStoredType) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const auto stored = visit_dtype(dtype, [](auto typed) { return sizeof(typename decltype(typed)::type); });
    const auto moved = visit_width(dtype, [](auto typed) { return sizeof(typename decltype(typed)::type); });
    EXPECT_EQ(static_cast<size_t>(itemsize(dtype)), stored);
    EXPECT_EQ(stored, moved);
  }
}

}  // namespace
}  // namespace dyad
