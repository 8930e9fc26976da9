// Rewrites that leave every bit of the results as it is: text in, text out, and run both ways.

#include <limits>

#include "compile/program_fixture.h"
#include "passes/eliminate_copies.h"
#include "passes/hoist_invariant.h"
#include "passes/simplify.h"

namespace dyad::compile {
namespace {

template <class Pass>
std::string after(std::string_view text, const Pass& pass) {
  const auto module = read(text);
  pass(*module);
  ir::verify(*module);
  return "\n" + ir::print(*module);
}
std::string simplified(std::string_view text) {
  return after(text, [](ir::Module& module) {
    passes::simplify(module);
    passes::eliminate_copies(module);
  });
}
std::string hoisted(std::string_view text) { return after(text, passes::hoist_invariant); }

/// The bits of the results, with and without the passes that may change the graph.
void expect_equal_runs(std::string_view text, const std::vector<Arg>& inputs) {
  std::vector<std::string> seen;
  for (const bool optimise : {false, true}) {
    Options options;
    options.optimise = optimise;
    options.verify = true;
    const Ref<Program> program = compile(std::shared_ptr<ir::Module>(read(text)), options);
    std::vector<Arg> outputs;
    Journal journal;
    program->run(copies(inputs), outputs, journal);
    std::string& bits = seen.emplace_back();
    for (const Arg& output : outputs) {
      const Value value = *copies({output})[0].get<Value>();
      bits.append(value->as<char>(), static_cast<size_t>(value->size() * itemsize(value->dtype)));
    }
  }
  EXPECT_EQ(seen[0], seen[1]);
}

Value counted(DType dtype, int64_t size) {
  Tensor made = empty(dtype, {size});
  for (int64_t i = 0; i < size; ++i) store(Scalar(i), dtype, made->as<char>() + i * itemsize(dtype));
  return made;
}
const double kInfinity = std::numeric_limits<double>::infinity();
Value difficult() { return vector({0.0, -0.0, 1.5, -3e-39, 1e-45, 3e38, kInfinity, std::nan("")}); }

TEST(Simplify, ArithmeticThatChangesNothing) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8]) -> (%9) {
  %one: float32[] = constant {1.0}
  %ones: float32[8] = broadcast_to(%one, shape=[8])
  %1: float32[8] = mul(%ones, %x)
  %2: float32[8] = mul(%1, other=1)
  %3: float32[8] = sub(%2, other=0)
  %4: float32[8] = add(%3, other=-0.0)
  %5: float32[8] = neg(%4)
  %6: float32[8] = neg(%5)
  %7: float32[8] = div(%6, other=1)
  %8: float32[8] = abs(%5)
  %9: float32[8] = mul(%7, %8)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[8]) -> (%3) {
  %one: float32[] = constant {1.0}
  %ones: float32[8] = broadcast_to(%one, shape=[8])
  %1: float32[8] = neg(%x)
  %2: float32[8] = abs(%x)
  %3: float32[8] = mul(%x, %2)
}
)");
  expect_equal_runs(text, {difficult()});
}

TEST(Simplify, KeepsWhatTellsZerosApart) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8]) -> (%4) {
  %1: float32[8] = add(%x, other=0.0)
  %2: float32[8] = sub(%1, other=-0.0)
  %3: float32[8] = mul(%2, other=0.0)
  %4: float32[8] = div(%3, other=3.0)
}
)";
  EXPECT_EQ(simplified(text), text);
  expect_equal_runs(text, {difficult()});
}

TEST(Simplify, DividesByPowersOfTwo) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8], %i: int32[8]) -> (%1, %2, %3) {
  %1: float32[8] = div(%x, other=8)
  %2: float32[8] = div(%x, other=-0.0625)
  %3: float32[8] = div(%i, other=2)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[8], %i: int32[8]) -> (%1, %2, %3) {
  %1: float32[8] = mul(%x, other=0.125)
  %2: float32[8] = mul(%x, other=-16.0)
  %3: float32[8] = div(%i, other=2)
}
)");
  expect_equal_runs(text, {difficult(), counted(DType::kInt32, 8)});
}

TEST(Simplify, MovementsThatCancel) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 4]) -> (%9, %10) {
  %1: float32[4, 2] = permute(%x, axis=[1, 0])
  %2: float32[2, 4] = permute(%1, axis=[-1, 0])
  %3: float32[8] = reshape(%2, shape=[-1])
  %4: float32[2, 2, 2] = reshape(%3, shape=[2, 2, 2])
  %5: float32[2, 2, 2] = exp(%4)
  %6: float32[2, 4] = reshape(%5, shape=[2, 4])
  %7: float32[2, 4] = sum_to(%6, %x)
  %8: float32[2, 4] = broadcast_to(%7, shape=[2, -1])
  %9: float32[2, 4] = add(%8, %x)
  %10: float32[2, 4] = reshape(%2, shape=[2, 4])
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[2, 4]) -> (%6, %7) {
  %1: float32[4, 2] = permute(%x, axis=[1, 0])
  %2: float32[8] = reshape(%x, shape=[-1])
  %3: float32[2, 2, 2] = reshape(%x, shape=[2, 2, 2])
  %4: float32[2, 2, 2] = exp(%3)
  %5: float32[2, 4] = reshape(%4, shape=[2, 4])
  %6: float32[2, 4] = add(%5, %x)
  %7: float32[2, 4] = reshape(%x, shape=[2, 4])
}
)");
  expect_equal_runs(text, {tensor({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})});
}

