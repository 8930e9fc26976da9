#include "types/index_layout.h"

#include <algorithm>

#include "base/error.h"

namespace dyad {

namespace {

bool broadcast_together(const Shape& a, const Shape& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const Dim x = a[a.size() - i];
    const Dim y = b[b.size() - i];
    if (x.known() && y.known() && !(x == y) && !(x == Dim(1)) && !(y == Dim(1))) return false;
  }
  return true;
}

}  // namespace

IndexLayout index_layout(std::string_view op, const Shape& input, const ValueList& indices) {
  IndexLayout layout;
  if (indices.size() > input.size()) {
    index_error(op, ": ", indices.size(), " indices are given for a tensor of shape ", input, "; at most ",
                input.size(), " are accepted");
  }
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    if (!is_int(indices[d]->dtype)) {
      index_error(op, ": the index of dimension ", d, " has dtype ", indices[d]->dtype,
                  "; accepted are integers");
    }
    layout.indexed.push_back(static_cast<int64_t>(d));
    if (!broadcast_together(layout.index_shape, indices[d]->shape)) {
      index_error(op, ": indices of shapes ", layout.index_shape, " and ", indices[d]->shape,
                  " do not broadcast");
    }
    layout.index_shape = broadcast(op, layout.index_shape, indices[d]->shape);
  }
  if (layout.indexed.empty()) index_error(op, ": there is no index tensor; at least one is needed");
  const int64_t first = layout.indexed.front();
  const int64_t last = layout.indexed.back();
  const bool neighbours = last - first + 1 == static_cast<int64_t>(layout.indexed.size());
  size_t next = 0;
  for (size_t d = 0; d < input.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    if (next < layout.indexed.size() && layout.indexed[next] == axis) {
      ++next;
    } else {
      (neighbours && axis < first ? layout.before : layout.after).push_back(axis);
    }
  }
  for (int64_t axis : layout.before) layout.result.push_back(input[static_cast<size_t>(axis)]);
  for (Dim d : layout.index_shape) layout.result.push_back(d);
  for (int64_t axis : layout.after) layout.result.push_back(input[static_cast<size_t>(axis)]);
  return layout;
}

}  // namespace dyad
