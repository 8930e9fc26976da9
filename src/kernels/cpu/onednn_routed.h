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
  /// Whether one thread sums up each number of the result, as in the library's convolutions with filters in
  /// blocks; in its matrix products several may, and the number of threads decides the last bits.
  bool sums_in_one_thread() const;

 private:
  dnnl::primitive primitive_;
  dnnl::memory::desc scratch_;
  std::vector<Route> routes_;
  std::vector<std::optional<Move>> moves_;
};

/// Runs a forward primitive that `get` finds or makes for the threads of the call: next to busy processes
/// with fewer of them, where that changes no result.
template <class Get>
void run_forward(const Get& get, std::span<const void* const> operands) {
  const std::shared_ptr<const RoutedPrimitive> primitive = get();
  if (primitive->sums_in_one_thread()) {
    const ActiveThreads threads;
    if (threads.fewer()) return get()->run(operands);
  }
  primitive->run(operands);
}

}  // namespace dyad::kernels::onednn
