#include "passes/fuse.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string fused(std::string_view text) {
  const auto module = read(text);
  fuse(*module);
  ir::verify(*module, ir::OldVersions::kUsed);
  return "\n" + ir::print(*module);
}

TEST(Fuse, ChainsAndBroadcasts) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[8, 4], %b: float32[4], %k: float32[]) -> (%4) {
  %1: float32[8, 4] = add(%x, %b)
  %2: float32[8, 4] = mul(%1, %k)
  %3: float32[8, 4] = exp(%2)
  %4: float32[8, 4] = add(%3, %1)
})"),
            R"(
func @main(%x: float32[8, 4], %b: float32[4], %k: float32[]) -> (%1) {
  %1: float32[8, 4] = call @add_add(%x, %b, %k)
}
fused func @add_add(%x: float32[8, 4], %b: float32[4], %k: float32[]) -> (%4) {
  %1: float32[8, 4] = add(%x, %b)
  %2: float32[8, 4] = mul(%1, %k)
  %3: float32[8, 4] = exp(%2)
  %4: float32[8, 4] = add(%3, %1)
}
)");
}

TEST(Fuse, Softmax) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[8, 8], %s: float32[8, 8]) -> (%6) {
  %1: float32[8, 8] = mul(%x, %s)
  %2: float32[8, 1] = amax(%1, axis=[-1], keepdims=true)
  %3: float32[8, 8] = sub(%1, %2)
  %4: float32[8, 8] = exp(%3)
  %5: float32[8, 1] = sum(%4, axis=[1], keepdims=true, dtype=none)
  %6: float32[8, 8] = div(%4, %5)
})"),
            R"(
func @main(%x: float32[8, 8], %s: float32[8, 8]) -> (%1) {
  %1: float32[8, 8] = call @mul_div(%x, %s)
}
fused func @mul_div(%x: float32[8, 8], %s: float32[8, 8]) -> (%6) {
  %1: float32[8, 8] = mul(%x, %s)
  %2: float32[8, 1] = amax(%1, axis=[-1], keepdims=true)
  %3: float32[8, 8] = sub(%1, %2)
  %4: float32[8, 8] = exp(%3)
  %5: float32[8, 1] = sum(%4, axis=[1], keepdims=true, dtype=none)
  %6: float32[8, 8] = div(%4, %5)
}
)");
}

TEST(Fuse, LayerNorm) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[8, 8], %r: float32[8, 8], %g: float32[8], %b: float32[8]) -> (%11, %0) {
  %0: float32[8, 8] = add(%x, %r)
  %1: float32[8, 1] = mean(%0, axis=[1], keepdims=true, dtype=none)
  %2: float32[8, 8] = sub(%0, %1)
  %3: float32[8, 8] = square(%2)
  %4: float32[8, 1] = mean(%3, axis=[1], keepdims=true, dtype=none)
  %5: float32[8, 1] = add(%4, other=0.001)
  %6: float32[8, 1] = rsqrt(%5)
  %7: float32[8, 8] = mul(%2, %6)
  %10: float32[8, 8] = mul(%7, %g)
  %11: float32[8, 8] = add(%10, %b)
})"),
            R"(
func @main(%x: float32[8, 8], %r: float32[8, 8], %g: float32[8], %b: float32[8]) -> (%2, %1) {
  %1: float32[8, 8], %2: float32[8, 8] = call @add_add(%x, %r, %g, %b)
}
fused func @add_add(%x: float32[8, 8], %r: float32[8, 8], %g: float32[8], %b: float32[8]) -> (%1, %10) {
  %1: float32[8, 8] = add(%x, %r)
  %2: float32[8, 1] = mean(%1, axis=[1], keepdims=true, dtype=none)
  %3: float32[8, 8] = sub(%1, %2)
  %4: float32[8, 8] = square(%3)
  %5: float32[8, 1] = mean(%4, axis=[1], keepdims=true, dtype=none)
  %6: float32[8, 1] = add(%5, other=0.001)
  %7: float32[8, 1] = rsqrt(%6)
  %8: float32[8, 8] = mul(%3, %7)
  %9: float32[8, 8] = mul(%8, %g)
  %10: float32[8, 8] = add(%9, %b)
}
)");
}

