#include <algorithm>

#include "base/parallel.h"
#include "codegen/cpu/cpu_launch.h"
#include "codegen/cpu/operands.h"
#include "codegen/cpu/thread_memory.h"

namespace dyad::codegen {

namespace {

/// Every element by itself.
class PointwiseLaunch final : public CpuLaunch {
 public:
  PointwiseLaunch(Schedule schedule, std::vector<PhaseCode> code, int cost)
      : CpuLaunch(std::move(schedule), std::move(code), cost),
        inner_(static_cast<int>(schedule_.axes.size()) - 1),
        rows_(inner_ - 1),
        operands_(schedule_, schedule_.phases[0].full, std::max(rows_, -1), inner_, false) {
    for (int axis = 0; axis < rows_; ++axis) outer_.push_back(axis);
    // Where elements are packed the window is square, so that lines of memory read across are used up.
    const bool packs = operands_.packed_count() > 0;
    columns_ = std::min<int64_t>(size_of(inner_), packs ? 64 : kWorthSharing);
    window_rows_ =
        std::max<int64_t>((packs ? kTileElements : kWorthSharing) / std::max<int64_t>(columns_, 1), 1);
    window_rows_ = std::min(window_rows_, size_of(rows_));
    if (packs)
      columns_ = std::min<int64_t>(size_of(inner_), kTileElements / std::max<int64_t>(window_rows_, 1));
    total_ = product(outer_) * size_of(rows_) * size_of(inner_);
    if (!code_[0].full) total_ = 0;  // no result is used
    if (total_ == 0) return;
    column_pieces_ = pieces(size_of(inner_), columns_);
    row_pieces_ = pieces(size_of(rows_), window_rows_);
    windows_ = product(outer_) * row_pieces_ * column_pieces_;
    grain_ = std::max<int64_t>(kWorthSharing / (columns_ * window_rows_ * cost_), 1);
  }

  void run(const void* const* params, void* const* results) const override {
    if (total_ == 0) return;
    char* tensors[kMostTensors];
    place_tensors(params, results, tensors);
    if (windows_ > 1 || total_ * cost_ <= 2 * kWorthSharing) {
      parallel_for(windows_, grain_, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) run_window(i, tensors, 0, columns_);
      });
      return;
    }
    // One window, but much work in each element.
    const int64_t grain = std::max<int64_t>(kWorthSharing / (cost_ * window_rows_), 64) / 64 * 64;
    parallel_for(pieces(columns_, 64), grain / 64, [&](int64_t begin, int64_t end) {
      run_window(0, tensors, begin * 64, std::min(end * 64, columns_) - begin * 64);
    });
  }

 private:
  void run_window(int64_t number, char* const* tensors, int64_t first, int64_t columns) const {
    int64_t offsets[kMostTensors] = {};
    Window window;
    const int64_t column = number % column_pieces_ * columns_ + first;
    const int64_t row = number / column_pieces_ % row_pieces_ * window_rows_;
    if (inner_ >= 0) {
      move(offsets, inner_, column);
      window.count = std::min(columns, size_of(inner_) - column);
    }
    if (rows_ >= 0) {
      move(offsets, rows_, row);
      window.rows = std::min(window_rows_, size_of(rows_) - row);
    }
    move_to(offsets, outer_, number / column_pieces_ / row_pieces_);
    TileMemory memory;
    if (operands_.packed_count() > 0)
      memory.packed = thread_memory(operands_.packed_count() * kTileElements * kElementBytes);
    operands_.run(code_[0].full, window, tensors, offsets, memory, nullptr);
  }

  int inner_;
  int rows_;
  std::vector<int> outer_;
  BoundOperands operands_;
  int64_t columns_ = 1;
  int64_t window_rows_ = 1;
  int64_t column_pieces_ = 1;
  int64_t row_pieces_ = 1;
  int64_t windows_ = 0;
  int64_t total_ = 0;
  int64_t grain_ = 1;
};

}  // namespace

Ref<Launch> make_pointwise_launch(Schedule schedule, std::vector<PhaseCode> code, int cost) {
  return Ref<Launch>(new PointwiseLaunch(std::move(schedule), std::move(code), cost));
}

}  // namespace dyad::codegen
