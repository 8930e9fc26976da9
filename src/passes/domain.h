#pragma once

#include <unordered_map>
#include <vector>

#include "passes/region.h"

namespace dyad::passes {

/// The axes that a set of operators runs over together, and which of them each value spans. Operators are
/// added one by one, consumers first; what the operators say about their operands makes axes one.
class Domain {
 public:
  /// Lays the operator's result and operands over the axes. False where that is not possible: a size or an
  /// order of axes does not go with what is there. The domain is of no use afterwards.
  bool add(const ir::Node& node, Role role);
  /// Whether everything that was added can be one fused function that gives these values: reductions fold the
  /// same axes of values that span the whole domain, results span all axes or all that are kept.
  bool allows(const std::vector<const ir::GraphValue*>& results) const;
  /// Whether the value spans all axes.
  bool spans_all(const ValueImpl& value) const;
  /// Whether the value is the same along the axes that are reduced, and spans all others.
  bool spans_kept(const ValueImpl& value) const;
  bool reduces() const { return !reductions_.empty(); }
  /// Number of elements of the domain.
  Dim size() const;

 private:
  using Places = std::vector<int>;  ///< per axis of a value: the axis of the domain; -1 where its size is 1

  int add_axis(Dim size);
  int find(int axis) const;
  bool unite(int a, int b);
  /// Says where a value lies; false if it is known to lie elsewhere.
  bool place(const ValueImpl& value, const Places& places);
  Places places_of(const ValueImpl& value);
  bool add_pointwise(const ir::Node& node, const Places& result);
  bool add_movement(const ir::Node& node, const Places& result);
  bool add_reduction(const ir::Node& node, const Places& result);
  /// An axis of the domain that a reduction may fold: it has the size, and the result does not span it.
  int axis_to_fold(Dim size, size_t from_the_end, const Places& taken) const;
  Places distinct(const Places& places) const;
  Places all_axes() const;
  Places folded_axes() const;

  std::vector<int> parents_;
  std::vector<Dim> sizes_;
  std::unordered_map<const ValueImpl*, Places> places_;
  struct Fold {
    const ValueImpl* input;
    Places axes;
  };
  std::vector<Fold> reductions_;
  Places longest_;  ///< of the value with the most axes
};

}  // namespace dyad::passes
