#pragma once

#include <vector>

#include "codegen/loops/schedule.h"

namespace dyad::codegen {

/// Memory that one thread works in while it computes a tile.
struct TileMemory {
  char* kept = nullptr;          ///< per kept value `points` elements of 8 bytes
  char* accumulators = nullptr;  ///< per fold likewise
  char* scratch = nullptr;       ///< per row of scratch kTileElements elements of 8 bytes
  char* packed = nullptr;        ///< per operand whose elements lie apart, likewise
  int64_t points = 0;
};

/// Elements that a loop is given at once where it needs scratch memory: they stay in the first cache.
inline constexpr int64_t kTileElements = 4096;
inline constexpr int64_t kElementBytes = 8;

/// The part of the domain that a loop runs over at once.
struct Window {
  int64_t rows = 1;
  int64_t count = 1;
};

/// Operands of a loop in their operands. Elements that lie apart are packed before the loop and unpacked
/// after it.
class BoundOperands {
 public:
  static constexpr size_t kMost = 48;

  /// Rows lie along one axis of the schedule, columns along another; -1: there is one row, or one column.
  BoundOperands(const Schedule& schedule, const BoundLoop& bound, int row_axis, int column_axis,
                bool rows_are_points);

  size_t packed_count() const { return packed_count_; }
  /// `offsets` holds, per tensor, the elements from its first one to the window's first.
  void run(LoopFunction code, const Window& window, char* const* tensors, const int64_t* offsets,
           const TileMemory& memory, const double* scale) const;

 private:
  struct Operand {
    OperandRef ref;
    int64_t bytes = 4;       ///< of an element
    int64_t row_stride = 0;  ///< in elements
    int64_t step = 1;        ///< in elements, along the columns
    int packed = -1;         ///< its number among those that are packed
    bool stored = false;
    uint64_t number = 0;  ///< the bits of a number
  };

  std::vector<Operand> operands_;
  size_t packed_count_ = 0;
};

}  // namespace dyad::codegen
