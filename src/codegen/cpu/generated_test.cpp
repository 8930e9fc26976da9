// Generated kernels against the same functions operator by operator.

#include "codegen/cpu/generated_fixture.h"
#include "kernels/scalar/table.h"

namespace dyad::codegen {
namespace {

constexpr DType kDTypes[] = {DType::kBool,   DType::kInt8,    DType::kInt16,    DType::kInt32,
                             DType::kInt64,  DType::kUInt8,   DType::kUInt16,   DType::kUInt32,
                             DType::kUInt64, DType::kFloat16, DType::kBFloat16, DType::kFloat32,
                             DType::kFloat64};

TEST(Generated, ChainOfOperators) {
  constexpr std::string_view text = R"(
func @main(%x: float32[37, 5], %y: float32[5]) -> (%6, %3) {
  %1: float32[37, 5] = mul(%x, other=2.0)
  %2: float32[37, 5] = add(%1, %y)
  %3: float32[37, 5] = tanh(%2)
  %4: float32[37, 5] = neg(%3)
  %5: float32[37, 5] = exp(%4)
  %6: float32[37, 5] = sigmoid(%5)
})";
  expect_same(text, {random_tensor(DType::kFloat32, {37, 5}, 1), random_tensor(DType::kFloat32, {5}, 2)});
}

TEST(Generated, EveryDTypeConvertsToEveryOther) {
  for (const DType from : kDTypes) {
    for (const DType to : kDTypes) {
      const std::string text =
          cat("func @main(%x: ", dtype_name(from), "[19]) -> (%1) {\n  %1: ", dtype_name(to),
              "[19] = cast(%x, dtype=", dtype_name(to), ")\n}");
      expect_same(text, {random_tensor(from, {19}, 3)});
    }
  }
}

TEST(Generated, EveryDTypeAddsAndCompares) {
  for (const DType dtype : kDTypes) {
    const std::string t(dtype_name(dtype));
    const std::string text =
        cat("func @main(%x: ", t, "[3, 40], %y: ", t, "[3, 1]) -> (%1, %2, %3) {\n  %1: ", t,
            "[3, 40] = add(%x, %y)\n  %2: bool_[3, 40] = less(%1, %x)\n  %3: ", t,
            "[3, 40] = where(%2, %1, %y)\n}");
    expect_same(text, {random_tensor(dtype, {3, 40}, 4), random_tensor(dtype, {3, 1}, 5)});
  }
}

TEST(Generated, RowsAreReduced) {
  constexpr std::string_view text = R"(
func @main(%x: float32[33, 100]) -> (%5, %3) {
  %1: float32[33, 1] = amax(%x, axis=[1], keepdims=true)
  %2: float32[33, 100] = sub(%x, %1)
  %3: float32[33, 100] = exp(%2)
  %4: float32[33, 1] = sum(%3, axis=[1], keepdims=true, dtype=none)
  %5: float32[33, 100] = div(%3, %4)
})";
  expect_same(text, {random_tensor(DType::kFloat32, {33, 100}, 6)}, 2);
}

/// Softmax over one axis and layer norm over another of the same tensor, for every way that the axes may lie.
std::string softmax(const std::string& shape, const std::string& reduced, int axis) {
  return cat("func @main(%x: float32", shape, ") -> (%5) {\n  %1: float32", reduced, " = amax(%x, axis=[",
             axis, "], keepdims=true)\n  %2: float32", shape, " = sub(%x, %1)\n  %3: float32", shape,
             " = exp(%2)\n  %4: float32", reduced, " = sum(%3, axis=[", axis,
             "], keepdims=true, dtype=none)\n  %5: float32", shape, " = div(%3, %4)\n}");
}

