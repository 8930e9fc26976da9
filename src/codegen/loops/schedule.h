#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/loops/axes.h"
#include "codegen/loops/loop.h"

namespace dyad::codegen {

/// Where an operand of a loop lies.
struct OperandRef {
  enum class Kind : uint8_t {
    kTensor,       ///< tensor `number`: the parameters, then the results
    kKept,         ///< one of the values that belong to a point of the kept axes and are used again
    kAccumulator,  ///< what a fold has brought together, per point of the kept axes
    kScratch,      ///< elements that are folded next
    kScale,        ///< one over the number of elements that are folded, a float64
    kNumber,       ///< a number that the loop holds itself
  };
  Kind kind = Kind::kTensor;
  uint32_t number = 0;
};

/// A loop with what its loads and stores refer to.
struct BoundLoop {
  Loop loop;
  std::vector<OperandRef> operands;                 ///< of the loads, then of the stores
  std::vector<std::pair<DType, uint64_t>> numbers;  ///< with their bits
  bool empty() const { return loop.stored.empty(); }
};

/// Brings elements along the reduced axes together in an accumulator.
struct Fold {
  Reduction reduction = Reduction::kNone;
  DType compute_dtype = DType::kFloat32;
  DType accumulator = DType::kFloat64;
  OperandRef input;
};

/// One pass over the reduced axes, for some points of the kept ones: the full loop runs over all elements,
/// what it leaves is folded, then the kept loop runs over the points.
struct Phase {
  BoundLoop full;
  std::vector<Fold> folds;
  BoundLoop kept;
};

/// A computation as loops over operands that lie in a certain way. Without reductions there is one phase and
/// all axes count as kept.
struct Schedule {
  std::vector<Axis> axes;
  std::vector<DType> dtypes;            ///< per tensor
  size_t params = 0;                    ///< how many of the tensors are read
  std::vector<uint32_t> param_numbers;  ///< per such tensor, which parameter of the function it is
  std::vector<Phase> phases;
  uint32_t kept_values = 0;
  uint32_t scratch_rows = 0;  ///< per phase at most
  bool reduces = false;

  /// The axis of the points on which the kept loop runs at once; -1: one point at a time. If the innermost
  /// axis is reduced, there is one only if it is the only reduced one.
  int point_axis() const;
  std::string text() const;
};

/// Nothing where the layouts do not fit the computation.
std::optional<Schedule> make_schedule(const Computation& computation, std::span<const Layout> params,
                                      std::span<const Layout> results);

}  // namespace dyad::codegen
