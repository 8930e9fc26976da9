#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace dyad::ir {
namespace {

/// `mix(a, b, scale=, axes=, mode=)`: a result like a. Enough of an operator for graphs.
class Mix final : public Operator {
 public:
  Mix() { name = "mix"; }
  size_t parameter_count() const override { return 5; }
  std::string_view parameter_name(size_t i) const override {
    static constexpr std::string_view names[] = {"a", "b", "scale", "axes", "mode"};
    return names[i];
  }
  std::vector<ResultSpec> infer_results(std::span<const Arg> args) const override {
    const ValueImpl& like = **args[0].get<Value>();
    return {{like.dtype, like.shape}};
  }
};

class Constant final : public ValueImpl {
 public:
  explicit Constant(const std::vector<Scalar>& elements) : memory_(elements.size()) {
    for (size_t i = 0; i < elements.size(); ++i) memory_[i] = static_cast<float>(elements[i].to_double());
    data = memory_.data();
  }
  Builder& builder() const override { throw std::logic_error("a constant builds nothing"); }

 private:
  std::vector<float> memory_;
};

std::unique_ptr<Module> read(std::string_view text) {
  static const Mix mix;
  return parse(text, {[](std::string_view name) { return name == "mix" ? &mix : nullptr; },
                      [](DType dtype, const Shape& shape, const std::vector<Scalar>& elements) {
                        Value made(new Constant(elements));
                        made->dtype = dtype;
                        made->shape = shape;
                        made->strides = contiguous_strides(shape);
                        return made;
                      }});
}

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

std::string parse_error(std::string_view text) {
  return message_of([&] { read(text); });
}
std::string fault_in(std::string_view text) {
  const auto module = read(text);
  return message_of([&] { verify(*module); });
}

constexpr std::string_view kProgram =
    R"(func @main(%x: float32[2, n], state %w: float32[2, n], %k: number int64, %t: token) -> (%5, %t2, state %w = %4) {
  %1: float32[2, n] = mix(%x, (%w, none), scale=0.5, axes=[0, (n + 1), max(n, 3)], mode="a \"b\"") at "net.py":3:8
  %2: bool_[] = mix(%x, b=none, scale=1, axes=[], mode=none)
  %c: float32[2] = constant {1.0, -2.5}
  %3: number float64 = constant 1e-07
  %4: float32[2, n] = if %2 then @left else @right(%1, %w)
  %5: float32[2, n], %6: number int64 = while @more do @step(%4, %k) with (%w)
  %t2: token, %7: float32[] = host "print" #2(%t, %x)
}
func @left(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = call @right(%2, %1)
}
func @right(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = mix(%2, %1, scale=true, axes=floats[0.1, inf], mode=none)
}
func @more(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%4) {
  %4: bool_[] = mix(%1, b=none, scale=1, axes=[], mode=none)
}
func @step(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%4, %2) {
  %4: float32[2, n] = mix(%1, %3, scale=complex(1.0, -2.0), axes=float16, mode=-7)
}
)";

TEST(Graph, WhatIsPrintedParsesBackToTheSame) {
  const auto module = read(kProgram);
  EXPECT_EQ(print(*module), kProgram);
  EXPECT_EQ(print(*read(print(*module))), kProgram);
  EXPECT_EQ(module->main().nodes.front()->location, (Location{"net.py", 3, 8}));
}

constexpr std::string_view kSound = R"(
func @main(%x: float32[2], %b: bool_[], state %w: float32[2], %t: token) -> (%y, state %w = %y) {
  %1: float32[2] = mix(%x, %w, none, none, none)
  %y: float32[2] = if %b then @keep else @swap(%1, %x)
  %2: float32[2] = while @test do @keep(%y) with (%x)
  %u: token = host "print"(%t, %y)
}
func @keep(%a: float32[2], %b: float32[2]) -> (%a) {
}
func @swap(%a: float32[2], %b: float32[2]) -> (%b) {
}
func @test(%a: float32[2], %b: float32[2]) -> (%c) {
  %c0: bool_[] = call @yes()
  %c: bool_[] = if %c0 then @yes else @yes()
}
func @yes() -> (%r) {
  %r: bool_[] = call @yes()
}
)";

std::string sound(std::string_view from = {}, std::string_view to = {}) {
  std::string text(kSound);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Graph, SoundModulePasses) { EXPECT_EQ(fault_in(sound()), "no error"); }

TEST(Graph, FaultsAreFound) {
  const std::string start = "internal error: the graph @main is malformed: ";
  EXPECT_EQ(fault_in(sound("%1: float32[2] = mix", "%1: float32[3] = mix")),
            start + "mix gives a Float32 of shape (2,); the node says float32[3] (node 0)");
  EXPECT_EQ(fault_in(sound("mix(%x, %w, none, none, none)", "mix(%x, %w)")),
            start + "mix has 2 arguments; it takes 5 (node 0)");
  EXPECT_EQ(fault_in(sound("if %b then", "if %x then")),
            start + "the condition of an if is no bool without dimensions (node 1)");
  EXPECT_EQ(fault_in(sound("@swap(%1, %x)", "@swap(%1)")),
            start + "@keep takes 2 arguments and is given 1 (node 1)");
  EXPECT_EQ(fault_in(sound("while @test", "while @keep")),
            start + "@keep decides a while and gives no bool without dimensions (node 2)");
  EXPECT_EQ(fault_in(sound("(%t, %y)", "(%y, %t)")), start + "a host node takes no token (node 3)");
  EXPECT_EQ(fault_in(sound("  %u: token", "  %v: token = host \"print\"(%t)\n  %u: token")),
            start + "a token is used twice (node 4)");
  EXPECT_EQ(fault_in(sound("state %w = %y", "state %x = %y")),
            start + "an update is bound to what is no state");
}

TEST(Graph, ParserSaysWhereAndWhat) {
  EXPECT_EQ(parse_error(""), "parse: line 1, column 1: expected 'func'; found ''");
  EXPECT_EQ(parse_error("func @f() -> () {\n  %1: float32[] = nix()\n}"),
            "parse: line 2, column 22: there is no operator 'nix'; found '()'");
  EXPECT_EQ(parse_error("func @f() -> () {\n  %1: float3[] = mix()\n}"),
            "parse: line 2, column 13: 'float3' is no dtype; found '[] = mix()'");
  EXPECT_EQ(parse_error("func @f(%x: float32[2]) -> (%y) {\n}"),
            "parse: line 1, column 31: %y is not defined before it is used; found ') {'");
  EXPECT_EQ(parse_error("func @f(%x: float32[2]) -> () {\n  %x: float32[2] = call @g(%x)\n}"),
            "parse: line 2, column 27: there is no function @g; found '(%x)'");
  EXPECT_EQ(parse_error("func @f() -> () {"), "parse: line 1, column 18: expected '}'; found ''");
}

TEST(Graph, NamesAndNumbersOfValues) {
  Module module;
  Function& function = module.add_function("f");
  EXPECT_EQ(module.add_function("f").name, "f_1");
  GraphValue& x = function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, {2}, "x");
  GraphValue& y = function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, {2}, "x");
  function.results = {GraphValueRef(&x), GraphValueRef(&y)};
  EXPECT_EQ(print(function), "func @f(%x: float32[2], %x_1: float32[2]) -> (%x, %x_1) {\n}\n");
  function.replace_uses(y, GraphValueRef(&x));
  EXPECT_EQ(print(function), "func @f(%x: float32[2], %x_1: float32[2]) -> (%x, %x) {\n}\n");
}

}  // namespace
}  // namespace dyad::ir
