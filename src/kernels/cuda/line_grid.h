#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/lines.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/launch.h"

namespace dyad::cuda {

/// Lines along an axis of a tensor: `count` elements, `inner` apart.
struct LineShape {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  LineShape(const Shape& shape, int64_t axis) {
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto at = static_cast<int64_t>(d);
      (at < axis ? outer : at == axis ? count : inner) *= shape[d].value();
    }
  }
};

/// Runs the kernel of a line's form: a block for each line in one piece, a thread for each of lines side by
/// side.
template <class Params>
void launch_lines(int device, const char* stem, const LineShape& lines, DType dtype, const Params& params) {
  constexpr int64_t kMostBlocks = 1 << 16;
  if (lines.outer * lines.inner == 0) return;
  Grid grid = cover(lines.outer * lines.inner);
  if (lines.inner == 1) {
    grid.x = static_cast<unsigned>(std::min(lines.outer, kMostBlocks));
    grid.threads = lines.count <= 256 ? 32 : lines.count <= 1024 ? 128 : lines.count <= 4096 ? 256 : 1024;
  }
  launch(device, cat(stem, lines.inner == 1 ? "_line" : "_columns", storage_suffix(dtype)), grid, params);
}

/// Runs a kernel of `DYAD_TEAM_KERNELS` on lines in one piece: a warp for each where there are many short
/// ones, otherwise a block that keeps its line in registers if it can.
template <class Params>
void launch_teams(int device, std::string_view stem, int64_t lines, int64_t count, DType dtype,
                  const Params& params) {
  constexpr int64_t kMostBlocks = 1 << 16;
  constexpr int64_t kManyLines = 512;
  constexpr unsigned kWarpSize = 32;
  constexpr unsigned kWarps = 4;  // of a block whose warps have a line each
  // A kernel that keeps a line needs more than 64 registers, of which a block of 1024 threads has no more.
  constexpr unsigned kMostThreads = 512;
  if (lines == 0) return;
  const bool by_warp = count <= kShortLine || (count <= kWarpLine && lines >= kManyLines);
  Grid grid;
  if (by_warp) {
    grid.x = static_cast<unsigned>(std::min((lines + kWarps - 1) / kWarps, kMostBlocks));
    grid.threads = kWarpSize * kWarps;
  } else {
    grid.x = static_cast<unsigned>(std::min(lines, kMostBlocks));
    grid.threads = 128;
    while (grid.threads < kMostThreads && int64_t{grid.threads} * kKeptByThread < count) grid.threads *= 2;
  }
  const char* form = !by_warp ? "_line" : count <= kShortLine ? "_short" : "_warp";
  launch(device, cat(stem, form, storage_suffix(dtype)), grid, params);
}

}  // namespace dyad::cuda
