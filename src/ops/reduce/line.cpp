#include "ops/reduce/line.h"

#include <algorithm>

#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(reshape);

}  // namespace

Dims axes_moved_last(int64_t rank, const Ints& axes) {
  Dims order;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  for (const int64_t axis : axes) order.push_back(axis);
  return order;
}

Value with_joined_end(const Value& value, size_t count) {
  const auto joined = value->shape.end() - count;
  Shape shape(value->shape.begin(), joined);
  shape.push_back(size_of(Shape(joined, value->shape.end())));
  return reshape(value, shape);
}

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
