#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dyad {
namespace {

TEST(Tensor, ViewSharesMemory) {
  Tensor base = empty(DType::kFloat32, {2, 3});
  for (int i = 0; i < 6; ++i) base->as<float>()[i] = static_cast<float>(i);
  Tensor last_column = make_view(*base, DType::kFloat32, {2}, {3}, 2);
  EXPECT_EQ(last_column->as<float>()[0], 2.0f);
  EXPECT_EQ(last_column->storage, base->storage);
  EXPECT_FALSE(last_column->contiguous());
  last_column->as<float>()[3] = 50.0f;
  EXPECT_EQ(base->as<float>()[5], 50.0f);
}

TEST(Tensor, StorageOutlivesTheTensorItCameFrom) {
  Tensor view;
  {
    Tensor base = empty(DType::kInt64, {4});
    base->as<int64_t>()[3] = 11;
    view = make_view(*base, DType::kInt64, {}, {}, 3);
  }
  EXPECT_EQ(item(*view).to_int(), 11);
}

TEST(Tensor, BorrowedMemoryIsReturnedOnce) {
  float outside[4] = {1, 2, 3, 4};
  int released = 0;
  {
    Tensor tensor = borrow(outside, sizeof outside, true, DType::kFloat32, {4}, {1}, [&] { ++released; });
    Tensor view = make_view(*tensor, DType::kFloat32, {2}, {2}, 1);
    tensor = nullptr;
    EXPECT_EQ(released, 0);
    EXPECT_EQ(view->as<float>()[2], 4.0f);
  }
  EXPECT_EQ(released, 1);
}

TEST(Tensor, EmptyTensorsTakeNoElements) {
  Tensor tensor = empty(DType::kFloat64, {3, 0});
  EXPECT_EQ(tensor->size(), 0);
  EXPECT_TRUE(tensor->contiguous());
}

TEST(Tensor, ImpossibleShapesAreRefused) {
  auto kind_of = [](const Shape& shape) {
    try {
      empty(DType::kFloat32, shape);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kInternal;
  };
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(kind_of({huge, huge}), ErrorKind::kMemory);
  EXPECT_EQ(kind_of({huge, huge, huge, huge}), ErrorKind::kMemory);
  EXPECT_EQ(kind_of({2, -1}), ErrorKind::kValue);
}

TEST(Tensor, ElementsOfABroadcastViewCoincide) {
  const Tensor base = empty(DType::kFloat32, {1, 3});
  EXPECT_FALSE(elements_coincide(*base));
  EXPECT_TRUE(elements_coincide(*make_view(*base, base->dtype, {2, 3}, {0, 1}, 0)));
  EXPECT_FALSE(elements_coincide(*make_view(*base, base->dtype, {1, 3}, {0, 1}, 0)));
  EXPECT_FALSE(elements_coincide(*make_view(*base, base->dtype, {2, 0}, {0, 1}, 0)));
}

TEST(Tensor, OverlapIsASharedStorage) {
  Tensor base = empty(DType::kFloat32, {4});
  Tensor view = make_view(*base, DType::kFloat32, {2}, {1}, 0);
  EXPECT_TRUE(may_overlap(*base, *view));
  EXPECT_FALSE(may_overlap(*base, *empty(DType::kFloat32, {4})));
}

}  // namespace
}  // namespace dyad