TEST(Fuse, KeepsTheOrderOfWritesAndSmallValuesOutside) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[8, 4], %p: float32[8, 4], %s: float32[4]) -> (%5, %p1) {
  %0: float32[4] = exp(%s)
  %1: float32[8, 4] = mul(%p, %x)
  %2: float32[8, 4] = neg(%p)
  %p1: float32[8, 4] = assign(%p, %1)
  %3: float32[8, 4] = mul(%2, %0)
  %4: float32[8, 4] = mul(%p1, %3)
  %5: float32[8, 4] = exp(%4)
})"),
            R"(
func @main(%x: float32[8, 4], %p: float32[8, 4], %s: float32[4]) -> (%4, %p1) {
  %1: float32[8, 4], %2: float32[8, 4] = call @mul_neg(%p, %x)
  %p1: float32[8, 4] = assign(%p, %1)
  %3: float32[4] = exp(%s)
  %4: float32[8, 4] = call @mul_exp(%2, %3, %p1)
}
fused func @mul_neg(%p: float32[8, 4], %x: float32[8, 4]) -> (%1, %2) {
  %1: float32[8, 4] = mul(%p, %x)
  %2: float32[8, 4] = neg(%p)
}
fused func @mul_exp(%1: float32[8, 4], %2: float32[4], %p1: float32[8, 4]) -> (%5) {
  %3: float32[8, 4] = mul(%1, %2)
  %4: float32[8, 4] = mul(%p1, %3)
  %5: float32[8, 4] = exp(%4)
}
)");
}

TEST(Fuse, NothingIsComputedTwiceAndNoCycleArises) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[4, 4]) -> (%4, %6) {
  %1: float32[4, 4] = exp(%x)
  %2: float32[4, 4] = matmul(%1, %x)
  %3: float32[4, 4] = neg(%2)
  %4: float32[4, 4] = mul(%3, %1)
  %5: float32[4, 4] = square(%x)
  %6: float32[4, 4] = add(%5, %1)
})"),
            R"(
func @main(%x: float32[4, 4]) -> (%4, %2) {
  %1: float32[4, 4], %2: float32[4, 4] = call @exp_add(%x)
  %3: float32[4, 4] = matmul(%1, %x)
  %4: float32[4, 4] = call @neg_mul(%3, %1)
}
fused func @exp_add(%x: float32[4, 4]) -> (%1, %3) {
  %1: float32[4, 4] = exp(%x)
  %2: float32[4, 4] = square(%x)
  %3: float32[4, 4] = add(%2, %1)
}
fused func @neg_mul(%1: float32[4, 4], %2: float32[4, 4]) -> (%4) {
  %3: float32[4, 4] = neg(%1)
  %4: float32[4, 4] = mul(%3, %2)
}
)");
}

TEST(Fuse, ReductionsOverOtherAxesPartGroups) {
  EXPECT_EQ(fused(R"(
func @main(%g: float32[8, 4], %u: float32[8, 4]) -> (%3, %4, %5) {
  %1: float32[8, 4] = mul(%g, %u)
  %2: float32[8, 1] = sum(%1, axis=[1], keepdims=true, dtype=none)
  %3: float32[8, 4] = sub(%1, %2)
  %4: float32[4] = sum(%1, axis=[0], keepdims=false, dtype=none)
  %5: float32[4] = sum(%g, axis=[0], keepdims=false, dtype=none)
})"),
            R"(
func @main(%g: float32[8, 4], %u: float32[8, 4]) -> (%2, %3, %4) {
  %1: float32[8, 4], %2: float32[8, 4] = call @mul_sub(%g, %u)
  %3: float32[4] = sum(%1, axis=[0], keepdims=false, dtype=none)
  %4: float32[4] = sum(%g, axis=[0], keepdims=false, dtype=none)
}
fused func @mul_sub(%g: float32[8, 4], %u: float32[8, 4]) -> (%1, %3) {
  %1: float32[8, 4] = mul(%g, %u)
  %2: float32[8, 1] = sum(%1, axis=[1], keepdims=true, dtype=none)
  %3: float32[8, 4] = sub(%1, %2)
}
)");
}

