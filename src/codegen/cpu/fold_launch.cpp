#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "codegen/cpu/cpu_launch.h"
#include "codegen/cpu/folds.h"
#include "codegen/cpu/operands.h"
#include "codegen/cpu/thread_memory.h"
#include "runtime/allocator.h"

namespace dyad::codegen {

namespace {

/// Elements of one task where a few points are made of many elements; fixed, so that sums do not depend on
/// the number of threads.
constexpr int64_t kTask = 1 << 16;
/// Fewer tiles than this share the work on each among the threads.
constexpr int64_t kFewTiles = 8;
/// Points that are folded side by side.
constexpr int64_t kColumns = 512;

/// Tiles of points of the kept axes. For each, every phase walks over the reduced axes in steps; a step is
/// one window of the full loop and what is folded of it.
class FoldLaunch final : public CpuLaunch {
 public:
  FoldLaunch(Schedule schedule, std::vector<PhaseCode> code, int cost)
      : CpuLaunch(std::move(schedule), std::move(code), cost) {
    choose_axes();
    choose_sizes();
    for (const Phase& phase : schedule_.phases) {
      PhaseParts parts;
      parts.full.emplace_back(schedule_, phase.full, row_axis_, inner_, rows_are_points());
      parts.kept.emplace_back(schedule_, phase.kept, -1, point_axis_, false);
      for (const Fold& fold : phase.folds) parts.folds.push_back(fold_code(fold));
      packed_ = std::max({packed_, parts.full[0].packed_count(), parts.kept[0].packed_count()});
      folds_ = std::max(folds_, parts.folds.size());
      parts_.push_back(std::move(parts));
    }
    int64_t folded = 1;
    for (const Axis& axis : schedule_.axes) folded *= axis.reduced ? axis.size : 1;
    scale_ = 1.0 / static_cast<double>(folded);
    elements_per_tile_ = folded * points_;
  }

  void run(const void* const* params, void* const* results) const override {
    if (tiles_ == 0) return;
    char* tensors[kMostTensors];
    place_tensors(params, results, tensors);
    if (tiles_ < kFewTiles && elements_per_tile_ >= 2 * kTask) return run_shared(tensors);
    const int64_t grain =
        std::max<int64_t>(kWorthSharing / std::max<int64_t>(elements_per_tile_ * cost_, 1), 1);
    parallel_for(tiles_, grain, [&](int64_t begin, int64_t end) {
      TileMemory memory = tile_memory();
      for (int64_t tile = begin; tile < end; ++tile) run_tile(tile, tensors, memory);
    });
  }

 private:
  struct PhaseParts {
    std::vector<BoundOperands> full;  ///< one
    std::vector<BoundOperands> kept;  ///< one
    std::vector<FoldCode> folds;
  };

  /// Whether every row of a window belongs to another point.
  bool rows_are_points() const { return row_axis_ >= 0 && row_axis_ == point_axis_; }
  bool reduced(int axis) const { return schedule_.axes[static_cast<size_t>(axis)].reduced; }
  /// Whether elements of a row belong to one point.
  bool folds_rows() const { return reduced(inner_); }

  void choose_axes() {
    inner_ = static_cast<int>(schedule_.axes.size()) - 1;
    point_axis_ = schedule_.point_axis();
    int last_folded = -1;
    for (int axis = 0; axis < inner_; ++axis) {
      if (reduced(axis)) last_folded = axis;
    }
    row_axis_ = last_folded >= 0 ? last_folded : point_axis_ != inner_ ? point_axis_ : -1;
    for (int axis = 0; axis < inner_; ++axis) {
      if (axis == row_axis_ || axis == point_axis_) continue;
      (reduced(axis) ? outer_folded_ : outer_kept_).push_back(axis);
    }
  }

  void choose_sizes() {
    const int64_t inner = size_of(inner_);
    if (folds_rows()) {
      columns_ = std::min(inner, kTileElements);
      rows_ = std::clamp<int64_t>(kTileElements / std::max<int64_t>(columns_, 1), 1,
                                  std::max<int64_t>(size_of(row_axis_), 1));
      points_ = rows_are_points() ? rows_ : 1;
    } else {
      columns_ = points_ = std::min(inner, kColumns);
      rows_ = std::clamp<int64_t>(kTileElements / std::max<int64_t>(columns_, 1), 1,
                                  std::max<int64_t>(size_of(row_axis_), 1));
    }
    tiles_ = product(outer_kept_) * (points_ > 0 ? pieces(size_of(point_axis_), points_) : 0);
    row_steps_ = rows_are_points() ? 1 : pieces(size_of(row_axis_), rows_);
    column_steps_ = folds_rows() ? pieces(inner, std::max<int64_t>(columns_, 1)) : 1;
    steps_ = product(outer_folded_) * row_steps_ * column_steps_;
  }

