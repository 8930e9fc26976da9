#include "ops/signature.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dyad {
namespace {

TEST(Signature, ReadsParametersWithKindsAndDefaults) {
  const Signature s = parse_signature(
      "pool(input: Tensor, size: ints=(2, 3), axis: ints?=None, scale: float=-1.5, mode: str='a,b)', "
      "dtype: dtype=float16, keep: bool=False) -> Tensor");
  EXPECT_EQ(s.name, "pool");
  ASSERT_EQ(s.params.size(), 7u);
  EXPECT_EQ(s.params[0].kind, ParamKind::kTensor);
  EXPECT_FALSE(s.params[0].has_default);
  EXPECT_EQ(*s.params[1].default_value.get<Dims>(), (Dims{2, 3}));
  EXPECT_TRUE(s.params[2].optional);
  EXPECT_TRUE(s.params[2].default_value.none());
  EXPECT_EQ(s.params[3].default_value.get<Scalar>()->to_double(), -1.5);
  EXPECT_EQ(*s.params[4].default_value.get<std::string>(), "a,b)");
  EXPECT_EQ(*s.params[5].default_value.get<DType>(), DType::kFloat16);
  EXPECT_EQ(s.params[6].default_text, "False");
  EXPECT_EQ(s.find("axis"), 2);
  EXPECT_EQ(s.find("nothing"), -1);
}

TEST(Signature, ReadsResults) {
  EXPECT_EQ(parse_signature("a(x: Tensor) -> Tensor").results, 1);
  EXPECT_EQ(parse_signature("a(x: Tensor) -> Tensors").results, -1);
  EXPECT_FALSE(parse_signature("a(x: Tensor) -> Tensors").lone_result);
  EXPECT_TRUE(parse_signature("a(x: Tensor) -> Tensor or Tensors").lone_result);
  EXPECT_EQ(parse_signature("a(x: Tensor) -> (Tensor, Tensor)").results, 2);
  EXPECT_TRUE(parse_signature("a(x: Tensor) -> (Tensor,)").results_listed);
  EXPECT_EQ(parse_signature("a() -> None").results, 0);
}

TEST(Signature, MalformedTextIsNamed) {
  for (const char* text : {"a", "a(x)", "a(x: Strange)", "a(x: Tensor", "a(x: dtype=float17)"}) {
    try {
      parse_signature(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal) << text;
    }
  }
}

class Faces : public testing::Test {
 protected:
  const Signature signature_ =
      parse_signature("sum(input: Tensor, axis: ints?=None, keepdims: bool=False) -> Tensor");
};

TEST_F(Faces, OrderAndDefaultsAreTheirOwn) {
  const Face face = parse_face("ReduceSum(x:input, keep_dims:keepdims=True, *, axis=())", signature_);
  EXPECT_EQ(face.name, "ReduceSum");
  ASSERT_EQ(face.params.size(), 3u);
  EXPECT_EQ(face.params[0].name, "x");
  EXPECT_EQ(face.params[0].target, 0);
  EXPECT_EQ(face.params[1].target, 2);
  EXPECT_TRUE(face.params[1].default_value.get<Scalar>()->to_bool());
  EXPECT_TRUE(face.params[2].keyword_only);
  EXPECT_TRUE(face.params[2].default_value.get<Dims>()->empty());
}

TEST_F(Faces, StarGathersTheRest) {
  const Face face = parse_face("f(input, *axis)", signature_);
  EXPECT_TRUE(face.params[1].gathers);
  EXPECT_FALSE(face.params[0].gathers);
}

TEST_F(Faces, PlainFaceShowsTheSignature) {
  const Face face = plain_face(signature_);
  ASSERT_EQ(face.params.size(), 3u);
  EXPECT_EQ(face.params[2].name, "keepdims");
  EXPECT_EQ(face.params[2].target, 2);
}

TEST_F(Faces, UnknownTargetIsNamed) {
  try {
    parse_face("f(x:nothing)", signature_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("a parameter of sum, not 'nothing'"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace dyad
