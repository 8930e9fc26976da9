#pragma once

#include <vector>

#include "types/index_layout.h"

namespace dyad::kernels {

/// Where the elements lie that index tensors choose. The result is rows of `columns` elements: row b * chosen
/// + s starts `before[b] + rows[s]` elements after the first one of the indexed tensor, and its column j lies
/// `after[j]` further.
struct IndexPlan {
  std::vector<int64_t> before;
  std::vector<int64_t> rows;
  std::vector<int64_t> after;  ///< empty if the columns lie beside each other
  int64_t columns = 1;
  Shape result;

  int64_t column(int64_t j) const { return after.empty() ? j : after[static_cast<size_t>(j)]; }
};

/// Reads the index tensors; an index outside its dimension is an IndexError. Negative ones count from the
/// end.
IndexPlan plan_index(std::string_view op, const Shape& shape, const Strides& strides,
                     const ValueList& indices);

/// All offsets of a strided block in row-major order.
std::vector<int64_t> strided_offsets(const Shape& shape, const Strides& strides);

/// The tensor's integers, broadcast to `shape`, as contiguous int64.
std::vector<int64_t> read_indices(const ValueImpl& index, const Shape& shape);

}  // namespace dyad::kernels
