#include "types/promote.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dyad {
namespace {

constexpr std::string_view kNone = "-";

/// Codes of the dtypes in the table below, in the order of the enumerators.
constexpr std::string_view kCodes[] = {"b",  "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                       "u8", "f2", "bf", "f4", "f8", "c8", "cc"};

/// The promotion rules in full; "-" is a TypeError. Row and column in the order of the enumerators.
constexpr std::string_view kTable[kDTypeCount][kDTypeCount] = {
    {"b", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"i1", "i1", "i2", "i4", "i8", "i2", "-", "-", "-", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"i2", "i2", "i2", "i4", "i8", "i2", "-", "-", "-", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"i4", "i4", "i4", "i4", "i8", "i4", "-", "-", "-", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"i8", "i8", "i8", "i8", "i8", "i8", "-", "-", "-", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"u1", "i2", "i2", "i4", "i8", "u1", "-", "-", "-", "f2", "bf", "f4", "f8", "c8", "cc"},
    {"u2", "-", "-", "-", "-", "-", "u2", "-", "-", "-", "-", "-", "-", "-", "-"},
    {"u4", "-", "-", "-", "-", "-", "-", "u4", "-", "-", "-", "-", "-", "-", "-"},
    {"u8", "-", "-", "-", "-", "-", "-", "-", "u8", "-", "-", "-", "-", "-", "-"},
    {"f2", "f2", "f2", "f2", "f2", "f2", "-", "-", "-", "f2", "f4", "f4", "f8", "c8", "cc"},
    {"bf", "bf", "bf", "bf", "bf", "bf", "-", "-", "-", "f4", "bf", "f4", "f8", "c8", "cc"},
    {"f4", "f4", "f4", "f4", "f4", "f4", "-", "-", "-", "f4", "f4", "f4", "f8", "c8", "cc"},
    {"f8", "f8", "f8", "f8", "f8", "f8", "-", "-", "-", "f8", "f8", "f8", "f8", "cc", "cc"},
    {"c8", "c8", "c8", "c8", "c8", "c8", "-", "-", "-", "c8", "c8", "c8", "cc", "c8", "cc"},
    {"cc", "cc", "cc", "cc", "cc", "cc", "-", "-", "-", "cc", "cc", "cc", "cc", "cc", "cc"},
};

DType dtype_at(int i) { return static_cast<DType>(i); }

template <class Other>
std::string_view code_of_mixing(DType dtype, const Other& other) {
  try {
    return kCodes[static_cast<size_t>(promote("op", dtype, other))];
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kType);
    return kNone;
  }
}

TEST(Promote, TensorWithTensor) {
  for (int row = 0; row < kDTypeCount; ++row) {
    for (int column = 0; column < kDTypeCount; ++column) {
      EXPECT_EQ(code_of_mixing(dtype_at(row), dtype_at(column)), kTable[row][column])
          << dtype_name(dtype_at(row)) << " with " << dtype_name(dtype_at(column));
    }
  }
}

TEST(Promote, TensorWithNumber) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = dtype_at(i);
    const std::string_view own = kCodes[i];
    const bool wide_unsigned = dtype >= DType::kUInt16 && dtype <= DType::kUInt64;
    const bool keeps_float = is_float(dtype) || is_complex(dtype);
    EXPECT_EQ(code_of_mixing(dtype, Scalar(true)), own);
    EXPECT_EQ(code_of_mixing(dtype, Scalar(2)), is_bool(dtype) ? "i8" : wide_unsigned ? kNone : own);
    EXPECT_EQ(code_of_mixing(dtype, Scalar(2.5)), keeps_float ? own : "f4");
    EXPECT_EQ(code_of_mixing(dtype, Scalar(std::complex<double>(0, 1))), is_complex(dtype)          ? own
                                                                         : dtype == DType::kFloat64 ? "cc"
                                                                                                    : "c8");
  }
}

TEST(Promote, ErrorNamesTheOperatorAndBothTypes) {
  try {
    promote("add", DType::kUInt16, DType::kFloat32);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "add: no common type of UInt16 and Float32; cast one of them, UInt16, UInt32 and UInt64 mix "
              "only with "
              "themselves and Bool");
  }
}

TEST(OperandDtype, NumbersComeAfterTensorsWhateverTheirPlace) {
  const Arg numbers_only[] = {Scalar(1), Scalar(2.5)};
  EXPECT_EQ(operand_dtype(Arguments("op", numbers_only), 2), DType::kFloat32);
  const Arg integers[] = {Scalar(1), Scalar(true)};
  EXPECT_EQ(operand_dtype(Arguments("op", integers), 2), DType::kInt64);
}

}  // namespace
}  // namespace dyad
