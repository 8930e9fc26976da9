#include "ops/sort/lines.h"

#include <algorithm>

#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape, slice_view);

}  // namespace

int64_t sort_axis(const Arguments& args, size_t at) {
  return normalize_axis(args.op(), args.integer(at), std::max<int64_t>(args.in(0).rank(), 1));
}

Dim line_length(const ValueImpl& input, int64_t axis) {
  return input.rank() == 0 ? Dim(1) : input.shape[static_cast<size_t>(axis)];
}

Value element_of_lines(const Value& lines, int64_t axis, Dim at, bool keepdims) {
  if (lines->rank() == 0) return lines;
  const auto rank = static_cast<size_t>(lines->rank());
  Dims starts(rank, Dim(0));
  Dims stops = lines->shape;
  starts[static_cast<size_t>(axis)] = at;
  stops[static_cast<size_t>(axis)] = at + 1;
  const Value line = slice_view(lines, starts, stops, Dims(rank, Dim(1)));
  return keepdims ? line : reshape(line, infer::reduced(lines->shape, Ints{axis}, false));
}

void require_ordered(const Arguments& args) {
  infer::require_dtype(args, 0, !is_complex(args.in(0).dtype), "bool, integer and floating dtypes");
}

}  // namespace dyad