TEST(Fuse, MovesOnlyWhatIsInside) {
  EXPECT_EQ(fused(R"(
func @main(%x: float32[8, 4], %y: float32[4, 8]) -> (%4, %6) {
  %1: float32[4, 8] = permute(%x, axis=[1, 0])
  %2: float32[4, 8] = add(%1, %y)
  %3: float32[8, 4] = permute(%2, axis=[1, 0])
  %4: float32[8, 4] = mul(%3, %x)
  %5: float32[4, 8] = square(%y)
  %6: float32[8, 4] = permute(%5, axis=[1, 0])
})"),
            R"(
func @main(%x: float32[8, 4], %y: float32[4, 8]) -> (%2, %4) {
  %1: float32[4, 8] = permute(%x, axis=[1, 0])
  %2: float32[8, 4], %3: float32[4, 8] = call @add_square(%1, %y, %x)
  %4: float32[8, 4] = permute(%3, axis=[1, 0])
}
fused func @add_square(%1: float32[4, 8], %y: float32[4, 8], %x: float32[8, 4]) -> (%4, %5) {
  %2: float32[4, 8] = add(%1, %y)
  %3: float32[8, 4] = permute(%2, axis=[1, 0])
  %4: float32[8, 4] = mul(%3, %x)
  %5: float32[4, 8] = square(%y)
}
)");
}

TEST(Fuse, ViewsThatTieResultsTogetherStayInside) {
  EXPECT_EQ(fused(R"(
func @main(%a: float32[16, 8], %b: float32[16, 8]) -> (%1, %4) {
  %0: float32[16, 8] = mul(%a, %b)
  %1: float32[16, 8] = add(%0, %a)
  %2: float32[8, 16] = permute(%b, axis=[1, 0])
  %4: float32[8, 16] = exp(%2)
})"),
            R"(
func @main(%a: float32[16, 8], %b: float32[16, 8]) -> (%1, %2) {
  %1: float32[16, 8], %2: float32[8, 16] = call @mul_exp(%a, %b)
}
fused func @mul_exp(%a: float32[16, 8], %b: float32[16, 8]) -> (%2, %4) {
  %1: float32[16, 8] = mul(%a, %b)
  %2: float32[16, 8] = add(%1, %a)
  %3: float32[8, 16] = permute(%b, axis=[1, 0])
  %4: float32[8, 16] = exp(%3)
}
)");
}

TEST(Fuse, ReachesIntoLoops) {
  EXPECT_EQ(fused(R"(
func @main(%n: number int64, %x: float32[n, 4]) -> (%2) {
  %1: number int64, %2: float32[n, 4] = while @more do @next(%n, %x) with ()
}
func @more(%i: number int64, %v: float32[n, 4]) -> (%1) {
  %1: number bool_ = number_gt(%i, other=0)
}
func @next(%i: number int64, %v: float32[n, 4]) -> (%1, %3) {
  %1: number int64 = number_sub(%i, other=1)
  %2: float32[n, 4] = tanh(%v) at "net.py":4:5
  %3: float32[n, 4] = add(%2, other=1) at "net.py":5:5
})"),
            R"(
func @main(%n: number int64, %x: float32[n, 4]) -> (%2) {
  %1: number int64, %2: float32[n, 4] = while @more do @next(%n, %x) with ()
}
func @more(%i: number int64, %v: float32[n, 4]) -> (%1) {
  %1: number bool_ = number_gt(%i, other=0)
}
func @next(%i: number int64, %v: float32[n, 4]) -> (%1, %2) {
  %1: number int64 = number_sub(%i, other=1)
  %2: float32[n, 4] = call @tanh_add(%v) at "net.py":5:5
}
fused func @tanh_add(%v: float32[n, 4]) -> (%2) {
  %1: float32[n, 4] = tanh(%v) at "net.py":4:5
  %2: float32[n, 4] = add(%1, other=1) at "net.py":5:5
}
)");
}

}  // namespace
}  // namespace dyad::passes
