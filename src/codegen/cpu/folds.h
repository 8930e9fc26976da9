#pragma once

#include "codegen/loops/schedule.h"
#include "kernels/cpu/reduce_table.h"

namespace dyad::codegen {

/// How elements are folded: by the loops of the eager reductions, so that both give the same.
struct FoldCode {
  kernels::ReduceLoops elements;  ///< from the compute dtype to the accumulator
  kernels::ReduceLoops partial;   ///< from accumulators of parts to that of the whole
  int64_t compute_bytes = 4;
  int64_t accumulator_bytes = 8;
  alignas(8) char neutral[8] = {};  ///< what an accumulator starts with
};
FoldCode fold_code(const Fold& fold);

}  // namespace dyad::codegen
