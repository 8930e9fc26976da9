#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "runtime/allocator.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kTriangleGrain = 1 << 16;

void run_triangle(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const int64_t rank = out.rank();
  const int64_t rows = out.shape[static_cast<size_t>(rank - 2)].value();
  const int64_t columns = out.shape[static_cast<size_t>(rank - 1)].value();
  const int64_t diagonal = std::clamp<int64_t>(call.integer(1), -rows - 1, columns + 1);
  const bool upper = call.flag(2);
  const int64_t bytes = itemsize(out.dtype);
  const bool direct = input.contiguous();
  if (!direct) copy(input, out);
  const char* source = direct ? input.as<char>() : out.as<char>();
  parallel_for(
      out.size() / columns, std::max<int64_t>(1, kTriangleGrain / columns), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
          // Elements before `border` lie below or on the diagonal (strictly below for the upper part).
          const int64_t border = std::clamp<int64_t>(line % rows + diagonal + (upper ? 0 : 1), 0, columns);
          const int64_t keep_from = upper ? border : 0;
          const int64_t keep_to = upper ? columns : border;
          char* row = out.as<char>() + line * columns * bytes;
          if (direct) {
            std::memcpy(row + keep_from * bytes, source + (line * columns + keep_from) * bytes,
                        static_cast<size_t>((keep_to - keep_from) * bytes));
          }
          std::memset(row, 0, static_cast<size_t>(keep_from * bytes));
          std::memset(row + keep_to * bytes, 0, static_cast<size_t>((columns - keep_to) * bytes));
        }
      });
}

void run_triangle_indices(const KernelCall& call) {
  ValueImpl& out = call.out();
  const int64_t count = out.shape[1].value();
  if (count == 0) return;
  Workspace scratch(static_cast<size_t>(2 * count) * sizeof(int64_t));
  int64_t* row_numbers = scratch.as<int64_t>();
  int64_t* column_numbers = row_numbers + count;
  const bool upper = call.flag(4);
  const int64_t rows = call.integer(0);
  const int64_t columns = call.integer(1);
  const int64_t offset = std::clamp(call.integer(2), -rows, columns);
  // Only rows that hold a place are walked: there may be any number of others.
  const int64_t first = upper ? 0 : std::max<int64_t>(0, -offset);
  const int64_t last = upper ? std::min(rows, columns - offset) : rows;
  for (int64_t r = first; r < last; ++r) {
    const int64_t border = std::clamp<int64_t>(r + offset + (upper ? 0 : 1), 0, columns);
    for (int64_t c = upper ? border : 0; c < (upper ? columns : border); ++c) {
      *row_numbers++ = r;
      *column_numbers++ = c;
    }
  }
  converter(DType::kInt64, out.dtype)(2 * count, scratch.as<int64_t>(), out.data);
}

}  // namespace

DYAD_CPU_KERNEL(triangle, run_triangle);
DYAD_CPU_KERNEL(triangle_indices, run_triangle_indices);

}  // namespace dyad::kernels
