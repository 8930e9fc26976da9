#include "ops/reduce/line.h"

#include <algorithm>

namespace dyad {

Ints axis_or_all(const Arguments& args, size_t at, int64_t rank) {
  Ints axes;
  if (args.has(at)) {
    axes.push_back(normalize_axis(args.op(), args.integer(at), std::max<int64_t>(rank, 1)));
    if (rank == 0) axes.clear();
    return axes;
  }
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  return axes;
}

}  // namespace dyad