  size_t tile_bytes() const {
    const size_t lines = schedule_.kept_values + folds_;
    return (lines * static_cast<size_t>(points_) +
            (schedule_.scratch_rows + packed_) * static_cast<size_t>(kTileElements)) *
           kElementBytes;
  }

  TileMemory tile_memory() const {
    TileMemory memory;
    memory.points = points_;
    char* at = thread_memory(std::max<size_t>(tile_bytes(), 64));
    memory.scratch = at;
    at += schedule_.scratch_rows * kTileElements * kElementBytes;
    memory.packed = at;
    at += static_cast<int64_t>(packed_) * kTileElements * kElementBytes;
    memory.kept = at;
    at += schedule_.kept_values * points_ * kElementBytes;
    memory.accumulators = at;
    return memory;
  }

  /// Offsets of a tile's first point; how many points it has.
  int64_t enter_tile(int64_t tile, int64_t* offsets) const {
    const int64_t along = pieces(size_of(point_axis_), points_);
    move_to(offsets, outer_kept_, tile / along);
    if (point_axis_ < 0) return 1;
    const int64_t first = tile % along * points_;
    move(offsets, point_axis_, first);
    return std::min(points_, size_of(point_axis_) - first);
  }

  void start(const PhaseParts& parts, int64_t points, const TileMemory& memory) const {
    for (size_t i = 0; i < parts.folds.size(); ++i) {
      const FoldCode& fold = parts.folds[i];
      char* at = memory.accumulators + static_cast<int64_t>(i) * memory.points * kElementBytes;
      for (int64_t point = 0; point < points; ++point) {
        std::memcpy(at + point * fold.accumulator_bytes, fold.neutral,
                    static_cast<size_t>(fold.accumulator_bytes));
      }
    }
  }

  void run_tile(int64_t tile, char* const* tensors, const TileMemory& memory) const {
    int64_t offsets[kMostTensors] = {};
    const int64_t points = enter_tile(tile, offsets);
    for (size_t phase = 0; phase < parts_.size(); ++phase) {
      start(parts_[phase], points, memory);
      run_steps(phase, 0, steps_, points, tensors, offsets, memory);
      run_kept(phase, points, tensors, offsets, memory);
    }
  }

  void run_kept(size_t phase, int64_t points, char* const* tensors, const int64_t* offsets,
                const TileMemory& memory) const {
    if (code_[phase].kept)
      parts_[phase].kept[0].run(code_[phase].kept, {1, points}, tensors, offsets, memory, &scale_);
  }

  void run_steps(size_t phase, int64_t begin, int64_t end, int64_t points, char* const* tensors,
                 const int64_t* tile_offsets, const TileMemory& memory) const {
    int64_t offsets[kMostTensors];
    for (int64_t step = begin; step < end; ++step) {
      std::copy(tile_offsets, tile_offsets + tensors_, offsets);
      Window window;
      window.count = points;
      if (folds_rows()) {
        const int64_t column = step % column_steps_ * columns_;
        move(offsets, inner_, column);
        window.count = std::min(columns_, size_of(inner_) - column);
      }
      if (rows_are_points()) {
        window.rows = points;
      } else if (row_axis_ >= 0) {
        const int64_t row = step / column_steps_ % row_steps_ * rows_;
        move(offsets, row_axis_, row);
        window.rows = std::min(rows_, size_of(row_axis_) - row);
      }
      move_to(offsets, outer_folded_, step / column_steps_ / row_steps_);
      if (code_[phase].full)
        parts_[phase].full[0].run(code_[phase].full, window, tensors, offsets, memory, &scale_);
      for (size_t i = 0; i < parts_[phase].folds.size(); ++i)
        fold(phase, i, window, tensors, offsets, memory);
    }
  }

