#include "codegen/llvm/compiler.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "codegen/cpu/compiler_library.h"
#include "codegen/cpu/object.h"

namespace dyad::codegen {
namespace {

/// out = f(x) on elements of one dtype.
Loop loop_of(std::string name, DType dtype) {
  Loop loop;
  loop.loads = {{dtype, Step::kNext}};
  loop.stores = {{dtype, Step::kNext}};
  Instruction load;
  load.dtype = load.from = dtype;
  Instruction apply;
  apply.kind = Instruction::Kind::kApply;
  apply.dtype = apply.from = dtype;
  apply.name = std::move(name);
  apply.args = {0};
  loop.body = {load, apply};
  loop.stored = {1};
  return loop;
}

class LlvmCompiler : public testing::Test {
 protected:
  void SetUp() override {
    library_ = compiler_library::load();
    if (!library_) GTEST_SKIP() << compiler_library::reason();
  }
  std::string object_of(const Loop& loop, int instruction_set) const {
    std::string object;
    EXPECT_TRUE(library_->compile(loop, instruction_set, object)) << object;
    return object;
  }
  const CompilerLibrary* library_ = nullptr;
};

TEST_F(LlvmCompiler, GivesTheSameObjectForTheSameLoop) {
  for (const int instruction_set : {0, 1, 2}) {
    const std::string object = object_of(loop_of("exp", DType::kFloat32), instruction_set);
    EXPECT_EQ(object.substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_EQ(object_of(loop_of("exp", DType::kFloat32), instruction_set), object);
    EXPECT_NE(object_of(loop_of("log", DType::kFloat32), instruction_set), object);
  }
}

TEST_F(LlvmCompiler, WidensTheBodyToTheVectorsOfTheMachine) {
  const char* const vectors[] = {"<4 x float>", "<8 x float>", "<16 x float>"};
  for (const int instruction_set : {0, 1, 2}) {
    std::string llvm;
    std::string assembly;
    library_->list(loop_of("relu", DType::kFloat32), instruction_set, llvm, assembly);
    EXPECT_NE(llvm.find(vectors[instruction_set]), std::string::npos) << llvm;
    if (instruction_set < 2) {
      EXPECT_EQ(llvm.find(vectors[instruction_set + 1]), std::string::npos) << llvm;
    }
    EXPECT_NE(assembly.find(std::string(kLoopSymbol) + ":"), std::string::npos);
  }
}

TEST_F(LlvmCompiler, ComputesEveryElementOfRowsOfAnyLength) {
  const std::unique_ptr<LoadedCode> code =
      load_object(object_of(loop_of("exp", DType::kFloat32), 0), kLoopSymbol);
  ASSERT_TRUE(code);
  constexpr int64_t kRows = 2;
  constexpr int64_t kRoom = 40;
  for (int64_t count = 0; count < kRoom; ++count) {
    std::vector<float> in(kRows * kRoom);
    std::vector<float> out(kRows * kRoom, -1.0f);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 16 - 2;
    void* operands[] = {in.data(), out.data()};
    const int64_t row_bytes[] = {kRoom * 4, kRoom * 4};
    code->entry()(kRows, count, operands, row_bytes);
    for (int64_t i = 0; i < kRows * kRoom; ++i) {
      const float wanted = i % kRoom < count ? std::exp(in[static_cast<size_t>(i)]) : -1.0f;
      ASSERT_FLOAT_EQ(out[static_cast<size_t>(i)], wanted) << i << " of rows of " << count;
    }
  }
}

TEST_F(LlvmCompiler, CallsWhatItCannotWiden) {
  // Division has one side of a branch to itself, so that it is called for each lane.
  Loop loop = loop_of("floor_divide", DType::kInt32);
  loop.loads.push_back({DType::kInt32, Step::kSame});
  Instruction divisor;
  divisor.dtype = divisor.from = DType::kInt32;
  divisor.number = 1;
  loop.body = {loop.body[0], divisor, loop.body[1]};
  loop.body[2].args = {0, 1};
  loop.stored = {2};
  const std::unique_ptr<LoadedCode> code = load_object(object_of(loop, 0), kLoopSymbol);
  ASSERT_TRUE(code);
  for (const int32_t by : {2, 0}) {
    int32_t in[] = {-7, 7, 0, 1, -1, 100, -100};
    int32_t out[7];
    int32_t same = by;
    void* operands[] = {in, &same, out};
    const int64_t row_bytes[] = {0, 0, 0};
    code->entry()(1, 7, operands, row_bytes);
    for (int i = 0; i < 7; ++i) {
      const int32_t wanted = by ? static_cast<int32_t>(std::floor(in[i] / 2.0)) : 0;
      EXPECT_EQ(out[i], wanted) << in[i] << " by " << by;
    }
  }
}

}  // namespace
}  // namespace dyad::codegen
