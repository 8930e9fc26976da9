#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "types/dtype.h"

namespace dyad {

/// A Python number: bool, int, float or complex. It takes part in arithmetic without deciding the width of
/// the result.
class Scalar {
 public:
  enum class Kind : uint8_t { kBool, kInt, kFloat, kComplex };

  Scalar() = default;
  Scalar(bool value) : kind_(Kind::kBool), int_(value) {}      // NOLINT: a number is a scalar
  Scalar(int64_t value) : kind_(Kind::kInt), int_(value) {}    // NOLINT
  Scalar(int value) : Scalar(static_cast<int64_t>(value)) {}   // NOLINT
  Scalar(double value) : kind_(Kind::kFloat), real_(value) {}  // NOLINT
  Scalar(std::complex<double> value)
      : kind_(Kind::kComplex), real_(value.real()), imag_(value.imag()) {}  // NOLINT

  Kind kind() const { return kind_; }
  bool integral() const { return kind_ <= Kind::kInt; }
  int64_t to_int() const { return integral() ? int_ : static_cast<int64_t>(real_); }
  double to_double() const { return integral() ? static_cast<double>(int_) : real_; }
  std::complex<double> to_complex() const { return {to_double(), imag_}; }
  bool to_bool() const { return integral() ? int_ != 0 : real_ != 0 || imag_ != 0; }
  bool operator==(const Scalar& o) const {
    return kind_ == o.kind_ && int_ == o.int_ && real_ == o.real_ && imag_ == o.imag_;
  }

 private:
  Kind kind_ = Kind::kInt;
  int64_t int_ = 0;
  double real_ = 0;
  double imag_ = 0;
};

std::string to_text(const Scalar& scalar);
/// dtype of a tensor made from the number alone: bool, int64, float32, complex128.
DType default_dtype(const Scalar& scalar);
/// Result of mixing a tensor of `dtype` with the number (spec: graph-syntax §3).
DType promote(std::string_view op, DType dtype, const Scalar& scalar);
/// Writes the number as one element of `dtype`.
void store(const Scalar& scalar, DType dtype, void* element);
/// Reads one element.
Scalar load(DType dtype, const void* element);

}  // namespace dyad
