#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/intrusive.h"
#include "codegen/loops/kernel.h"
#include "ir/graph.h"
#include "types/arg.h"

namespace dyad::compile {

class Program;

/// Runs programs when the run that they follow from is over: gradients of what that one computed.
class Runner : public RefCounted {
 public:
  /// As `Program::run`; what nobody else holds is let go as soon as it is not needed.
  virtual void run(const Program& program, std::vector<Arg> inputs, std::vector<Arg>& outputs,
                   int transforms);
  /// Whether it holds functions of the host, which may in turn hold what was computed.
  virtual bool holds_functions() const { return false; }
};

/// Carries out the host nodes of a program, in the order of the program.
class Host {
 public:
  virtual ~Host() = default;
  /// `args` and `results` leave the token out: tensors and numbers only. Tensors may be kept. It appends as
  /// many results as the node has besides the token.
  virtual void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) = 0;
  /// An exception leaves the step that stands for this place of the user's program; called once for each.
  virtual void failed_at(const ir::Location&) {}
  /// A tape records each operator of the program of this name by itself, which is slower than one step.
  /// Called once for each choice of inputs to differentiate.
  virtual void records_each_operator(const std::string& /*name*/, const std::string& /*reason*/) {}
  /// Who runs the gradients of this run, with the same host functions.
  virtual Ref<Runner> runner() { return Ref<Runner>(new Runner); }
};

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

class Code;
struct Options;
class Differentiable;
class Instances;
class Plan;
class Prepared;
class Preparations;

/// A compiled graph, ready to run; it never changes, and several threads may run it at once. Inputs are
/// tensors and numbers in the order of the main function's parameters, tokens left out. A tensor that the
/// graph consumes is written in place.
class Program final : public RefCounted {
 public:
  /// What a program has besides the graph that it runs.
  struct Parts {
    /// The graph as it was before the passes: from it a tape gets what it needs to record a run as one step.
    /// Without it each operator is recorded by itself.
    std::shared_ptr<ir::Module> captured;
    /// The graph before it was optimised. It is run whenever somebody watches each operator, for those that
    /// a compiler puts in have no gradient. Without it the optimised one is.
    std::shared_ptr<ir::Module> unoptimised;
    /// Computes the last inputs of the main function, which the caller does not give.
    std::shared_ptr<Prepared> prepared;
    /// Gives programs for the sizes of a run, where the module leaves sizes open.
    std::unique_ptr<Instances> instances;
  };
  explicit Program(std::shared_ptr<const ir::Module> module, bool planned = true);
  Program(std::shared_ptr<const ir::Module> module, const Options& options, Parts parts);
  ~Program() override;

  /// Appends the results of the main function, tokens left out. What fails raises what the dynamic graph
  /// raises and leaves what was written until then. Where a tape records, the run is one step on it;
  /// `transforms` may walk through that step one after the other, those under way if it is negative.
  void run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, int transforms = -1) const;
  /// The same; an input that nobody else holds is let go after its last use.
  void run_consuming(std::vector<Arg> inputs, std::vector<Arg>& outputs, Host& host,
                     int transforms = -1) const;

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
  enum class Record : uint8_t { kNone, kPerOperator, kOneStep };
  Record record(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, int transforms) const;
  void execute(std::span<const Arg> inputs, std::vector<Arg>* owned, bool watched, std::vector<Arg>& outputs,
               Host& host) const;

  friend class Prepared;
  /// The program that serves where each operator is watched.
  const Program& per_operator_code() const;

  std::shared_ptr<const ir::Module> module_;
  std::unique_ptr<Code> code_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Differentiable> differentiable_;
  std::shared_ptr<ir::Module> unoptimised_;
  mutable std::once_flag per_operator_once_;
  mutable Ref<Program> per_operator_;
  std::unique_ptr<Instances> instances_;
  std::shared_ptr<Prepared> prepared_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  Figures figures_;
};

struct Options {
  /// Checks the graph after every pass; debug builds always do.
  bool verify = false;
  /// Optimises the graph as a whole and generates code for what is computed together; without it only what
  /// running needs is done, kernel by kernel.
  bool optimise = true;
  /// Plans the memory where shapes are known; without it every step goes through dispatch.
  bool plan = true;
  /// A tape may record runs as one step: the captured graph is kept for it.
  bool differentiable = true;
  /// What programs of one graph prepare, for those that prepare the same; null for a program by itself.
  std::shared_ptr<Preparations> preparations;
  /// Called with the text of the graph after each stage, the stage's number and its name.
  std::function<void(int number, const std::string& stage, const std::string& text)> dump;
};

/// What compiling did, for people.
struct Report {
  struct Stage {
    std::string name;
    double milliseconds = 0;
    size_t nodes = 0;  ///< after it
  };
  size_t nodes_before = 0;
  size_t nodes_after = 0;
  std::vector<Stage> stages;
};

/// Passes and plan. The module is changed and then belongs to the program.
Ref<Program> compile(std::shared_ptr<ir::Module> module, const Options& options = {},
                     Report* report = nullptr);

}  // namespace dyad::compile
