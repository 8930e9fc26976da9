#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast, bits_set);

constexpr std::string_view kInteger = "integer result";

}  // namespace

DYAD_OP("bitwise_and(input: Operand, other: Operand) -> Tensor")
    .doc("Bitwise AND, element by element; logical AND for bools.")
    .formula("out[i] = input[i] & other[i]")
    .see("ops.bitwise_or, ops.logical_and")
    .method()
    .inplace("bitwise_and_")
    .primitive("BitwiseAnd")
    .alias("x", "input")
    .alias("y", "other")
    .mint("bitwise_and")
    .numpy_function("bitwise_and")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.bitwise_and(input, other)")
    .samples("binary(only='int')", "call(B(2, 3), B(3))")
    .rejects("ops.bitwise_and(ones(2), ones(2))", "TypeError", "bitwise_and: operands meet in Float32");

DYAD_OP("bitwise_or(input: Operand, other: Operand) -> Tensor")
    .doc("Bitwise OR, element by element; logical OR for bools.")
    .formula("out[i] = input[i] | other[i]")
    .see("ops.bitwise_and, ops.logical_or")
    .method()
    .inplace("bitwise_or_")
    .primitive("BitwiseOr")
    .alias("x", "input")
    .alias("y", "other")
    .mint("bitwise_or")
    .numpy_function("bitwise_or")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.bitwise_or(input, other)")
    .samples("binary(only='int')", "call(B(2, 3), B(3))")
    .rejects("ops.bitwise_or(ones(2), ones(2))", "TypeError", "bitwise_or: operands meet in Float32");

DYAD_OP("bitwise_xor(input: Operand, other: Operand) -> Tensor")
    .doc("Bitwise XOR, element by element; logical XOR for bools.")
    .formula("out[i] = input[i] ^ other[i]")
    .see("ops.bitwise_or, ops.logical_xor")
    .method()
    .inplace("bitwise_xor_")
    .primitive("BitwiseXor")
    .alias("x", "input")
    .alias("y", "other")
    .mint("bitwise_xor")
    .numpy_function("bitwise_xor")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.bitwise_xor(input, other)")
    .samples("binary(only='int')", "call(B(2, 3), B(3))")
    .rejects("ops.bitwise_xor(ones(2), ones(2))", "TypeError", "bitwise_xor: operands meet in Float32");

DYAD_OP("bitwise_not(input: Tensor) -> Tensor")
    .doc("Bitwise NOT, element by element; logical NOT for bools.")
    .formula("bitwise_not(x) = ~x")
    .see("ops.logical_not")
    .function("invert(x:input)")
    .method()
    .method("invert")
    .inplace("bitwise_not_")
    .primitive("Invert")
    .alias("x", "input")
    .mint("bitwise_not")
    .numpy_function("bitwise_not", "invert")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.invert(input)")
    .samples("unary(only='int+bool')")
    .rejects("ops.bitwise_not(ones(2))", "TypeError", "bitwise_not: operands meet in Float32");

DYAD_OP("bitwise_left_shift(input: Operand, other: Operand) -> Tensor")
    .doc(
        "Left shift of the bits of integers. A distance that is negative or at least the number of bits "
        "results in 0.")
    .formula("out[i] = input[i] << other[i] = input[i] · 2^other[i], modulo the width")
    .arg("input", "integers, any shape.")
    .arg("other", "distance, integers that broadcast with `input`.")
    .see("ops.bitwise_right_shift")
    .method()
    .primitive("LeftShift")
    .alias("x", "input")
    .alias("x1", "input")
    .alias("x2", "other")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.left_shift(input, other)")
    .samples("call(T(2, 3), T(3, lo=0, hi=6), dtypes='int')", "call(T(2, 3), 2, dtypes='int32+int64+int8')")
    .rejects("ops.bitwise_left_shift(ones(2), 1)", "TypeError", "operands meet in Float32");

DYAD_OP("bitwise_right_shift(input: Operand, other: Operand) -> Tensor")
    .doc(
        "Arithmetic right shift of the bits of integers. A distance that is negative or at least the number "
        "of bits leaves only the sign: 0 or −1.")
    .formula("out[i] = input[i] >> other[i] = ⌊input[i] / 2^other[i]⌋")
    .arg("input", "integers, any shape.")
    .arg("other", "distance, integers that broadcast with `input`.")
    .see("ops.bitwise_left_shift")
    .method()
    .primitive("RightShift")
    .alias("input_x", "input")
    .alias("input_y", "other")
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("np.right_shift(input, other)")
    .samples("call(T(2, 3, lo=-100, hi=100), T(3, lo=0, hi=6), dtypes='int')")
    .rejects("ops.bitwise_right_shift(ones(2), 1)", "TypeError", "operands meet in Float32");

DYAD_OP("bits_set(input: Tensor) -> Tensor")
    .doc("How many bits of each integer are set, in the integer's own dtype.")
    .hidden()
    .elementwise(infer::integral)
    .no_grad(kInteger)
    .numpy("ref.population_count(input)")
    .samples("call(T(2, 3, lo=-100, hi=100), dtypes='int')")
    .rejects("ops.population_count(ones(2))", "TypeError", "operands meet in Float32");

DYAD_OP("population_count(input: Tensor) -> Tensor")
    .doc("Population count: the number of set bits of each integer, as uint8.")
    .formula("population_count(x) = Σₖ bit k of x")
    .arg("input", "integers, any shape.")
    .returns("Tensor of uint8 with the shape of `input`.")
    .function("population_count(input_x:input)")
    .primitive("PopulationCount")
    .compose([](const Call& c) { return cast(bits_set(c.value(0)), DType::kUInt8); })
    .no_grad(kInteger)
    .numpy("ref.population_count(input).astype(np.uint8)")
    .samples("call(T(2, 3, lo=-100, hi=100), dtypes='int')")
    .rejects("ops.population_count(ones(2))", "TypeError", "operands meet in Float32");

}  // namespace dyad
