#include "kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <vector>

namespace dyad::kernels {
namespace {

/// Whole numbers, so that sums are exact in any order.
template <class T>
std::vector<T> numbers(int64_t count, int64_t period) {
  std::vector<T> made(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) made[static_cast<size_t>(i)] = static_cast<T>(i % period - period / 2);
  return made;
}

template <class T>
void expect_product(DType dtype, int64_t m, int64_t n, int64_t k) {
  const std::vector<T> a = numbers<T>(m * k, 5);
  const std::vector<T> b = numbers<T>(n * k, 7);  // transposed, so that it is packed
  std::vector<T> c(static_cast<size_t>(m * n));
  MatrixProducts p{};
  p.dtype = dtype;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = {a.data(), k, 1};
  p.b = {b.data(), 1, k};
  p.c = c.data();
  multiply_matrices(p);
  for (int64_t i = 0; i < m; i += 7) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t q = 0; q < k; ++q)
        sum += a[static_cast<size_t>(i * k + q)] * b[static_cast<size_t>(j * k + q)];
      ASSERT_EQ(c[static_cast<size_t>(i * n + j)], sum)
          << i << ", " << j << " of " << m << "x" << k << "x" << n;
    }
  }
}

/// Sizes at which a block of b is full for panels of one width and not for those of another.
TEST(MatrixProducts, PackedBlocksHaveRoomForPanelsOfAnyWidth) {
  for (int64_t k : {265, 512, 675, 873, 1023}) {
    for (int64_t n : {31, 288, 300, 520}) {
      expect_product<double>(DType::kFloat64, 100, n, k);
      expect_product<float>(DType::kFloat32, 100, n, k);
    }
  }
}

}  // namespace
}  // namespace dyad::kernels
