#include "program/preprocessed_weights.h"

#include "compile/program_fixture.h"
#include "tensor/exposure.h"

namespace dyad::program {
namespace {

using compile::compiled;
using compile::Journal;
using compile::read;
using compile::run;
using compile::vector;

constexpr std::string_view kScaled = R"(
func @main(%x: float32[2], state %w: float32[2], state %s: float32[2]) -> (%4) {
  %1: float32[2] = mul(%w, %s)
  %2: float32[2] = add(%1, other=1)
  %3: float32[2] = mul(%x, %2)
  %4: float32[2] = sub(%3, %s)
})";

TEST(PreprocessedWeights, IsComputedAgainWhenAParameterChanges) {
  for (const bool planned : {true, false}) {
    const Ref<Program> program = compiled(kScaled, planned);
    EXPECT_EQ(program->input_count(), 3U);
    const Value w = vector({1, 2});
    const Value s = vector({10, 20});
    const std::vector<Arg> inputs{vector({1, 1}), w, s};
    EXPECT_EQ(run(*program, inputs), "[1, 21]");
    EXPECT_EQ(run(*program, inputs), "[1, 21]");
    static const Op& assign = OpTable::instance().get("assign");
    const Arg written[] = {w, vector({0, 0})};
    eager::call_one(assign, written);
    EXPECT_EQ(run(*program, inputs), "[-9, -19]");
    EXPECT_EQ(run(*program, {inputs[0], vector({1, 1}), s}), "[1, 1]");
    EXPECT_EQ(run(*program, inputs), "[-9, -19]");
  }
}

TEST(PreprocessedWeights, SeesWhatIsWrittenFromOutside) {
  const Ref<Program> program = compiled(kScaled);
  const Value w = vector({1, 2});
  const std::vector<Arg> inputs{vector({1, 1}), w, vector({10, 20})};
  EXPECT_EQ(run(*program, inputs), "[1, 21]");
  expose(*as_tensor(w).storage);
  EXPECT_EQ(run(*program, inputs), "[1, 21]");
  w->as<float>()[0] = 0;
  EXPECT_EQ(run(*program, inputs), "[-9, 21]");
  w->as<float>()[1] = 0;
  conceal(*as_tensor(w).storage);
  EXPECT_EQ(run(*program, inputs), "[-9, -19]");
}

TEST(PreprocessedWeights, KeepsTheValuesWhileNothingChanges) {
  const auto module = read(kScaled);
  passes::Preparation preparation = passes::hoist_weight_preprocessing(*module);
  PreprocessedWeights prepared(std::move(preparation), true);
  Journal journal;
  const std::vector<Arg> inputs{vector({1, 1}), vector({1, 2}), vector({10, 20})};
  const auto first = prepared.values(inputs, journal);
  EXPECT_EQ(prepared.values(inputs, journal), first);
  expose(*as_tensor(*inputs[1].get<Value>()).storage);
  EXPECT_NE(prepared.values(inputs, journal), first);
}

TEST(PreprocessedWeights, IsSharedByThoseWhoPrepareTheSame) {
  const auto prepared_by = [](Preparations& preparations, std::string_view text) {
    const auto module = read(text);
    return preparations.of(passes::hoist_weight_preprocessing(*module), true);
  };
  Preparations preparations;
  const auto first = prepared_by(preparations, kScaled);
  EXPECT_EQ(prepared_by(preparations, kScaled), first);
  std::string other(kScaled);
  other.replace(other.find("mul"), 3, "sub");
  EXPECT_NE(prepared_by(preparations, other), first);
}

}  // namespace
}  // namespace dyad::program