TEST(Generated, SoftmaxOverEveryAxis) {
  const Value x = random_tensor(DType::kFloat32, {6, 70, 90}, 7);
  expect_same(softmax("[6, 70, 90]", "[1, 70, 90]", 0), {x}, 4);
  expect_same(softmax("[6, 70, 90]", "[6, 1, 90]", 1), {x}, 4);
  expect_same(softmax("[6, 70, 90]", "[6, 70, 1]", 2), {x}, 4);
  expect_same(softmax("[3, 50000]", "[3, 1]", 1), {random_tensor(DType::kFloat32, {3, 50000}, 8)}, 4);
  expect_same(softmax("[20000, 3]", "[1, 3]", 0), {random_tensor(DType::kFloat32, {20000, 3}, 9)}, 4);
  expect_same(softmax("[1, 300000]", "[1, 1]", 1), {random_tensor(DType::kFloat32, {1, 300000}, 10)}, 4);
}

TEST(Generated, StatisticsOfChannels) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8, 5, 7, 9], %g: float32[1, 5, 1, 1]) -> (%6, %1, %3) {
  %1: float32[1, 5, 1, 1] = mean(%x, axis=[0, 2, 3], keepdims=true, dtype=none)
  %2: float32[8, 5, 7, 9] = squared_difference(%x, %1)
  %3: float32[1, 5, 1, 1] = mean(%2, axis=[0, 2, 3], keepdims=true, dtype=none)
  %4: float32[1, 5, 1, 1] = rsqrt(%3)
  %5: float32[8, 5, 7, 9] = sub(%x, %1)
  %e: float32[1, 5, 1, 1] = mul(%4, %g)
  %6: float32[8, 5, 7, 9] = mul(%5, %e)
})";
  expect_same(
      text,
      {random_tensor(DType::kFloat32, {8, 5, 7, 9}, 11), random_tensor(DType::kFloat32, {1, 5, 1, 1}, 12)},
      8);
  // The same with channels last in memory.
  const Value last = random_tensor(DType::kFloat32, {8, 7, 9, 5}, 13);
  expect_same(
      text, {eagerly("permute", {last, Dims{0, 3, 1, 2}}), random_tensor(DType::kFloat32, {1, 5, 1, 1}, 14)},
      8);
}

/// The name of the code for a function of one tensor.
std::string name_of_code(std::string_view text, const Value& x) {
  const auto module = read(text);
  const codegen::Request request{&module->main(), {layout_of(x)}, {layout_of(x)}};
  return codegen::generate({&request, 1})[0]->name();
}

TEST(Generated, CodeServesOtherNumbers) {
  const auto scaled = [](std::string_view factor, std::string_view offset) {
    return cat("func @main(%x: float32[70, 33]) -> (%2) {\n  %1: float32[70, 33] = mul(%x, other=", factor,
               ")\n  %2: float32[70, 33] = add(%1, other=", offset, ")\n}");
  };
  const Value x = random_tensor(DType::kFloat32, {70, 33}, 31);
  for (const auto& text : {scaled("0.5", "3.0"), scaled("-7.25", "0.125"), scaled("inf", "nan")}) {
    expect_same(text, {x});
    EXPECT_EQ(name_of_code(text, x), name_of_code(scaled("0.5", "3.0"), x));
  }
  EXPECT_NE(name_of_code(scaled("0.5", "0.5"), x), name_of_code(scaled("0.5", "3.0"), x));
}

TEST(Generated, ManyNumbers) {
  std::string text = "func @main(%x: float32[50, 9], %y: float64[9]) -> (%s, %18, %e) {\n";
  std::string last = "%x";
  for (int i = 1; i <= 18; ++i) {
    text += cat("  %", i, ": float32[50, 9] = ", i % 2 ? "mul(" : "add(", last, ", other=", i, ".5)\n");
    last = cat("%", i);
  }
  text += "  %s: float32[9] = sum(%18, axis=[0], keepdims=false, dtype=none)\n";
  text += "  %d: float64[9] = add(%s, %y)\n  %e: float64[9] = mul(%d, other=1.5)\n}";
  expect_same(text, {random_tensor(DType::kFloat32, {50, 9}, 32), random_tensor(DType::kFloat64, {9}, 33)},
              8);
}