  void fold(size_t phase, size_t number, const Window& window, char* const* tensors, const int64_t* offsets,
            const TileMemory& memory) const {
    const FoldCode& code = parts_[phase].folds[number];
    const OperandRef& input = schedule_.phases[phase].folds[number].input;
    char* accumulator = memory.accumulators + static_cast<int64_t>(number) * memory.points * kElementBytes;
    const char* in = nullptr;
    int64_t distance = window.count;  // between rows, in elements
    if (input.kind == OperandRef::Kind::kScratch) {
      in = memory.scratch + input.number * kTileElements * kElementBytes;
    } else {
      in = tensors[input.number] + offsets[input.number] * code.compute_bytes;
      if (row_axis_ >= 0) distance = schedule_.axes[static_cast<size_t>(row_axis_)].strides[input.number];
    }
    if (!folds_rows()) return code.elements.column(in, window.rows, distance, window.count, accumulator);
    if (!rows_are_points() && distance == window.count)
      return code.elements.row(in, window.rows * window.count, accumulator);
    for (int64_t row = 0; row < window.rows; ++row) {
      code.elements.row(in + row * distance * code.compute_bytes, window.count,
                        accumulator + (rows_are_points() ? row * code.accumulator_bytes : 0));
    }
  }

  /// Phase by phase: the steps of all tiles are shared out in tasks, each with accumulators of its own, which
  /// are then brought together in order.
  void run_shared(char* const* tensors) const {
    const int64_t step_elements = std::max<int64_t>(elements_per_tile_ / std::max<int64_t>(steps_, 1), 1);
    const int64_t steps_per_task = std::max<int64_t>(kTask / step_elements, 1);
    const int64_t tasks = std::max<int64_t>(pieces(steps_, steps_per_task), 1);
    const int64_t line = points_ * kElementBytes;
    const auto kept_bytes = static_cast<int64_t>(schedule_.kept_values) * line;
    const auto fold_bytes = static_cast<int64_t>(folds_) * line;
    Workspace shared(static_cast<size_t>(tiles_ * (kept_bytes + fold_bytes * (tasks + 1)) + 64));
    char* const kept = shared.as<char>();
    char* const totals = kept + tiles_ * kept_bytes;
    char* const partials = totals + tiles_ * fold_bytes;
    for (size_t phase = 0; phase < parts_.size(); ++phase) {
      parallel_for(tiles_ * tasks, 1, [&](int64_t begin, int64_t end) {
        TileMemory memory = tile_memory();
        for (int64_t i = begin; i < end; ++i) {
          const int64_t tile = i / tasks;
          int64_t offsets[kMostTensors] = {};
          const int64_t points = enter_tile(tile, offsets);
          memory.kept = kept + tile * kept_bytes;
          memory.accumulators = partials + i * fold_bytes;
          start(parts_[phase], points, memory);
          const int64_t first = i % tasks * steps_per_task;
          run_steps(phase, first, std::min(first + steps_per_task, steps_), points, tensors, offsets, memory);
        }
      });
      TileMemory memory = tile_memory();
      for (int64_t tile = 0; tile < tiles_; ++tile) {
        int64_t offsets[kMostTensors] = {};
        const int64_t points = enter_tile(tile, offsets);
        memory.kept = kept + tile * kept_bytes;
        memory.accumulators = totals + tile * fold_bytes;
        start(parts_[phase], points, memory);
        for (size_t i = 0; i < parts_[phase].folds.size(); ++i) {
          const FoldCode& code = parts_[phase].folds[i];
          const auto at = static_cast<int64_t>(i) * line;
          code.partial.column(partials + tile * tasks * fold_bytes + at, tasks,
                              fold_bytes / code.accumulator_bytes, points, memory.accumulators + at);
        }
        run_kept(phase, points, tensors, offsets, memory);
      }
    }
  }

  int inner_ = -1;
  int row_axis_ = -1;
  int point_axis_ = -1;
  std::vector<int> outer_kept_;
  std::vector<int> outer_folded_;
  int64_t columns_ = 1;  ///< of a window
  int64_t rows_ = 1;
  int64_t points_ = 1;  ///< of a tile
  int64_t tiles_ = 0;
  int64_t row_steps_ = 1;
  int64_t column_steps_ = 1;
  int64_t steps_ = 1;
  int64_t elements_per_tile_ = 0;
  double scale_ = 1;
  std::vector<PhaseParts> parts_;
  size_t packed_ = 0;
  size_t folds_ = 0;
};

}  // namespace

Ref<Launch> make_fold_launch(Schedule schedule, std::vector<PhaseCode> code, int cost) {
  return Ref<Launch>(new FoldLaunch(std::move(schedule), std::move(code), cost));
}

}  // namespace dyad::codegen
