#pragma once

#include <span>

#include "types/scalar.h"

namespace dyad::number_arithmetic {

/// Python's operators on bools, ints of 64 bits and floats, with Python's errors. Where Python's int would
/// need more than 64 bits they raise an OverflowError.
using Operands = std::span<const Scalar>;

Scalar add(Operands x);
Scalar subtract(Operands x);
Scalar multiply(Operands x);
Scalar divide(Operands x);
Scalar floor_divide(Operands x);
Scalar modulo(Operands x);
Scalar power(Operands x);
Scalar shift_left(Operands x);
Scalar shift_right(Operands x);
Scalar bit_and(Operands x);
Scalar bit_or(Operands x);
Scalar bit_xor(Operands x);
Scalar less(Operands x);
Scalar less_equal(Operands x);
Scalar greater(Operands x);
Scalar greater_equal(Operands x);
Scalar equal(Operands x);
Scalar not_equal(Operands x);
Scalar least(Operands x);
Scalar greatest(Operands x);
Scalar negate(Operands x);
Scalar keep(Operands x);
Scalar invert(Operands x);
Scalar absolute(Operands x);
Scalar logical_not(Operands x);
Scalar to_bool(Operands x);
Scalar to_int(Operands x);
Scalar to_float(Operands x);
/// To the nearest int, or to so many digits after the point if a second operand says so; halves to even.
Scalar round(Operands x);

}  // namespace dyad::number_arithmetic
