#pragma once

// A primitive of the library in the layouts it likes best, called with operands in ours.

#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/onednn.h"

namespace dyad::kernels::onednn {

/// A change of layout with the scratch memory it needs.
class Move {
 public:
  Move(const dnnl::memory::desc& from, const dnnl::memory::desc& to);
  void run(const dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const;

 private:
  dnnl::memory::desc scratch_;
  dnnl::reorder reorder_;
};

/// An operand as the caller has it and as the primitive wants it.
struct Route {
  int name;  ///< DNNL_ARG_…
  dnnl::memory::desc outside;
  dnnl::memory::desc inside;
  bool result = false;
};

/// A primitive with the moves of its operands to its layouts and of its result back.
class RoutedPrimitive {
 public:
  RoutedPrimitive(dnnl::primitive primitive, dnnl::memory::desc scratch, std::vector<Route> routes);
  /// `operands` are in the order of the routes; a result is written, though it is passed as constant.
  void run(std::span<const void* const> operands) const;

 private:
  dnnl::primitive primitive_;
  dnnl::memory::desc scratch_;
  std::vector<Route> routes_;
  std::vector<std::optional<Move>> moves_;
};

}  // namespace dyad::kernels::onednn
