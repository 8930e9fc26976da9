#pragma once

#include <vector>

#include "codegen/cpu/launch.h"

namespace dyad::codegen {

/// Additions that are worth waking another thread for.
inline constexpr int64_t kWorthSharing = 32768;
inline constexpr size_t kMostTensors = 40;

inline int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

/// What launches of both kinds do: find elements of tensors.
class CpuLaunch : public Launch {
 protected:
  CpuLaunch(Schedule schedule, std::vector<PhaseCode> code, int cost);

  /// The memory of each tensor.
  void place_tensors(const void* const* params, void* const* results, char** tensors) const;
  int64_t size_of(int axis) const { return axis < 0 ? 1 : schedule_.axes[static_cast<size_t>(axis)].size; }
  int64_t product(const std::vector<int>& axes) const;
  void move(int64_t* offsets, int axis, int64_t by) const;
  /// To the point with this number, counted through `axes`, the last one fastest.
  void move_to(int64_t* offsets, const std::vector<int>& axes, int64_t number) const;

  Schedule schedule_;
  std::vector<PhaseCode> code_;
  int64_t cost_;  ///< of an element, relative to an addition
  size_t tensors_;
};

/// Every element by itself.
Ref<Launch> make_pointwise_launch(Schedule schedule, std::vector<PhaseCode> code, int cost);
/// With reductions.
Ref<Launch> make_fold_launch(Schedule schedule, std::vector<PhaseCode> code, int cost);

}  // namespace dyad::codegen
