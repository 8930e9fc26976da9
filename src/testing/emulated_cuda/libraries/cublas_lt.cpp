// The functions of cuBLASLt that Dyad calls, as plain loops in the order of the stream. They are as strict
// about their operands as the library.

#include "kernels/cuda/cublas_lt.h"

#include <algorithm>

#include "testing/emulated_cuda/libraries/queue.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;
using namespace dyad::cuda::lt;

namespace {

constexpr int kUnsupported = 15;
constexpr size_t kWorkspace = 1024;
/// The algorithms that are proposed, by their place: one without memory, one that is refused when it is run,
/// and one that splits sums, for which it wants more memory than the first.
constexpr int kProposed = 3;
constexpr uint64_t kRefused = 1;
constexpr uint64_t kSplitSums = 2;
/// Where an algorithm holds its number and the memory that it wants, behind the alignments.
constexpr int kNumber = 4;
constexpr int kNeeded = 5;

struct ProductState {
  int compute;
  int scale;
  int transposes[2] = {0, 0};
  int epilogue = static_cast<int>(Epilogue::kNone);
  const void* bias = nullptr;
};

struct MatrixState {
  int format;
  int64_t rows;
  int64_t columns;
  int64_t leading;
  int32_t count = 1;
  int64_t stride = 0;

  int64_t at(int64_t matrix, int64_t row, int64_t column) const {
    return matrix * stride + row + column * leading;
  }
  /// As an operand that may be transposed.
  int64_t seen_rows(bool transposed) const { return transposed ? columns : rows; }
  int64_t seen_columns(bool transposed) const { return transposed ? rows : columns; }
  Number read(const void* data, int64_t matrix, int64_t row, int64_t column, bool transposed) const {
    return load(format, data, transposed ? at(matrix, column, row) : at(matrix, row, column));
  }
};

struct PreferenceState {
  uint64_t workspace = 0;
  uint32_t alignments[4] = {256, 256, 256, 256};
  uint32_t reductions = ~0u;
};

ProductState& of_product(Product product) { return *static_cast<ProductState*>(product); }
MatrixState& of_matrix(Matrix matrix) { return *static_cast<MatrixState*>(matrix); }

bool fits(const ProductState& p, const MatrixState& a, const MatrixState& b, const MatrixState& c) {
  for (const MatrixState* matrix : {&a, &b, &c}) {
    if (matrix->leading < std::max<int64_t>(matrix->rows, 1) || matrix->count != c.count) return false;
    if (matrix->rows <= 0 || matrix->columns <= 0 || matrix->format != c.format) return false;
  }
  const bool a_turned = p.transposes[0] != 0;
  const bool b_turned = p.transposes[1] != 0;
  return a.seen_rows(a_turned) == c.rows && b.seen_columns(b_turned) == c.columns &&
         a.seen_columns(a_turned) == b.seen_rows(b_turned);
}

template <class T>
int take(T& to, const void* value, size_t bytes) {
  if (bytes != sizeof(T)) return kInvalid;
  std::memcpy(&to, value, bytes);
  return kDone;
}

}  // namespace

