#pragma once

#include <span>
#include <string>
#include <vector>

#include "types/arg.h"

namespace dyad {

/// What a graph knows of an operator: enough to print, parse and check a node. The table of operators derives
/// its entries from it.
class Operator {
 public:
  virtual ~Operator() = default;

  std::string name;

  virtual size_t parameter_count() const = 0;
  virtual std::string_view parameter_name(size_t i) const = 0;
  /// dtype and shape of each result, the new versions of what it updates last. Raises what the operator
  /// raises on bad input.
  virtual std::vector<ResultSpec> infer_results(std::span<const Arg> args) const = 0;
  /// Whether its results are numbers, not tensors.
  virtual bool gives_number() const { return false; }
  /// Whether this result is a residual stack: values put aside, one upon the other.
  virtual bool gives_residual_stack(size_t) const { return false; }
  /// Whether it writes to the memory of this argument, a tensor or a list of them: the version given is used
  /// up, a result is the new one.
  virtual bool consumes(size_t) const { return false; }
  /// Whether it reads this argument. Of one that it does not read only the place in memory matters: it may
  /// have been consumed before.
  virtual bool reads(size_t) const { return true; }
};

}  // namespace dyad