TEST(Generated, ReductionsOfTensorsThatHaveNothingElseInCommon) {
  constexpr std::string_view columns = R"(
func @main(%x: float32[33, 17], %y: float32[33, 17]) -> (%4) {
  %1: float32[17] = sum(%x, axis=[0], keepdims=false, dtype=none)
  %2: float32[17] = sum(%y, axis=[0], keepdims=false, dtype=none)
  %3: float32[17] = add(%1, %2)
  %4: float32[17] = mul(%3, other=0.5)
})";
  expect_same(columns,
              {random_tensor(DType::kFloat32, {33, 17}, 1), random_tensor(DType::kFloat32, {33, 17}, 2)}, 2);
  constexpr std::string_view numbers = R"(
func @main(%x: float32[6, 50], %y: float32[50, 6], %z: float32[6, 50]) -> (%5) {
  %1: float32[] = sum(%x, axis=none, keepdims=false, dtype=none)
  %2: float32[] = sum(%y, axis=none, keepdims=false, dtype=none)
  %3: float32[] = sum(%z, axis=none, keepdims=false, dtype=none)
  %4: float32[] = add(%1, %2)
  %5: float32[] = mul(%4, %3)
})";
  expect_same(numbers,
              {random_tensor(DType::kFloat32, {6, 50}, 3), random_tensor(DType::kFloat32, {50, 6}, 4),
               random_tensor(DType::kFloat32, {6, 50}, 5)},
              4);
}

TEST(Generated, EveryReductionOfEveryDType) {
  for (const char* op : {"sum", "prod", "mean", "amax", "amin", "all", "any"}) {
    for (const DType dtype : kDTypes) {
      const std::string name = op;
      if (name == "mean" && !is_float(dtype)) continue;
      const bool typed = name == "sum" || name == "prod" || name == "mean";
      for (const char* axis : {"[0]", "[1]", "[0, 1]"}) {
        const Value x = random_tensor(dtype, {40, 33}, 15);
        const std::vector<Arg> args = {x, Dims{0}, false};
        const Op& entry = OpTable::instance().get(name);
        std::vector<Arg> all = args;
        if (typed) all.emplace_back();
        const DType result = entry.infer_results(all)[0].dtype;
        const char* shape = std::string_view(axis) == "[0]"   ? "[33]"
                            : std::string_view(axis) == "[1]" ? "[40]"
                                                              : "[]";
        const std::string text = cat(
            "func @main(%x: ", dtype_name(dtype), "[40, 33]) -> (%1) {\n  %1: ", dtype_name(result), shape,
            " = ", name, "(%x, axis=", axis, ", keepdims=false", typed ? ", dtype=none" : "", ")\n}");
        expect_same(text, {x}, 8);
      }
    }
  }
}

TEST(Generated, StridesOfAllKinds) {
  constexpr std::string_view text = R"(
func @main(%x: float32[60, 50], %y: float32[60, 50], %z: float32[60, 1]) -> (%2) {
  %1: float32[60, 50] = mul(%x, %y)
  %2: float32[60, 50] = add(%1, %z)
})";
  const Value wide = random_tensor(DType::kFloat32, {50, 60}, 16);
  const Value turned = eagerly("permute", {wide, Dims{1, 0}});
  const Value plain = random_tensor(DType::kFloat32, {60, 50}, 17);
  const Value every_third = eagerly(
      "slice_view", {random_tensor(DType::kFloat32, {60, 150}, 18), Dims{0, 0}, Dims{60, 150}, Dims{1, 3}});
  const Value column = random_tensor(DType::kFloat32, {60, 1}, 19);
  const Value spread = eagerly("broadcast_to", {random_tensor(DType::kFloat32, {50}, 20), Dims{60, 50}});
  for (const Value& x : {turned, plain, every_third, spread}) {
    for (const Value& y : {turned, plain, every_third, spread}) expect_same(text, {x, y, column});
  }
}

