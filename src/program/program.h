#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/intrusive.h"
#include "codegen/loops/kernel.h"
#include "ir/graph.h"
#include "program/host.h"
#include "types/arg.h"

namespace dyad::execute {
class Executable;
}

namespace dyad::program {

/// What a program takes to run, for people.
struct Figures {
  size_t steps = 0;                       ///< of all functions
  int64_t planned_bytes = 0;              ///< memory of intermediate results, as planned
  int64_t least_bytes = 0;                ///< what they need at once: no plan for these steps takes less
  int64_t unplanned_bytes = 0;            ///< what they would take without reuse
  std::vector<std::string> without_code;  ///< fused functions that run operator by operator all the same
};

/// What was derived to differentiate a program in a tape's stead, for people.
struct DerivedFigures {
  std::vector<bool> wanted;    ///< per input: whether its gradient is asked for
  std::string refusal;         ///< why each operator is recorded by itself; empty if the program is one step
  size_t forward_nodes = 0;    ///< after the passes
  size_t backward_nodes = 0;   ///< the same; 0 until it is needed
  size_t residuals = 0;        ///< values kept between the two
  int64_t residual_bytes = 0;  ///< of those that are not inputs anyway, where their sizes are known
};

/// A fused function and the kernel it became, for people.
struct GeneratedCode {
  std::string name;
  std::string function;  ///< its text in the graph
  codegen::Listing listing;
};

/// A tape can have the program neither as one step nor operator by operator; nothing of it has run.
class NotRecordable final : public Error {
 public:
  explicit NotRecordable(std::string_view message) : Error(ErrorKind::kRuntime, message) {}
};

class Differentiable;
class ShapeSpecializations;
class PreprocessedWeights;

/// A compiled graph, ready to run; it never changes, and several threads may run it at once. Inputs are
/// tensors and numbers in the order of the main function's parameters, tokens left out. A tensor that the
/// graph consumes is written in place.
class Program final : public RefCounted {
 public:
  /// What a program has besides the graph that it runs.
  struct Parts {
    /// Gives a tape what it needs to record a run as one step. Without it each operator is recorded by
    /// itself.
    std::unique_ptr<Differentiable> differentiable;
    /// The graph before it was optimised. It is run wherever each operator is recorded, for those that
    /// a compiler puts in have no gradient. Without it the optimised one is.
    std::shared_ptr<ir::Module> unoptimised;
    /// Computes the last inputs of the main function, which the caller does not give.
    std::shared_ptr<PreprocessedWeights> preprocessed_weights;
    /// Gives programs for the sizes of a run, where the module leaves sizes open.
    std::unique_ptr<ShapeSpecializations> shape_specializations;
  };
  /// With `planned`, memory is planned where shapes are known; without it every step goes through dispatch.
  explicit Program(std::shared_ptr<const ir::Module> module, bool planned = true);
  Program(std::shared_ptr<const ir::Module> module, bool planned, Parts parts);
  ~Program() override;

  /// Appends the results of the main function, tokens left out. What fails raises what the dynamic graph
  /// raises and leaves what was written until then. Where a tape records, the run is one step on it;
  /// `transforms` may walk through that step one after the other, those under way if it is negative. Raises
  /// NotRecordable where functions of the program bring a gradient of their own and the run cannot be one
  /// step.
  void run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, int transforms = -1) const {
    run_recorded(inputs, nullptr, outputs, host, transforms);
  }
  /// The same; an input that only `inputs` holds is let go after its last use.
  void run_consuming(std::vector<Arg> inputs, std::vector<Arg>& outputs, Host& host,
                     int transforms = -1) const {
    run_recorded(inputs, &inputs, outputs, host, transforms);
  }

  /// The graph as it is run.
  const ir::Module& module() const { return *module_; }
  size_t input_count() const { return inputs_; }
  size_t output_count() const { return outputs_; }
  const Figures& figures() const { return figures_; }
  std::vector<DerivedFigures> derived_figures() const;
  /// The code of each fused function that is called with known sizes, once.
  std::vector<GeneratedCode> generated_code() const;
  /// Whether inputs in row-major order run over preplanned memory.
  bool planned() const;

 private:
  /// What a tape makes of a run: nothing, a node for each operator, or one that is made already.
  enum class Record : uint8_t { kNone, kPerOperator, kOneStep };
  Record record(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, int transforms) const;
  void run_recorded(std::span<const Arg> inputs, std::vector<Arg>* owned, std::vector<Arg>& outputs,
                    Host& host, int transforms) const;
  void execute(std::span<const Arg> inputs, std::vector<Arg>* owned, bool per_operator,
               std::vector<Arg>& outputs, Host& host) const;

  friend class PreprocessedWeights;
  /// The program that runs where each operator is recorded.
  const Program& per_operator_code() const;

  std::shared_ptr<const ir::Module> module_;
  std::unique_ptr<const execute::Executable> executable_;
  std::unique_ptr<Differentiable> differentiable_;
  std::shared_ptr<ir::Module> unoptimised_;
  mutable std::once_flag per_operator_once_;
  mutable Ref<Program> per_operator_;
  std::unique_ptr<ShapeSpecializations> shape_specializations_;
  std::shared_ptr<PreprocessedWeights> preprocessed_weights_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  Figures figures_;
};

}  // namespace dyad::program