DYAD_LIBRARY_FUNCTION cublasLtCreate(Handle* handle) {
  *handle = reinterpret_cast<Handle>(new int);
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulDescCreate(Product* product, int compute, int scale) {
  *product = new ProductState{compute, scale};
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulDescDestroy(Product product) {
  delete &of_product(product);
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulDescSetAttribute(Product product, int attribute, const void* value,
                                                     size_t bytes) {
  ProductState& p = of_product(product);
  switch (attribute) {
    case kTransposeA:
      return take(p.transposes[0], value, bytes);
    case kTransposeB:
      return take(p.transposes[1], value, bytes);
    case kEpilogue:
      return take(p.epilogue, value, bytes);
    case kBiasPointer:
      return take(p.bias, value, bytes);
    default:
      return kInvalid;
  }
}
DYAD_LIBRARY_FUNCTION cublasLtMatrixLayoutCreate(Matrix* matrix, int format, uint64_t rows, uint64_t columns,
                                                 int64_t leading) {
  *matrix = new MatrixState{format, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading};
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatrixLayoutDestroy(Matrix matrix) {
  delete &of_matrix(matrix);
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatrixLayoutSetAttribute(Matrix matrix, int attribute, const void* value,
                                                       size_t bytes) {
  if (attribute == kBatchCount) return take(of_matrix(matrix).count, value, bytes);
  if (attribute == kBatchStride) return take(of_matrix(matrix).stride, value, bytes);
  return kInvalid;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulPreferenceCreate(Preference* preference) {
  *preference = new PreferenceState;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete static_cast<PreferenceState*>(preference);
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulPreferenceSetAttribute(Preference preference, int attribute,
                                                           const void* value, size_t bytes) {
  auto& p = *static_cast<PreferenceState*>(preference);
  if (attribute == kMostWorkspace) return take(p.workspace, value, bytes);
  if (attribute >= kAlignmentA && attribute <= kAlignmentD)
    return take(p.alignments[attribute - kAlignmentA], value, bytes);
  return attribute == kReductionSchemes ? take(p.reductions, value, bytes) : kInvalid;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmulAlgoGetHeuristic(Handle, Product product, Matrix a, Matrix b, Matrix c,
                                                     Matrix, Preference preference, int wanted,
                                                     Heuristic* found, int* count) {
  *count = 0;
  if (wanted < 1 || !fits(of_product(product), of_matrix(a), of_matrix(b), of_matrix(c))) return kInvalid;
  const auto& p = *static_cast<PreferenceState*>(preference);
  for (int i = 0; i < std::min(wanted, kProposed); ++i) {
    Heuristic& proposal = found[i] = {};
    // The alignments that were promised travel in the algorithm, so that the product can hold the caller to
    // them.
    std::copy(p.alignments, p.alignments + 4, proposal.algorithm.data);
    proposal.workspace = std::min<size_t>(p.workspace, kWorkspace * static_cast<size_t>(i + 1));
    proposal.algorithm.data[kNumber] = static_cast<uint64_t>(i);
    proposal.algorithm.data[kNeeded] = proposal.workspace;
    // Without memory, or in a certain order only, sums are not split.
    if (i == kSplitSums && (p.workspace < kWorkspace || p.reductions == kOrderedReductions))
      proposal.status = kUnsupported;
    *count = i + 1;
  }
  return kDone;
}
DYAD_LIBRARY_FUNCTION cublasLtMatmul(Handle, Product product, const void* alpha, const void* a,
                                     Matrix a_layout, const void* b, Matrix b_layout, const void* beta,
                                     const void* c, Matrix c_layout, void* d, Matrix d_layout,
                                     const Algorithm* algorithm, void* workspace, size_t workspace_bytes,
                                     StreamHandle stream) {
  const ProductState p = of_product(product);
  const MatrixState left = of_matrix(a_layout);
  const MatrixState right = of_matrix(b_layout);
  const MatrixState result = of_matrix(d_layout);
  if (!fits(p, left, right, result) || c != d || c_layout != d_layout) return kInvalid;
  const void* places[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    if (reinterpret_cast<uint64_t>(places[i]) % algorithm->data[i] != 0) return kInvalid;
  }
  if (algorithm->data[kNumber] == kRefused) return kUnsupported;
  if (workspace_bytes < algorithm->data[kNeeded] || (workspace_bytes > 0 && !workspace)) return kInvalid;
  if (reinterpret_cast<uint64_t>(workspace) % 256 != 0) return kInvalid;
  const bool biased = p.epilogue == static_cast<int>(Epilogue::kBias);
  const auto format = static_cast<DataFormat>(result.format);
  const bool wide = format == DataFormat::kFloat64 || format == DataFormat::kComplex128;
  const bool complex = format == DataFormat::kComplex64 || format == DataFormat::kComplex128;
  if (biased && (wide || complex || reinterpret_cast<uint64_t>(p.bias) % 16 != 0)) return kUnsupported;
  if (static_cast<int>(wide ? Compute::kFloat64 : Compute::kFloat32) != p.compute &&
      (wide || p.compute != static_cast<int>(Compute::kFloat32ByTf32)))
    return kUnsupported;
  const Number scale = load(p.scale, alpha, 0);
  const Number kept = load(p.scale, beta, 0);
  return enqueue(stream, [=] {
    std::memset(workspace, 0x5a, workspace_bytes);
    const int64_t depth = left.seen_columns(p.transposes[0] != 0);
    for (int64_t i = 0; i < result.count; ++i) {
      for (int64_t column = 0; column < result.columns; ++column) {
        for (int64_t row = 0; row < result.rows; ++row) {
          Number sum = 0;
          for (int64_t k = 0; k < depth; ++k) {
            sum += left.read(a, i, row, k, p.transposes[0] != 0) *
                   right.read(b, i, k, column, p.transposes[1] != 0);
          }
          const int64_t place = result.at(i, row, column);
          sum *= scale;
          if (kept != 0.0) sum += kept * load(result.format, c, place);
          if (biased) sum += load(result.format, p.bias, row);
          store(result.format, d, place, sum);
        }
      }
    }
  });
}

DYAD_CUBLAS_LT(DYAD_CHECK_LIBRARY)
