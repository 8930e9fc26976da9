#include "ops/number_operator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace dyad {
namespace {

std::string evaluated(const char* name, std::vector<Scalar> operands) {
  const NumberOperator* op = find_number_operator(name);
  EXPECT_NE(op, nullptr) << name;
  std::vector<Arg> args(operands.begin(), operands.end());
  try {
    const DType inferred = op->infer_results(args)[0].dtype;
    const Scalar result = op->evaluate(operands);
    EXPECT_EQ(number_dtype(result.kind()), inferred) << name;
    return to_text(result);
  } catch (const Error& error) {
    return error.message();
  }
}

TEST(NumberOperator, DoesWhatPythonDoes) {
  EXPECT_EQ(evaluated("number_add", {true, true}), "2");
  EXPECT_EQ(evaluated("number_add", {1, 0.5}), "1.5");
  EXPECT_EQ(evaluated("number_floordiv", {-7, 2}), "-4");
  EXPECT_EQ(evaluated("number_floordiv", {7, -2}), "-4");
  EXPECT_EQ(evaluated("number_mod", {-7, 2}), "1");
  EXPECT_EQ(evaluated("number_mod", {7, -2}), "-1");
  EXPECT_EQ(evaluated("number_floordiv", {-7.5, 2}), "-4.0");
  EXPECT_EQ(evaluated("number_mod", {-7.5, 2}), "0.5");
  EXPECT_EQ(evaluated("number_truediv", {7, 2}), "3.5");
  EXPECT_EQ(evaluated("number_pow", {2, 10}), "1024");
  EXPECT_EQ(evaluated("number_pow", {2, -1}), "0.5");
  EXPECT_EQ(evaluated("number_lshift", {3, 4}), "48");
  EXPECT_EQ(evaluated("number_rshift", {-3, 100}), "-1");
  EXPECT_EQ(evaluated("number_and", {true, false}), "False");
  EXPECT_EQ(evaluated("number_or", {true, 2}), "3");
  EXPECT_EQ(evaluated("number_invert", {true}), "-2");
  EXPECT_EQ(evaluated("number_not", {0.0}), "True");
  EXPECT_EQ(evaluated("number_int", {-2.7}), "-2");
  EXPECT_EQ(evaluated("number_abs", {-2.5}), "2.5");
  EXPECT_EQ(evaluated("number_min", {3, 2}), "2");
  EXPECT_EQ(evaluated("number_max", {3.5, 2.0}), "3.5");
}

TEST(NumberOperator, RoundsHalvesToEven) {
  EXPECT_EQ(evaluated("number_round", {0.5}), "0");
  EXPECT_EQ(evaluated("number_round", {1.5}), "2");
  EXPECT_EQ(evaluated("number_round", {2.675, 2}), "2.67");
  EXPECT_EQ(evaluated("number_round", {25, -1}), "20");
  EXPECT_EQ(evaluated("number_round", {-25, -1}), "-20");
  EXPECT_EQ(evaluated("number_round", {35, -1}), "40");
  EXPECT_EQ(evaluated("number_round", {1234.5, -2}), "1200.0");
}

TEST(NumberOperator, ComparesIntsAndFloatsExactly) {
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(evaluated("number_eq", {large, 9007199254740992.0}), "False");
  EXPECT_EQ(evaluated("number_gt", {large, 9007199254740992.0}), "True");
  EXPECT_EQ(evaluated("number_lt", {std::nan(""), 1}), "False");
  EXPECT_EQ(evaluated("number_ne", {std::nan(""), std::nan("")}), "True");
}

TEST(NumberOperator, RaisesWhatPythonRaises) {
  EXPECT_EQ(evaluated("number_floordiv", {1, 0}), "integer division or modulo by zero");
  EXPECT_EQ(evaluated("number_mod", {1, 0}), "integer modulo by zero");
  EXPECT_EQ(evaluated("number_truediv", {1, 0}), "division by zero");
  EXPECT_EQ(evaluated("number_truediv", {1.0, 0}), "float division by zero");
  EXPECT_EQ(evaluated("number_pow", {0, -1}), "0.0 cannot be raised to a negative power");
  EXPECT_EQ(evaluated("number_lshift", {1, -1}), "negative shift count");
  EXPECT_EQ(evaluated("number_int", {std::nan("")}), "cannot convert float NaN to integer");
  EXPECT_EQ(evaluated("number_and", {1.5, 2}), "unsupported operand type(s) for &: 'float' and 'int'");
  EXPECT_EQ(evaluated("number_invert", {1.5}), "bad operand type for unary ~: 'float'");
}

TEST(NumberOperator, IntsHaveSixtyFourBits) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const int64_t least = std::numeric_limits<int64_t>::min();
  const std::string wide = " needs more than 64 bits; an int of a static graph has 64";
  EXPECT_EQ(evaluated("number_add", {most, 1}), "the result of +" + wide);
  EXPECT_EQ(evaluated("number_sub", {least, 1}), "the result of -" + wide);
  EXPECT_EQ(evaluated("number_mul", {most, 2}), "the result of *" + wide);
  EXPECT_EQ(evaluated("number_pow", {10, 19}), "the result of **" + wide);
  EXPECT_EQ(evaluated("number_pow", {-2, 63}), "-9223372036854775808");
  EXPECT_EQ(evaluated("number_neg", {least}), "the result of -" + wide);
  EXPECT_EQ(evaluated("number_floordiv", {least, -1}), "the result of -" + wide);
  EXPECT_EQ(evaluated("number_mod", {least, -1}), "0");
  EXPECT_EQ(evaluated("number_lshift", {1, 63}), "the result of <<" + wide);
  EXPECT_EQ(evaluated("number_int", {1e30}), "the result of int" + wide);
}

}  // namespace
}  // namespace dyad
