#include "passes/choose_layouts.h"

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

constexpr std::string_view kLayers = R"(
func @main(%x: float32[2, 8, 16, 16], %w: float32[16, 8, 3, 3], %u: float32[16, 16, 3, 3], %s: float32[16, 1, 1]) -> (%5, %3) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %2: float32[2, 16, 16, 16] = mul(%1, %s)
  %3: float32[2, 16, 16, 16] = relu(%2)
  %4: float32[2, 16, 8, 8] = max_pool(%3, kernel=[2, 2], stride=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=false, channels_last=false)
  %5: float32[2, 16, 8, 8] = convolution(%4, %u, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
})";

TEST(ChooseLayouts, CarriesTheOrderFromLayerToLayer) {
  const std::string text = after(kLayers, choose_layouts, eliminate_dead_code);
  EXPECT_EQ(operators_of(text),
            "permute copy pack_filters convolution reshape permute mul relu permute max_pool "
            "pack_filters convolution permute copy copy")
      << text;
  EXPECT_NE(text.find("channels_last=true"), std::string::npos);
  const std::vector<Arg> inputs{waves({2, 8, 16, 16}, 0.7), waves({16, 8, 3, 3}, 0.3),
                                waves({16, 16, 3, 3}, 0.9), waves({16, 1, 1}, 1.3)};
  EXPECT_LT(change_by(kLayers, inputs, choose_layouts), 1e-4);
}

TEST(ChooseLayouts, LeavesWhatIsSmallAloneOrWrittenTo) {
  const std::string_view small = R"(
func @main(%x: float32[1, 2, 4, 4], %w: float32[2, 2, 3, 3]) -> (%2) {
  %1: float32[1, 2, 4, 4] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %2: float32[1, 2, 4, 4] = convolution(%1, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
})";
  EXPECT_EQ(operators_of(after(small, choose_layouts, eliminate_dead_code)), "convolution convolution");
  const std::string_view alone = R"(
func @main(%x: float32[2, 16, 16, 16], %w: float32[16, 16, 3, 3]) -> (%2) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %2: float32[2, 16, 16, 16] = exp(%1)
})";
  EXPECT_EQ(operators_of(after(alone, choose_layouts, eliminate_dead_code)), "convolution exp");
  const std::string_view written = R"(
func @main(%x: float32[2, 16, 16, 16], %w: float32[16, 16, 3, 3]) -> (%3) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %2: float32[2, 16, 16, 16] = copy_into(%1, %x)
  %3: float32[2, 16, 16, 16] = convolution(%2, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
})";
  EXPECT_EQ(operators_of(after(written, choose_layouts, eliminate_dead_code)),
            "convolution copy_into convolution");
}

TEST(ChooseLayouts, ReturnsWhatACallGaveAsItWas) {
  const std::string_view text = R"(
func @main(%x: float32[2, 16, 16, 16], %w: float32[16, 16, 3, 3]) -> (%1, %3) {
  %1: float32[2, 16, 16, 16] = call @image(%x)
  %2: float32[2, 16, 16, 16] = convolution(%1, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %3: float32[2, 16, 16, 16] = convolution(%2, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
}
func @image(%x: float32[2, 16, 16, 16]) -> (%1) {
  %1: float32[2, 16, 16, 16] = exp(%x)
})";
  const std::vector<Arg> inputs{waves({2, 16, 16, 16}, 0.7), waves({16, 16, 3, 3}, 0.3)};
  EXPECT_LT(change_by(text, inputs, choose_layouts), 1e-2);
}

}  // namespace
}  // namespace dyad::passes
