// Graphs whose operators were fused run as they did before.

#include "compile/program_fixture.h"
#include "passes/decompose_operators.h"
#include "passes/eliminate.h"
#include "passes/fuse.h"
#include "passes/insert_copies.h"

namespace dyad::compile {
namespace {

/// What a graph gives, its operators one by one or as many together as can be, with and without planned
/// memory.
std::string run_both(std::string_view text, const std::vector<Arg>& inputs) {
  std::string first;
  for (const int way : {0, 1, 2}) {
    std::shared_ptr<ir::Module> module = read(text);
    if (way > 0) {
      passes::decompose_operators(*module);
      passes::fuse(*module);
    }
    passes::eliminate_dead_code(*module);
    passes::insert_copies(*module);
    const Ref<Program> program(new Program(module, way != 1));
    const std::vector<Arg> own = copies(inputs);
    std::string seen = run(*program, own);
    for (const Arg& input : own) seen += cat("; ", shown(input));
    if (first.empty()) first = seen;
    EXPECT_EQ(seen, first) << "way " << way;
  }
  return first;
}

TEST(FusedProgram, ComputesTheSame) {
  const Value x = tensor({2, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(run_both(R"(
func @main(%x: float32[2, 8], %p: float32[2, 8]) -> (%5, %p1, %8) {
  %1: float32[2, 8] = mul(%p, %x)
  %2: float32[2, 8] = neg(%p)
  %3: float32[2, 1] = amax(%1, axis=[1], keepdims=true)
  %4: float32[2, 8] = sub(%1, %3)
  %5: float32[2, 8] = mul(%4, %2)
  %6: float32[2, 8] = add(%p, %x)
  %p1: float32[2, 8] = assign(%p, %6)
  %7: float32[2, 8] = mul(%p1, %x)
  %8: float32[8] = sum(%7, axis=[0], keepdims=false, dtype=none)
})",
                     {x, x}),
            "[63, 120, 165, 192, 195, 168, 105, 0, 0, 105, 168, 195, 192, 165, 120, 63] [2, 4, 6, 8, 10, 12, "
            "14, 16, 16, 14, 12, 10, 8, 6, 4, 2] [130, 106, 90, 82, 82, 90, 106, 130]; [1, 2, 3, 4, 5, 6, 7, "
            "8, 8, 7, 6, 5, 4, 3, 2, 1]; [2, 4, 6, 8, 10, 12, 14, 16, 16, 14, 12, 10, 8, 6, 4, 2]");
}

}  // namespace
}  // namespace dyad::compile
