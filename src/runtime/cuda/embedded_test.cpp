#include "runtime/cuda/embedded.h"

#include <gtest/gtest.h>

namespace dyad::cuda {
namespace {

TEST(Embedded, RegistersGetTheirNumbers) {
  EXPECT_EQ(with_register_names("mov.b64 \1rd, 7;\nadd.s32 \1r, \1r0, \1r;\n@\1p bra $L1;\n"
                                "st.b32 [\1rd0+4], {\1r1, \1r0};\nmov.b64 \1rd, \1rd1;"),
            "mov.b64 %rd1, 7;\nadd.s32 %r1, %r1, %r2;\n@%p1 bra $L1;\n"
            "st.b32 [%rd1+4], {%r1, %r2};\nmov.b64 %rd2, %rd1;");
  EXPECT_EQ(with_register_names("mov.u32 %ntid.x;"), "mov.u32 %ntid.x;");
}

TEST(Embedded, CodeOfAKernelHasPlainNames) {
  if (!has_device_code("fill_4")) GTEST_SKIP() << "the build has no device code";
  const std::string code = *device_code("fill_4");
  EXPECT_EQ(code.find('\1'), std::string::npos);
  EXPECT_NE(code.find(".entry fill_4("), std::string::npos);
  EXPECT_NE(code.find("%rd1"), std::string::npos);
}

}  // namespace
}  // namespace dyad::cuda