TEST(Simplify, CastsThatLoseNothing) {
  constexpr std::string_view text = R"(
func @main(%h: float16[2], %x: float32[2]) -> (%5, %6) {
  %1: float32[2] = cast(%h, dtype=float32)
  %2: float16[2] = cast(%1, dtype=float16)
  %3: float64[2] = cast(%1, dtype=float64)
  %4: float16[2] = cast(%x, dtype=float16)
  %5: float32[2] = cast(%4, dtype=float32)
  %7: float64[2] = cast(%2, dtype=float64)
  %6: float64[2] = add(%3, %7)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%h: float16[2], %x: float32[2]) -> (%4, %6) {
  %1: float32[2] = cast(%h, dtype=float32)
  %2: float64[2] = cast(%h, dtype=float64)
  %3: float16[2] = cast(%x, dtype=float16)
  %4: float32[2] = cast(%3, dtype=float32)
  %5: float64[2] = cast(%h, dtype=float64)
  %6: float64[2] = add(%2, %5)
}
)");
  expect_equal_runs(text, {counted(DType::kFloat16, 2), vector({1.0001, -2.0002})});
}

TEST(Simplify, LeavesWhatIsWrittenAlone) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2]) -> (%3, %4) {
  %1: float32[2] = mul(%x, other=1)
  %2: float32[2] = reshape(%1, shape=[2])
  %3: float32[2] = assign(%2, value=5.0)
  %4: float32[2] = mul(%x, other=1)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[2]) -> (%3, %4) {
  %1: float32[2] = mul(%x, other=1)
  %2: float32[2] = reshape(%1, shape=[2])
  %3: float32[2] = assign(%2, value=5.0)
  %4: float32[2] = copy(%x)
}
)");
  expect_equal_runs(text, {vector({1, 2})});
}

constexpr std::string_view kLoop = R"(
func @main(%x: float32[2], %w: float32[2, 2]) -> (%2) {
  %0: number int64 = constant 0
  %i: number int64, %2: float32[2] = while @below do @turn(%0, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2, 2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2, 2]) -> (%1, %8) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2, 2] = permute(%w, axis=[1, 0])
  %3: float32[2, 2] = exp(%2)
  %4: float32[2] = matmul(%3, %v)
  %5: float32[2, 2] = neg(%w)
  %6: float32[2, 2] = assign(%5, value=2.0)
  %7: float32[2] = matmul(%6, %4)
  %9: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %8: float32[2] = add(%7, %9)
})";

TEST(HoistInvariant, MovesWhatDoesNotChange) {
  EXPECT_EQ(hoisted(kLoop), R"(
func @main(%x: float32[2], %w: float32[2, 2]) -> (%4) {
  %1: number int64 = constant 0
  %2: float32[2, 2] = permute(%w, axis=[1, 0])
  %3: float32[2, 2] = exp(%2)
  %i: number int64, %4: float32[2] = while @below do @turn(%1, %x) with (%w, %3)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2, 2], %1: float32[2, 2]) -> (%2) {
  %2: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2, 2], %1: float32[2, 2]) -> (%2, %9) {
  %2: number int64 = number_add(%i, other=1)
  %3: float32[2, 2] = permute(%w, axis=[1, 0])
  %4: float32[2] = matmul(%1, %v)
  %5: float32[2, 2] = neg(%w)
  %6: float32[2, 2] = assign(%5, value=2.0)
  %7: float32[2] = matmul(%6, %4)
  %8: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %9: float32[2] = add(%7, %8)
}
)");
}

TEST(HoistInvariant, LeavesWhatASizeOfTheTurnDecides) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %w: float32[4]) -> (%3) {
  %1: number int64 = constant 0
  %2: number int64, %3: float32[2] = while @below do @turn(%1, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[4]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[4]) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  define_symbol(%i, name="k")
  %2: float32[] = select_at(%w, axis=0, position=[k], dimension=0)
  %3: float32[2] = add(%v, %2)
}
)";
  EXPECT_EQ(hoisted(text), text);
}

TEST(HoistInvariant, LeavesSeveralLoops) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %w: float32[2]) -> (%2) {
  %0: number int64 = constant 0
  %i: number int64, %2: float32[2] = while @below do @outer(%0, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @outer(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %0: number int64 = constant 0
  %j: number int64, %2: float32[2] = while @below_2 do @turn(%0, %v) with (%w)
}
func @below_2(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=2)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = exp(%w)
  %3: float32[2] = add(%v, %2)
}
)";
  const std::string found = hoisted(text);
  const size_t main_ends = found.find("func @below");
  EXPECT_NE(found.substr(0, main_ends).find("exp(%w)"), std::string::npos) << found;
  EXPECT_EQ(found.substr(main_ends).find("exp("), std::string::npos) << found;
  expect_equal_runs(text, {vector({1, 2}), vector({0.5, -1})});
  EXPECT_EQ(run(text, {vector({1, 2}), vector({0, 0})}), "[7, 8]");
}

}  // namespace
}  // namespace dyad::compile
