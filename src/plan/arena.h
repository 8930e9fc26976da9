#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyad::plan {

/// A block of memory that is needed from one step to another, both included.
struct Block {
  size_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  /// A block that ends at the step where this one begins, and whose place this one may take over; -1 for
  /// none.
  int takes_over = -1;
  size_t offset = 0;  ///< where it is put
};

/// Gives every block a place, so that blocks needed at the same time do not overlap and little memory is used
/// in all. Places are multiples of 64 bytes. Returns the size of the whole.
size_t place_blocks(std::vector<Block>& blocks);

/// What the blocks need at once where they need most: no order of places takes less.
size_t least_bytes(const std::vector<Block>& blocks);

}  // namespace dyad::plan
