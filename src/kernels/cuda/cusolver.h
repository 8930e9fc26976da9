#pragma once

// Functions of cuSOLVER, and the triangular solves of cuBLAS, with constants as their documentation has them.

#include <mutex>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/library.h"
#include "runtime/cuda/driver.h"

namespace dyad::cuda {

namespace blas {

/// On which side a matrix stands.
enum class Side : int { kLeft = 0, kRight = 1 };
/// Which triangle of a matrix counts.
enum class Fill : int { kLower = 0, kUpper = 1 };
/// Whether a matrix is turned.
enum class Operation : int { kNone = 0, kTranspose = 1 };
inline constexpr int kNonUnitDiagonal = 0;

using Handle = struct cublasContext*;

// clang-format off
#define DYAD_CUBLAS(entry) \
  entry(cublasCreate_v2, create, (Handle* handle)) \
  entry(cublasSetStream_v2, set_stream, (Handle handle, StreamHandle stream)) \
  entry(cublasStrsm_v2, solve_float, \
        (Handle handle, int side, int fill, int operation, int diagonal, int m, int n, const float* alpha, \
         const float* a, int a_leading, float* b, int b_leading)) \
  entry(cublasDtrsm_v2, solve_double, \
        (Handle handle, int side, int fill, int operation, int diagonal, int m, int n, const double* alpha, \
         const double* a, int a_leading, double* b, int b_leading))
// clang-format on

/// The functions of the library that are called.
struct Api : Library {
  DYAD_CUBLAS(DYAD_LIBRARY_POINTER)
};

}  // namespace blas

namespace solver {

using Handle = struct cusolverDnContext*;
using Parameters = struct cusolverDnParams*;
inline constexpr int kWithVectors = 1;

// clang-format off
#define DYAD_CUSOLVER(entry) \
  entry(cusolverDnCreate, create, (Handle* handle)) \
  entry(cusolverDnSetStream, set_stream, (Handle handle, StreamHandle stream)) \
  entry(cusolverDnCreateParams, create_parameters, (Parameters* parameters)) \
  entry(cusolverDnXgetrf_bufferSize, lu_room, \
        (Handle handle, Parameters parameters, int64_t m, int64_t n, int a_format, const void* a, \
         int64_t leading, int compute, size_t* device_bytes, size_t* host_bytes)) \
  entry(cusolverDnXgetrf, lu, \
        (Handle handle, Parameters parameters, int64_t m, int64_t n, int a_format, void* a, int64_t leading, \
         int64_t* exchanges, int compute, void* device, size_t device_bytes, void* host, size_t host_bytes, \
         int* info)) \
  entry(cusolverDnXgetrs, solve_lu, \
        (Handle handle, Parameters parameters, int operation, int64_t n, int64_t columns, int a_format, \
         const void* a, int64_t a_leading, const int64_t* exchanges, int b_format, void* b, \
         int64_t b_leading, int* info)) \
  entry(cusolverDnXpotrf_bufferSize, cholesky_room, \
        (Handle handle, Parameters parameters, int fill, int64_t n, int a_format, const void* a, \
         int64_t leading, int compute, size_t* device_bytes, size_t* host_bytes)) \
  entry(cusolverDnXpotrf, cholesky, \
        (Handle handle, Parameters parameters, int fill, int64_t n, int a_format, void* a, int64_t leading, \
         int compute, void* device, size_t device_bytes, void* host, size_t host_bytes, int* info)) \
  entry(cusolverDnXgeqrf_bufferSize, qr_room, \
        (Handle handle, Parameters parameters, int64_t m, int64_t n, int a_format, const void* a, \
         int64_t leading, int tau_format, const void* tau, int compute, size_t* device_bytes, \
         size_t* host_bytes)) \
  entry(cusolverDnXgeqrf, qr, \
        (Handle handle, Parameters parameters, int64_t m, int64_t n, int a_format, void* a, int64_t leading, \
         int tau_format, void* tau, int compute, void* device, size_t device_bytes, void* host, \
         size_t host_bytes, int* info)) \
  entry(cusolverDnXsyevd_bufferSize, eigen_room, \
        (Handle handle, Parameters parameters, int vectors, int fill, int64_t n, int a_format, const void* a, \
         int64_t leading, int w_format, const void* w, int compute, size_t* device_bytes, \
         size_t* host_bytes)) \
  entry(cusolverDnXsyevd, eigen, \
        (Handle handle, Parameters parameters, int vectors, int fill, int64_t n, int a_format, void* a, \
         int64_t leading, int w_format, void* w, int compute, void* device, size_t device_bytes, void* host, \
         size_t host_bytes, int* info)) \
  entry(cusolverDnXgesvd_bufferSize, svd_room, \
        (Handle handle, Parameters parameters, signed char u_job, signed char v_job, int64_t m, int64_t n, \
         int a_format, const void* a, int64_t leading, int s_format, const void* s, int u_format, \
         const void* u, int64_t u_leading, int v_format, const void* v, int64_t v_leading, int compute, \
         size_t* device_bytes, size_t* host_bytes)) \
  entry(cusolverDnXgesvd, svd, \
        (Handle handle, Parameters parameters, signed char u_job, signed char v_job, int64_t m, int64_t n, \
         int a_format, void* a, int64_t leading, int s_format, void* s, int u_format, void* u, \
         int64_t u_leading, int v_format, void* v, int64_t v_leading, int compute, void* device, \
         size_t device_bytes, void* host, size_t host_bytes, int* info)) \
  DYAD_CUSOLVER_Q(entry, cusolverDnSorgqr, float32) \
  DYAD_CUSOLVER_Q(entry, cusolverDnDorgqr, float64) \
  DYAD_CUSOLVER_Q(entry, cusolverDnCungqr, complex64) \
  DYAD_CUSOLVER_Q(entry, cusolverDnZungqr, complex128)
#define DYAD_CUSOLVER_Q(entry, symbol, format) \
  entry(symbol##_bufferSize, q_room_##format, \
        (Handle handle, int m, int n, int k, const void* a, int leading, const void* tau, int* elements)) \
  entry(symbol, q_##format, \
        (Handle handle, int m, int n, int k, void* a, int leading, const void* tau, void* work, \
         int elements, int* info))
// clang-format on

/// The functions of the library that are called.
struct Api : Library {
  DYAD_CUSOLVER(DYAD_LIBRARY_POINTER)
};

}  // namespace solver

/// Opened at the first call.
const blas::Api& cublas();
const solver::Api& cusolver();

/// The handles of both on a device, for one thread at a time, set to the current stream. Each is made when it
/// is first asked for.
class SolverLease {
 public:
  explicit SolverLease(int device);
  blas::Handle blas() const;
  solver::Handle solver() const;
  solver::Parameters parameters() const;

 private:
  struct Shared;
  static Shared& shared(int device);
  int device_;
  Shared& shared_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace dyad::cuda
