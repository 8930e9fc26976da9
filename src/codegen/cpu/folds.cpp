#include "codegen/cpu/folds.h"

#include "base/error.h"
#include "kernels/cpu/reduce.h"

namespace dyad::codegen {

namespace {

kernels::ReduceKind kind_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean:
      return kernels::ReduceKind::kSum;
    case Reduction::kProd:
      return kernels::ReduceKind::kProd;
    case Reduction::kMax:
      return kernels::ReduceKind::kMax;
    case Reduction::kMin:
      return kernels::ReduceKind::kMin;
    case Reduction::kAll:
      return kernels::ReduceKind::kAll;
    case Reduction::kAny:
      return kernels::ReduceKind::kAny;
    case Reduction::kNone:
      break;
  }
  raise_internal("a fold has a reduction", __FILE__, __LINE__);
}

}  // namespace

FoldCode fold_code(const Fold& fold) {
  const kernels::ReduceKind kind = kind_of(fold.reduction);
  const auto& loops = kernels::reduce_loops().at[static_cast<size_t>(kind)];
  FoldCode code;
  code.elements = loops[static_cast<size_t>(kernels::reduce_type(fold.compute_dtype))];
  code.partial = loops[static_cast<size_t>(kernels::reduce_type(fold.accumulator))];
  DYAD_ASSERT(code.elements.row && code.partial.row);
  code.compute_bytes = itemsize(fold.compute_dtype);
  code.accumulator_bytes = itemsize(fold.accumulator);
  store(kernels::reduction_neutral(kind, fold.accumulator), fold.accumulator, code.neutral);
  return code;
}

}  // namespace dyad::codegen
