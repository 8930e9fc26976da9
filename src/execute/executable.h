#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/frame_pool.h"
#include "execute/fused_code.h"
#include "execute/host.h"
#include "plan/plan.h"
#include "plan/steps.h"

namespace dyad::execute {

/// A module that can be run: its functions as steps, the plan of their memory where there is one, and what
/// runs leave for the next ones: frames, and the code of fused functions for tensors that lie in some way.
/// Several threads may run it at once. The module outlives it.
class Executable {
 public:
  /// Without `planned` memory is taken as it is needed.
  Executable(const ir::Module& module, bool planned);
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const plan::Code& code() const { return code_; }
  /// Null where some shape is known only when the module runs, or no plan was asked for.
  const plan::Plan* plan() const { return plan_.get(); }

  /// Runs the main function: `args` one per parameter, those of tokens empty; `results` are appended
  /// likewise. `owned`, the same arguments, loses each after its last use; null if the caller keeps them.
  /// With `per_operator` each operator goes through dispatch, where a tape or a trace sees it.
  void run(std::span<const Arg> args, std::vector<Arg>* owned, bool per_operator, std::vector<Arg>& results,
           Host& host) const;

  FramePool& frames_of(const plan::FunctionPlan& plan) const { return frames_[plan.index]; }
  /// Of a fused function.
  const FusedCode& fused_code_of(const plan::FunctionCode& code) const { return *fused_[code.index]; }

 private:
  void run_planned(std::span<const Arg> args, std::vector<Arg>* owned, std::vector<Arg>& results,
                   Host& host) const;
  /// The same after row-major copies were made of arguments that are not.
  void run_on_copies(std::span<const Arg> args, std::vector<Arg>* owned, std::vector<Arg>& results,
                     Host& host) const;
  void run_dynamic(std::span<const Arg> args, std::vector<Arg>* owned, bool per_operator,
                   std::vector<Arg>& results, Host& host) const;

  const plan::Code code_;
  std::unique_ptr<plan::Plan> plan_;
  std::unique_ptr<FramePool[]> frames_;            ///< by function, where there is a plan
  std::vector<std::unique_ptr<FusedCode>> fused_;  ///< by function
};

}  // namespace dyad::execute