TEST(Generated, ResultsThatLieApart) {
  constexpr std::string_view text = R"(
func @main(%x: float32[60, 50]) -> (%1) {
  %1: float32[60, 50] = exp(%x)
})";
  const Value x = random_tensor(DType::kFloat32, {60, 50}, 21);
  const Value turned = eagerly("permute", {Value(empty(DType::kFloat32, {50, 60})), Dims{1, 0}});
  EXPECT_EQ(difference(run_generated(*read(text), {x}, {turned})[0], run_by_operator(text, {x})[0]), 0);
  const Value over = eagerly("copy", {x});
  EXPECT_EQ(difference(run_generated(*read(text), {over}, {over})[0], run_by_operator(text, {x})[0]), 0);
}

TEST(Generated, OneParameterSeenFromTwoSides) {
  expect_same(R"(
func @main(%x: float32[30, 30]) -> (%2) {
  %1: float32[30, 30] = permute(%x, axis=[1, 0])
  %2: float32[30, 30] = add(%x, %1)
})",
              {random_tensor(DType::kFloat32, {30, 30}, 22)});
}

TEST(Generated, EmptyAndWithoutAxes) {
  expect_same("func @main(%x: float32[0, 3]) -> (%1) {\n  %1: float32[0, 3] = exp(%x)\n}",
              {random_tensor(DType::kFloat32, {0, 3}, 23)});
  expect_same("func @main(%x: float32[]) -> (%1) {\n  %1: float32[] = exp(%x)\n}",
              {random_tensor(DType::kFloat32, {}, 24)});
  expect_same(
      "func @main(%x: float32[0, 3]) -> (%1) {\n  %1: float32[3] = sum(%x, axis=[0], keepdims=false, "
      "dtype=none)\n}",
      {random_tensor(DType::kFloat32, {0, 3}, 25)});
  expect_same(
      "func @main(%x: float32[3, 0]) -> (%1) {\n  %1: float32[3] = mean(%x, axis=[1], keepdims=false, "
      "dtype=none)\n}",
      {random_tensor(DType::kFloat32, {3, 0}, 26)});
}

TEST(Generated, EveryDefinition) {
  for (const Op* op : OpTable::instance().all()) {
    const kernels::Definition* definition = op->elementwise ? kernels::find_definition(op->name) : nullptr;
    if (!definition) continue;
    for (const DType dtype : kDTypes) {
      if (!definition->computes_in(compute_dtype(dtype))) continue;
      std::vector<Value> inputs;
      std::vector<Arg> args;
      std::string params;
      std::string operands;
      for (size_t i = 0; i < definition->operands; ++i) {
        const bool condition = definition->kind == kernels::LoopKind::kSelect && i == 0;
        const DType own = condition ? DType::kBool : dtype;
        Value input = random_tensor(own, {41}, static_cast<unsigned>(30 + i));
        if (is_float(own)) {
          const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-40, 3e38, -1e-45};
          for (size_t k = 0; k < 8; ++k)
            store(Scalar(special[(k + 3 * i) % 8]), own,
                  input->as<char>() + static_cast<int64_t>(k) * itemsize(own));
        }
        inputs.push_back(input);
        args.emplace_back(input);
        params += cat(i ? ", " : "", "%", i, ": ", dtype_name(own), "[41]");
        operands += cat(i ? ", %" : "%", i);
      }
      for (size_t i = args.size(); i < op->parameter_count(); ++i) args.emplace_back();
      DType result;
      try {
        result = op->infer_results(args)[0].dtype;
      } catch (const Error&) {
        continue;  // the operator is narrower than the definition
      }
      if (is_complex(result)) continue;
      std::string rest;
      for (size_t i = definition->operands; i < op->parameter_count(); ++i)
        rest += cat(", ", op->parameter_name(i), "=none");
      const std::string text = cat("func @main(", params, ") -> (%r) {\n  %r: ", dtype_name(result),
                                   "[41] = ", op->name, "(", operands, rest, ")\n}");
      // Definitions with a fast form give one or the other, as a whole block of the eager kernel does.
      expect_same(text, inputs, definition->guarded ? 2 : 0);
    }
  }
}

}  // namespace
}  // namespace dyad::codegen
