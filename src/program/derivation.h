#pragma once

#include <mutex>

#include "passes/absent_gradients.h"
#include "program/compiler.h"
#include "program/program.h"
#include "program/program_outputs.h"

namespace dyad::program {

/// What follows from a program for one choice of inputs that gradients are wanted for.
///
/// Level 1 is the program itself, with residuals as further results, and its backward. A backward that is
/// recorded makes gradients arrive at the residuals too: level 2 is the program that gives them, with
/// residuals of its own, and so on. A step on the tape of *order* n keeps the residuals of levels 1 to n; its
/// outputs are the results of the program that level n differentiates.
class Derivation final : public RefCounted {
 public:
  /// A value kept from forward to backward.
  struct Residual {
    int input = -1;       ///< the input that it is, or -1
    int output = -1;      ///< the output of the step that its gradient goes to, or -1
    bool shown = false;   ///< the caller may write to its memory
    std::string place{};  ///< where: "input 0 ('x')"
  };
  /// A program with residuals as further results, and its backward.
  struct Level {
    std::shared_ptr<ir::Module> forward;
    std::shared_ptr<ir::Module> backward;
    size_t first = 0;  ///< of its residuals among the results of `forward`, tokens left out
    std::vector<Residual> residuals;
    std::vector<int> outputs;   ///< per result of what it differentiates: the output, or -1
    std::vector<DType> dtypes;  ///< of the outputs
    std::vector<bool> depends;  ///< per output: whether it depends on a wanted input

    /// Whether gradients flow from this result of what it differentiates to a wanted input.
    bool is_differentiated(uint32_t result) const {
      return outputs[result] >= 0 && depends[static_cast<size_t>(outputs[result])];
    }
  };
  /// The backward of a level for a walk that brings some of the gradients.
  struct Backward {
    Ref<Program> program;
    passes::ArrivedGradients left;
  };

  /// Raises what the dynamic graph raises, or what stands in the way.
  Derivation(std::shared_ptr<const ProgramOutputs> outputs, std::vector<bool> wanted,
             std::shared_ptr<const Compiler> compiler);

  const std::vector<bool>& wanted() const { return wanted_; }
  const std::string& name() const { return name_; }
  /// Levels are derived and programs compiled when they are first asked for; several threads may ask at once.
  const Level& level(size_t order);
  const Program& forward(size_t order);
  Backward backward(size_t order, const std::vector<bool>& arrived);
  void add_figures(DerivedFigures& figures) const;

 private:
  /// A backward that was asked for.
  struct Kept {
    size_t order;
    std::vector<bool> arrived;
    Backward backward;
  };
  std::unique_ptr<Level> derive(const ir::Module& module, const Level* before) const;

  const std::shared_ptr<const ProgramOutputs> program_outputs_;
  const std::vector<bool> wanted_;
  const std::string name_;
  const std::shared_ptr<const Compiler> compiler_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Ref<Program>> forwards_;
  std::vector<Kept> backwards_;  ///< the one made last at the end
};

}  // namespace dyad::program
