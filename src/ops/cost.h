#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"

namespace dyad {

/// What a call takes: for people who ask how near a kernel comes to what the machine can do.
struct Cost {
  double flops = 0;   ///< floating-point operations: two for each multiply-add of a product
  int64_t bytes = 0;  ///< of tensors that are read and of results
};

/// Of a tensor's elements.
int64_t bytes_of(const ValueImpl& value);

/// As the operator's entry states it, or as its kind tells. All shapes must be known.
Cost cost_of(const Op& op, std::span<const Arg> args, std::span<const ValueImpl* const> results);

/// Where the operator's floating-point operations are known from: "stated", "elementwise", "reduction",
/// "movement" or "body". Empty is a fault of the entry.
std::string_view cost_origin(const Op& op);

/// Rules for entries whose cost follows from the shapes of several arguments.
namespace cost {

using Values = std::span<const ValueImpl* const>;

double elements(const ValueImpl& value);
/// Size of an axis, counted from the last, 1 where there is none.
double axis_from_end(const ValueImpl& value, int64_t back = 1);

/// The rows of the first argument times a matrix.
double product(const Arguments& args, Values results);
/// Each result from the elements of its window, whose sizes are argument 1; and each argument's element added
/// to those of its window.
double windows(const Arguments& args, Values results);
double spread_windows(const Arguments& args, Values results);
/// A sort or a search: comparisons of each element of the first argument with the logarithm of its line.
double comparisons(const Arguments& args, Values results);
/// n^3 for each square matrix of the first argument, which a factorisation takes a multiple of.
double cubes(const Arguments& args);

}  // namespace cost

}  // namespace dyad
