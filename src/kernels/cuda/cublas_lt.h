#pragma once

// cuBLASLt's functions, and its constants as its documentation has them.

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/library.h"
#include "runtime/cuda/driver.h"
#include "types/dtype.h"

namespace dyad::cuda {

/// Number formats as all libraries of NVIDIA's count them.
enum class DataFormat : int {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kComplex64 = 4,
  kComplex128 = 5,
  kBFloat16 = 14,
};
/// Of a float or complex dtype.
DataFormat data_format(DType dtype);

namespace lt {

/// What products are computed in.
enum class Compute : int { kFloat32 = 68, kFloat64 = 70, kFloat32ByTf32 = 77 };
/// Whether a matrix is turned.
enum class Transpose : int { kNo = 0, kYes = 1 };
/// What follows a product.
enum class Epilogue : int { kNone = 1, kBias = 4 };

/// Attributes of a product.
inline constexpr int kTransposeA = 3;
inline constexpr int kTransposeB = 4;
inline constexpr int kEpilogue = 7;
inline constexpr int kBiasPointer = 8;
/// Attributes of a matrix.
inline constexpr int kBatchCount = 5;
inline constexpr int kBatchStride = 6;
/// Attributes of the search for an algorithm.
inline constexpr int kMostWorkspace = 1;
inline constexpr int kReductionSchemes = 3;
inline constexpr int kAlignmentA = 5;
inline constexpr int kAlignmentB = 6;
inline constexpr int kAlignmentC = 7;
inline constexpr int kAlignmentD = 8;
/// Ways to add up parts of a sum whose order is always the same: in the type of the computation (2), and of
/// the result (4).
inline constexpr uint32_t kOrderedReductions = 2 | 4;

/// One of the library's algorithms, as it writes it down.
struct Algorithm {
  uint64_t data[8];
};
/// An algorithm that the library proposes, and what it needs.
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 96);

using Handle = struct cublasLtContext*;
using Product = void*;
using Matrix = void*;
using Preference = void*;

// clang-format off
#define DYAD_CUBLAS_LT(entry) \
  entry(cublasLtCreate, create, (Handle* handle)) \
  entry(cublasLtMatmulDescCreate, create_product, (Product* product, int compute, int scale)) \
  entry(cublasLtMatmulDescDestroy, destroy_product, (Product product)) \
  entry(cublasLtMatmulDescSetAttribute, set_product, \
        (Product product, int attribute, const void* value, size_t bytes)) \
  entry(cublasLtMatrixLayoutCreate, create_matrix, \
        (Matrix* matrix, int format, uint64_t rows, uint64_t columns, int64_t leading)) \
  entry(cublasLtMatrixLayoutDestroy, destroy_matrix, (Matrix matrix)) \
  entry(cublasLtMatrixLayoutSetAttribute, set_matrix, \
        (Matrix matrix, int attribute, const void* value, size_t bytes)) \
  entry(cublasLtMatmulPreferenceCreate, create_preference, (Preference* preference)) \
  entry(cublasLtMatmulPreferenceDestroy, destroy_preference, (Preference preference)) \
  entry(cublasLtMatmulPreferenceSetAttribute, set_preference, \
        (Preference preference, int attribute, const void* value, size_t bytes)) \
  entry(cublasLtMatmulAlgoGetHeuristic, find_algorithms, \
        (Handle handle, Product product, Matrix a, Matrix b, Matrix c, Matrix d, Preference preference, \
         int wanted, Heuristic* found, int* count)) \
  entry(cublasLtMatmul, multiply, \
        (Handle handle, Product product, const void* alpha, const void* a, Matrix a_layout, const void* b, \
         Matrix b_layout, const void* beta, const void* c, Matrix c_layout, void* d, Matrix d_layout, \
         const Algorithm* algorithm, void* workspace, size_t workspace_bytes, StreamHandle stream))
// clang-format on

/// The functions of the library that are called.
struct Api : Library {
  DYAD_CUBLAS_LT(DYAD_LIBRARY_POINTER)
};

}  // namespace lt

/// cuBLASLt, opened at the first call.
const lt::Api& cublas_lt();
/// Its handle on a device, made at the first call; threads may share it.
lt::Handle cublas_lt_handle(int device);
}  // namespace dyad::cuda
