#pragma once

#include <cstddef>
#include <cstdint>

#include "types/dtype.h"

namespace dyad::kernels {

/// A matrix anywhere in memory; strides in elements.
struct MatrixView {
  const void* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// Columns of a panel. A matrix *in panels* has kPanelColumns of its columns after the other, each panel row
/// by row, the last one filled up with zeros: a tensor of shape (panels, rows, kPanelColumns).
inline constexpr int64_t kPanelColumns = 64;

/// What is done to elements of c as soon as their sums are complete.
class GemmFinish {
 public:
  /// `c` is the element at (row, column) of the whole product.
  virtual void run(int64_t row, int64_t rows, int64_t column, int64_t columns, void* c,
                   int64_t c_stride) const = 0;

 protected:
  ~GemmFinish() = default;
};

/// c = a @ b (+ bias), for one thread. `c` has unit stride within a row and, for float16 and bfloat16
/// operands, is float32. `bias` has one element per column and `row_bias` one per row, in the type of `c`;
/// one or both are null.
struct GemmTask {
  int64_t m;
  int64_t n;
  int64_t k;
  MatrixView a;
  MatrixView b;
  void* c;
  int64_t c_stride;
  const void* bias;
  const void* row_bias;
  void* workspace;         ///< `GemmTable::workspace_bytes` of the task
  bool in_panels = false;  ///< b is in panels, and `b.data` where the first one starts
  bool by_dots = false;    ///< by dot products; both operands have k in order
  int64_t first_row = 0;   ///< where c lies in the whole product
  int64_t first_column = 0;
  const GemmFinish* finish = nullptr;
};

using Gemm = void (*)(const GemmTask& task);

/// The matrix products of one instruction set. A dtype without one has null.
struct GemmTable {
  Gemm run[kDTypeCount];  ///< by dtype of the operands
  size_t (*workspace_bytes)(const GemmTask& task);
  /// Packs up to kPanelColumns columns as one panel; float32 and float64.
  void (*pack_float)(const MatrixView& matrix, int64_t rows, int64_t columns, void* out);
  void (*pack_double)(const MatrixView& matrix, int64_t rows, int64_t columns, void* out);
};

namespace baseline {
extern const GemmTable gemm_table;
}
namespace avx2 {
extern const GemmTable gemm_table;
}
namespace avx512 {
extern const GemmTable gemm_table;
}

}  // namespace dyad::kernels
