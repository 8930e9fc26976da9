#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/intrusive.h"
#include "ir/graph.h"
#include "types/dtype.h"
#include "types/shape.h"

namespace dyad::codegen {

/// How a parameter or result of a fused function lies in memory. A number is a tensor without axes.
struct Layout {
  DType dtype = DType::kFloat32;
  Shape shape;
  Strides strides;  ///< in elements; 0 along an axis that is broadcast
};

/// A fused function (passes/region.h) and how its operands lie when it is called.
struct Request {
  const ir::Function* function = nullptr;
  std::vector<Layout> params;
  std::vector<Layout> results;
};

/// Work for one call on operands of known shapes: what is computed once and not at every call.
class Launch : public RefCounted {
 public:
  /// Computes all results. `params` and `results` are addresses of first elements, in the order of the
  /// function; a number stands in memory in the parameter's dtype. A result may lie exactly over a parameter
  /// of the same layout if the function reduces nothing; otherwise memory that is written is not read.
  /// Several threads may run one launch at once.
  virtual void run(const void* const* params, void* const* results) const = 0;
};

/// A kernel as people read it: its loops, and what became of each of them.
struct Listing {
  std::string loops;
  std::string llvm;
  std::string assembly;
};

/// Machine code of a fused function. It holds for all operands that lie in the same way: of a shape it knows
/// the rank, of strides which are 0, which are 1 and which axes follow each other without a gap.
class Kernel : public RefCounted {
 public:
  /// Whether the code holds for operands that lie so.
  virtual bool fits(std::span<const Layout> params, std::span<const Layout> results) const = 0;
  virtual Ref<Launch> launch(std::span<const Layout> params, std::span<const Layout> results) const = 0;
  /// What it is called in profiles and listings; equal code has an equal name.
  virtual const std::string& name() const = 0;
  /// Made when it is asked for; empty where the code generator is missing.
  virtual Listing listing() const { return {}; }
};

/// Whether there is a code generator for this machine; without one nothing is worth fusing.
bool available();

/// Makes code for each request: equal requests once, several on all cores, from the store on disk where it
/// has been made before. An entry is null where there is no code generator for this machine or the function
/// holds what it does not know; the function is then run operator by operator.
std::vector<Ref<Kernel>> generate(std::span<const Request> requests);

}  // namespace dyad::codegen
