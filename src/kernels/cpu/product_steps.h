#pragma once

#include <deque>
#include <string>
#include <vector>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/prepared.h"
#include "types/arg.h"

namespace dyad::kernels {

/// The steps of `product` (ops/linalg/product.h) on the blocks of its result, with the loops of the
/// elementwise operators: the same numbers as if each had run by itself.
class ProductSteps final : public GemmFinish {
 public:
  ProductSteps(const ValueImpl& out, const std::string& text, const ValueList& operands,
               const Floats& numbers);
  bool empty() const { return steps_.empty(); }
  void run(int64_t row, int64_t rows, int64_t column, int64_t columns, void* c,
           int64_t c_stride) const override;

 private:
  struct Step {
    Loop loop;
    bool binary;
    const char* data;  ///< of the second operand
    int64_t row_step;  ///< in elements
    int64_t column_step;
  };
  /// An operand with one distance from row to row, all rows of the result counted.
  void lay_out(Step& step, const ValueImpl& operand, const ValueImpl& out);
  void run_line(int64_t row, int64_t column, int64_t count, char* c) const;

  std::vector<Step> steps_;
  std::deque<Prepared> copies_;
  std::vector<double> numbers_;  ///< in the dtype of the result
  int64_t itemsize_;
  int64_t width_;      ///< columns of the whole result
  bool whole_ = true;  ///< rows may be taken together where they follow one another
};

}  // namespace dyad::kernels
