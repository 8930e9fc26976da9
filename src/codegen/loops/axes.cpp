#include "codegen/loops/axes.h"

#include <algorithm>

namespace dyad::codegen {

namespace {

/// Adds what one tensor says of the axes.
bool add_tensor(std::vector<Axis>& axes, size_t tensor, const AxisMap& map, const Layout& layout) {
  if (layout.shape.size() != map.size() || layout.strides.size() != map.size()) return false;
  for (size_t i = 0; i < map.size(); ++i) {
    if (!layout.shape[i].known()) return false;
    const int64_t size = layout.shape[i].value();
    if (size == 1) continue;
    if (map[i] == kNoAxis) return false;
    Axis& axis = axes[static_cast<size_t>(map[i])];
    if (axis.size != 1 && axis.size != size) return false;
    axis.size = size;
    axis.strides[tensor] = layout.strides[i];
  }
  return true;
}

/// Whether a result has an element for every step along its axes.
bool spans(const std::vector<Axis>& axes, const AxisMap& map, const Layout& layout) {
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] != kNoAxis && axes[static_cast<size_t>(map[i])].size != layout.shape[i].value()) return false;
  }
  return true;
}

/// The tensor whose order in memory is followed: the one with most axes, a result if it can be.
size_t leading_tensor(const std::vector<Axis>& axes, size_t params, size_t tensors) {
  size_t leader = 0;
  int64_t most = -1;
  for (size_t i = 0; i < tensors; ++i) {
    const size_t tensor = (i + params) % tensors;
    const auto spanned =
        std::count_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.strides[tensor] != 0; });
    if (spanned > most) {
      most = spanned;
      leader = tensor;
    }
  }
  return leader;
}

bool walked_as_one(const Axis& outer, const Axis& inner) {
  if (outer.reduced != inner.reduced) return false;
  for (size_t i = 0; i < outer.strides.size(); ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Axis>> arrange_axes(const Computation& computation, std::span<const Layout> params,
                                              std::span<const Layout> results) {
  const size_t tensors = computation.params.size() + computation.results.size();
  std::vector<Axis> axes(computation.axis_count());
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].reduced = computation.reduced[i];
    axes[i].strides.assign(tensors, 0);
  }
  size_t tensor = 0;
  for (const auto& param : computation.params) {
    if (param.value >= params.size() || !add_tensor(axes, tensor++, param.axes, params[param.value]))
      return std::nullopt;
  }
  for (size_t i = 0; i < computation.results.size(); ++i) {
    if (!add_tensor(axes, tensor++, computation.results[i].axes, results[i])) return std::nullopt;
  }
  for (size_t i = 0; i < computation.results.size(); ++i) {
    if (!spans(axes, computation.results[i].axes, results[i])) return std::nullopt;
  }

  std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  if (tensors > 0) {
    const size_t leader = leading_tensor(axes, computation.params.size(), tensors);
    std::stable_sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) {
      const int64_t left = std::abs(a.strides[leader]);
      const int64_t right = std::abs(b.strides[leader]);
      return left != 0 && right != 0 ? left > right : left == 0 && right != 0;
    });
  }
  for (size_t i = axes.size(); i-- > 1;) {
    if (!walked_as_one(axes[i - 1], axes[i])) continue;
    axes[i].size *= axes[i - 1].size;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
  const bool reduces =
      std::find(computation.reduced.begin(), computation.reduced.end(), true) != computation.reduced.end();
  const bool found = std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.reduced; });
  if (reduces && !found) axes.push_back({1, true, std::vector<int64_t>(tensors, 0)});
  return axes;
}

}  // namespace dyad::codegen
