// The functions of cuBLAS that Dyad calls, as plain loops in the order of the stream.

#include "kernels/cuda/cusolver.h"
#include "testing/emulated_cuda/libraries/queue.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;
using namespace dyad::cuda::blas;

namespace dyad::cuda::blas {
struct cublasContext {
  StreamHandle stream = nullptr;
};
}  // namespace dyad::cuda::blas

namespace {

/// x op(a) = alpha b or op(a) x = alpha b, in place of b; all column by column.
template <class T>
int solve_triangular(Handle handle, int side, int fill, int operation, int m, int n, const T* alpha,
                     const T* a, int a_leading, T* b, int b_leading) {
  const bool right = side == static_cast<int>(Side::kRight);
  const int order = right ? n : m;
  if (a_leading < order || b_leading < m || m <= 0 || n <= 0) return kInvalid;
  // From the right, with the transpose of op(a) it is a system for each row.
  const bool transposed = (operation != static_cast<int>(Operation::kNone)) != right;
  const bool lower = (fill == static_cast<int>(Fill::kLower)) != transposed;
  const T scale = *alpha;
  return enqueue(handle->stream, [=] {
    const auto at = [&](int row, int column) {
      return transposed ? a[column + row * a_leading] : a[row + column * a_leading];
    };
    const int systems = right ? m : n;
    for (int s = 0; s < systems; ++s) {
      const auto x = [&](int i) -> T& { return right ? b[s + i * b_leading] : b[i + s * b_leading]; };
      for (int step = 0; step < order; ++step) {
        const int row = lower ? step : order - 1 - step;
        T sum = scale * x(row);
        for (int k = lower ? 0 : row + 1; k < (lower ? row : order); ++k) sum -= at(row, k) * x(k);
        x(row) = sum / at(row, row);
      }
    }
  });
}

}  // namespace

DYAD_LIBRARY_FUNCTION cublasCreate_v2(Handle* handle) {
  *handle = new cublasContext;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasSetStream_v2(Handle handle, StreamHandle stream) {
  handle->stream = stream;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasStrsm_v2(Handle handle, int side, int fill, int operation, int, int m, int n,
                                     const float* alpha, const float* a, int a_leading, float* b,
                                     int b_leading) {
  return solve_triangular(handle, side, fill, operation, m, n, alpha, a, a_leading, b, b_leading);
}
DYAD_LIBRARY_FUNCTION cublasDtrsm_v2(Handle handle, int side, int fill, int operation, int, int m, int n,
                                     const double* alpha, const double* a, int a_leading, double* b,
                                     int b_leading) {
  return solve_triangular(handle, side, fill, operation, m, n, alpha, a, a_leading, b, b_leading);
}

DYAD_CUBLAS(DYAD_CHECK_LIBRARY)
