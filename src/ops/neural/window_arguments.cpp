#include "ops/neural/window_arguments.h"

#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(expand_dims, squeeze);

bool is_mode(const std::string& mode, std::string_view lower) {
  if (mode.size() != lower.size()) return false;
  for (size_t i = 0; i < mode.size(); ++i) {
    if ((mode[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

}  // namespace

Images::Images(const Call& call, size_t spatial)
    : single(call.in(0).rank() == static_cast<int64_t>(spatial) + 1),
      batch(single ? expand_dims(call[0], 0) : call.value(0)) {
  const Shape& weight = call.in(1).shape;
  if (batch->shape.size() != spatial + 2 || weight.size() != spatial + 2) {
    value_error(call.op(), ": input has shape ", call.in(0).shape, " and weight ", weight, "; need ",
                spatial + 2, " dimensions each");
  }
}

Value Images::as_given(const Value& result) const { return single ? squeeze(result, Dims{0}) : result; }

Dims per_dimension(const Arguments& args, size_t at, std::string_view what, size_t spatial, int64_t least) {
  const Dims& given = args.dims(at);
  Dims result;
  if (given.size() == 1) {
    result = Dims(spatial, given[0]);
  } else if (given.size() == spatial || given.size() == spatial + 2) {
    result = Dims(given.end() - spatial, given.end());
  } else {
    value_error(args.op(), ": ", what, " is ", given, "; need one number or ", spatial);
  }
  require_at_least(args, what, result, least);
  return result;
}

void require_at_least(const Arguments& args, std::string_view what, const Dims& numbers, int64_t least) {
  for (Dim d : numbers) {
    if (d.known() && d.value() < least) {
      value_error(args.op(), ": ", what, " is ", numbers, "; each number must be at least ", least);
    }
  }
}

Dim window_count(Dim size, Dim padding, Dim kernel, Dim stride, Dim dilation) {
  return floor_div(size + padding - dilation * (kernel - 1) - 1, stride) + 1;
}

Dims padding_pairs(const Arguments& args, const std::string& mode, const Dims& given, const Dims& sizes,
                   const Dims& kernel, const Dims& stride, const Dims& dilation) {
  const size_t spatial = kernel.size();
  Dims pairs;
  bool zero = true;
  for (Dim d : given) {
    if (d.known() && d.value() < 0)
      value_error(args.op(), ": padding is ", given, "; it must not be negative");
    zero = zero && d == Dim(0);
  }
  if (is_mode(mode, "pad")) {
    for (size_t s = 0; s < spatial; ++s) {
      if (given.size() == 1 || given.size() == spatial) {
        pairs.push_back(given[given.size() == 1 ? 0 : s]);
        pairs.push_back(pairs.back());
      } else if (given.size() == 2 * spatial) {
        pairs.push_back(given[2 * s]);
        pairs.push_back(given[2 * s + 1]);
      } else {
        value_error(args.op(), ": padding is ", given, "; need one number, ", spatial, " or ", 2 * spatial);
      }
    }
    return pairs;
  }
  const bool same = is_mode(mode, "same");
  if (!same && !is_mode(mode, "valid")) {
    value_error(args.op(), ": pad_mode is '", mode, "'; accepted are 'same', 'valid' and 'pad'");
  }
  if (!zero) {
    value_error(args.op(), ": padding is ", given, " with pad_mode '", mode,
                "'; it is only accepted with 'pad'");
  }
  for (size_t s = 0; s < spatial; ++s) {
    const Dim count = floor_div(sizes[s] + stride[s] - 1, stride[s]);
    const Dim needed = (count - 1) * stride[s] + dilation[s] * (kernel[s] - 1) + 1 - sizes[s];
    const Dim total = same ? max(needed, 0) : Dim(0);
    pairs.push_back(floor_div(total, 2));
    pairs.push_back(total - pairs.back());
  }
  return pairs;
}

}  // namespace dyad
