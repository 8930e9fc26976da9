#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "codegen/loops/kernel.h"
#include "execute/fused_profile.h"
#include "ir/graph.h"
#include "tensor/tensor.h"
#include "types/arg.h"

namespace dyad::execute {

/// A fused function as machine code, for tensors as they come. Code is made when tensors lie as none before
/// did, and kept. Several threads may use it at once.
class FusedCode {
 public:
  explicit FusedCode(const ir::Function& function);

  /// Computes the function and appends its results, row-major; false, with nothing done, where there is no
  /// code for operands that lie so: the function is then to be run operator by operator.
  bool run(std::span<const Arg> args, std::vector<Arg>& results) const;

 private:
  /// A size of a result: known, or that of an operand along an axis.
  struct Size {
    Dim known;
    int param = -1;
    size_t axis = 0;
  };
  void note(const FusedProfile& profile, const std::string& name, std::span<const Arg> args,
            std::span<const Tensor> made) const;
  Ref<codegen::Kernel> kernel_for(const codegen::Request& request) const;

  const ir::Function& function_;
  std::vector<std::vector<Size>> sizes_;  ///< per result
  bool sized_ = true;                     ///< whether operands tell all sizes of the results
  mutable std::mutex mutex_;
  mutable std::vector<Ref<codegen::Kernel>> kernels_;
  mutable bool refused_ = false;
};

}  // namespace dyad::execute
