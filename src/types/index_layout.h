#pragma once

#include "types/arg.h"

namespace dyad {

/// How a tensor is read by integer index tensors, one per leading dimension, with holes for dimensions that
/// are taken whole. The index tensors broadcast to one shape, which replaces the indexed dimensions: in their
/// place if they are neighbours, at the front if they are not.
struct IndexLayout {
  Ints indexed;       ///< dimensions with an index tensor
  Ints before;        ///< whole dimensions that come before the index shape in the result
  Ints after;         ///< whole dimensions that come after it
  Shape index_shape;  ///< what the index tensors broadcast to
  Shape result;
};

/// Raises on too many index tensors, on dtypes that are no integers and on shapes that do not broadcast.
IndexLayout index_layout(std::string_view op, const Shape& input, const ValueList& indices);

}  // namespace dyad
