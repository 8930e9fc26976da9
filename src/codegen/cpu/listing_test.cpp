// Generated kernels as people read them.

#include "codegen/cpu/generated_fixture.h"

namespace dyad::codegen {
namespace {

TEST(Listing, ShowsLoopsLlvmAndAssembly) {
  const std::shared_ptr<ir::Module> module = read(R"(
func @main(%x: float32[64]) -> (%2) {
  %1: float32[64] = mul(%x, other=2.0)
  %2: float32[64] = tanh(%1)
})");
  const codegen::Layout row{DType::kFloat32, {64}, {1}};
  const codegen::Request request{&module->main(), {row}, {row}};
  const std::vector<Ref<codegen::Kernel>> kernels = codegen::generate({&request, 1});
  ASSERT_TRUE(kernels[0]);
  const codegen::Listing listing = kernels[0]->listing();
  EXPECT_NE(listing.loops.find("tanh.float32"), std::string::npos) << listing.loops;
  EXPECT_NE(listing.llvm.find("define void @dyad_loop("), std::string::npos) << listing.llvm;
  EXPECT_NE(listing.assembly.find("dyad_loop:"), std::string::npos) << listing.assembly;
}

}  // namespace
}  // namespace dyad::codegen
