#pragma once

#include "ops/op.h"

namespace dyad {

/// One number per spatial dimension: a single one stands for all. More (a stride given for batch and channel
/// too) keeps the last ones. Anything else, or a number below `least`, is an error naming the operator and
/// the parameter.
Dims per_dimension(const Arguments& args, size_t at, std::string_view what, size_t spatial, int64_t least);

/// The input of a convolution over `spatial` dimensions, argument 0, as several images; a single one may come
/// without their dimension. The weight, argument 1, must have as many dimensions.
struct Images {
  Images(const Call& call, size_t spatial);
  /// A result, without the dimension of the images if the input had none.
  Value as_given(const Value& result) const;

  bool single;
  Value batch;
};

/// Padding before and after each spatial dimension. `mode` 'same' keeps ceil(size / stride) positions,
/// 'valid' pads nothing, 'pad' takes what is given: one number, one per dimension, or a pair per dimension.
Dims padding_pairs(const Arguments& args, const std::string& mode, const Dims& given, const Dims& sizes,
                   const Dims& kernel, const Dims& stride, const Dims& dilation);

/// Raises a ValueError unless each number is at least `least`.
void require_at_least(const Arguments& args, std::string_view what, const Dims& numbers, int64_t least);

/// Positions of a window of `kernel` elements over `size` elements.
Dim window_count(Dim size, Dim padding, Dim kernel, Dim stride, Dim dilation);

}  // namespace dyad
